package ingest_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestTextsThatAreDays: a text column becomes days, or times, where each of its values is
// one; the last value of many decides as the first does, and no value is lost.
func TestTextsThatAreDays(t *testing.T) {
	t.Parallel()
	const many = 3000
	for name, c := range map[string]struct {
		odd  string // a value among days
		typ  string
		want string // what becomes of it
	}{
		"all days":       {"2024-02-29", "date", "2024-02-29"},
		"a time":         {"2024-02-29T10:20:30Z", "timestamp(6)", "2024-02-29 10:20:30"},
		"a short time":   {"2024-02-29 10:20", "timestamp(6)", "2024-02-29 10:20:00"},
		"no such day":    {"2023-02-29", "varchar", "2023-02-29"},
		"another form":   {"29.02.2024", "varchar", "29.02.2024"},
		"ten characters": {"unknown...", "varchar", "unknown..."},
		"an empty text":  {"", "varchar", ""},
		"none":           {"NULL", "date", "∅"},
		"with blanks":    {" 2024-02-29", "varchar", " 2024-02-29"},
		"with an offset": {"2024-02-29T10:20:30+02:00", "varchar", "2024-02-29T10:20:30+02:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, at := range []int{0, 1000, many - 1} {
				value := "'" + c.odd + "'"
				if c.odd == "NULL" {
					value = c.odd
				}
				dir := t.TempDir()
				script(t, dir, fmt.Sprintf("COPY (SELECT x AS id, CASE WHEN x = %d THEN %s ELSE CAST(DATE '2020-01-01' + CAST(x AS INTEGER) AS VARCHAR) END AS day FROM range(%d) r(x)) TO '%s/t.parquet'", at, value, many, dir))
				s := newStore(t)
				_, err := ingest.Parquet(t.Context(), s, "own", filepath.Join(dir, "t.parquet"), ingest.Options{})
				require.NoError(t, err)
				got := tables(t, s)["t"]
				require.Equal(t, "id bigint, day "+c.typ, shape(got), at)
				require.EqualValues(t, many, got.RowCount)
				require.Equal(t, []string{c.want}, rows(t, s, fmt.Sprintf("SELECT CAST(day AS VARCHAR) FROM t WHERE id = %d", at)), at)
				next := "2020-01-02"
				if at == 1 {
					next = "2020-01-03"
				}
				if c.typ == "timestamp(6)" {
					next += " 00:00:00"
				}
				require.Equal(t, []string{next}, rows(t, s, "SELECT CAST(day AS VARCHAR) FROM t WHERE id = 1"))
			}
		})
	}
}
