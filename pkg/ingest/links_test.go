package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestLinksThatNamesAndDataTell: a reference needs a name that speaks of the other
// table, and all values there.
func TestLinksThatNamesAndDataTell(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		files map[string]string
		want  []string // "table.column -> table.key"
	}{
		{"the same name, whatever it is", map[string]string{
			"machines.csv": "serial_no,maker\nM-1,a\nM-2,b\nM-3,a\n", "repairs.csv": "repair,serial_no\n1,M-1\n2,M-1\n3,M-3\n",
		}, []string{"repairs.serial_no -> machines.serial_no"}},
		{"Chinese names", map[string]string{
			"科室.csv": "编号,名称\n1,内科\n2,外科\n", "医生.csv": "工号,姓名,科室编号\n7,甲,1\n8,乙,1\n9,丙,2\n",
		}, []string{"医生.科室编号 -> 科室.编号"}},
		{"called like the table", map[string]string{
			"countries.csv": "code,label\nAT,x\nCH,y\n", "cities.csv": "city,country\na,AT\nb,CH\nc,AT\n",
		}, []string{"cities.country -> countries.code"}},
		{"a value that is not there", map[string]string{
			"machines.csv": "serial_no,maker\nM-1,a\nM-2,b\n", "repairs.csv": "repair,serial_no\n1,M-1\n2,M-9\n3,M-1\n",
		}, nil},
		{"names that say nothing", map[string]string{
			"a.csv": "id,x\n1,p\n2,q\n", "b.csv": "u,id\n5,1\n6,2\n7,2\n",
		}, nil},
		{"two columns of one table", map[string]string{
			"teams.csv": "team_code,town\nA,x\nB,y\n", "games.csv": "game,home_team,away_team\n1,A,B\n2,B,A\n3,A,B\n",
		}, []string{"games.home_team -> teams.team_code", "games.away_team -> teams.team_code"}},
		{"two tables that could be meant", map[string]string{
			"old.csv": "serial_no,maker\nM-1,a\nM-2,b\n", "new.csv": "serial_no,maker\nM-1,a\nM-2,b\n", "repairs.csv": "repair,serial_no\n1,M-1\n2,M-2\n3,M-1\n",
		}, nil},
		{"a schema that declares a key alone", map[string]string{
			"machines.csv": "serial_no,maker\nM-1,a\nM-2,b\n", "repairs.csv": "repair,serial_no\n1,M-1\n2,M-1\n",
			"schema.sql": "CREATE TABLE repairs (repair INTEGER PRIMARY KEY, serial_no VARCHAR(9));",
		}, []string{"repairs.serial_no -> machines.serial_no"}},
		{"a schema that declares references", map[string]string{
			"machines.csv": "serial_no,maker\nM-1,a\nM-2,b\n", "repairs.csv": "repair,serial_no,hall\n1,M-1,1\n2,M-1,2\n", "halls.csv": "hall,area\n1,7\n2,8\n",
			"schema.sql": "CREATE TABLE halls (hall INTEGER PRIMARY KEY); CREATE TABLE repairs (repair INTEGER, serial_no VARCHAR(9), hall INTEGER REFERENCES halls (hall));",
		}, []string{"repairs.hall -> halls.hall"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			report, err := ingest.CSV(t.Context(), s, "own", folder(t, c.files), ingest.Options{})
			require.NoError(t, err)
			var found []string
			guessed := 0
			for _, table := range tables(t, s) {
				for _, fk := range table.ForeignKeys {
					found = append(found, fmt.Sprintf("%s.%s -> %s.%s", table.Name.Table, fk.Columns[0], fk.RefTable.Table, fk.RefColumns[0]))
					if fk.Found != nil {
						guessed++
					}
					to := tables(t, s)[fk.RefTable.Table]
					require.Equal(t, fk.RefColumns, to.PrimaryKey())
				}
			}
			require.Equal(t, c.want, found)
			told := 0
			for _, p := range report.Problems {
				if strings.Contains(p.Message, "is taken to point to") {
					told++
				}
			}
			require.Equal(t, guessed, told, "what was guessed is told")
		})
	}
}
