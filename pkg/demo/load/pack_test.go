package load

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// texts are values; "∅" stands for NULL.
func texts(values ...string) []sql.NullString {
	out := make([]sql.NullString, len(values))
	for i, v := range values {
		out[i] = sql.NullString{String: v, Valid: v != "∅"}
	}
	return out
}

func TestPack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		typ    string
		values []string
		value  string
		codes  []int64
		width  int
	}{
		"one value":         {"varchar", []string{"it's", "it's"}, "CAST('it''s' AS varchar)", []int64{0, 0}, 0},
		"no value":          {"bigint", []string{"∅", "∅"}, "CAST(NULL AS bigint)", []int64{0, 0}, 0},
		"words":             {"varchar", []string{"b", "", "∅", "b"}, "CAST(element_at(split('b|', '|'), n + 1) AS varchar)", []int64{0, 1, 2, 0}, 1},
		"another separator": {"varchar", []string{"a|b", "100%"}, "CAST(element_at(split('a|b~100%', '~'), n + 1) AS varchar)", []int64{0, 1}, 1},
		"flags":             {"boolean", []string{"true", "false"}, "CAST(element_at(split('true|false', '|'), n + 1) AS boolean)", []int64{0, 1}, 1},
		"numbers":           {"bigint", []string{"1000001", "1000003", "∅"}, "CAST(nullif(n, 3) + 1000001 AS bigint)", []int64{0, 2, 3}, 1},
		"negative":          {"integer", []string{"-5", "5"}, "CAST(n + -5 AS integer)", []int64{0, 10}, 1},
		"decimals":          {"decimal(18,2)", []string{"10.05", "-0.07"}, "CAST(CAST(n + -7 AS decimal(18,0)) * DECIMAL '0.01' AS decimal(18,2))", []int64{1012, 0}, 2},
		"days":              {"date", []string{"2026-03-01", "2026-02-28"}, "date_add('day', n, DATE '2026-02-28')", []int64{1, 0}, 1},
		"seconds":           {"timestamp(6)", []string{"2026-03-01 00:00:01", "2026-03-01 00:00:00"}, "CAST(date_add('second', n, TIMESTAMP '2026-03-01 00:00:00') AS timestamp(6))", []int64{1, 0}, 1},
		"parts of a second": {"timestamp(6)", []string{"2026-03-01 00:00:01.5", "∅"}, "CAST(element_at(split('2026-03-01 00:00:01.5', '|'), n + 1) AS timestamp(6))", []int64{0, 1}, 1},
		"far apart":         {"bigint", []string{"-9223372036854775808", "9223372036854775807"}, "CAST(element_at(split('-9223372036854775808|9223372036854775807', '|'), n + 1) AS bigint)", []int64{0, 1}, 1},
		"doubles":           {"double", []string{"0.1", "2.5"}, "CAST(element_at(split('0.1|2.5', '|'), n + 1) AS double)", []int64{0, 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := pack(catalog.Column{Name: "c", Type: tc.typ}, texts(tc.values...))
			require.NoError(t, err)
			require.Equal(t, tc.value, f.sql("n"))
			require.Equal(t, tc.codes, f.codes)
			require.Equal(t, tc.width, f.width)
		})
	}
	_, err := pack(catalog.Column{Name: "c", Type: "varchar"}, texts("|", "~", "^", "\x1f"))
	require.ErrorContains(t, err, "column c")
}

func TestInsertion(t *testing.T) {
	t.Parallel()
	columns := []catalog.Column{{Name: "id", Type: "bigint"}, {Name: "city", Type: "varchar"}, {Name: "cc", Type: "varchar"}}
	text, err := insertion(catalog.Name{Region: "memory", Schema: "s", Table: "t"}, columns,
		[][]sql.NullString{texts("100000", "100040"), texts("Bern", "100%"), texts("CH", "CH")})
	require.NoError(t, err)
	require.Equal(t, `INSERT INTO "memory"."s"."t" SELECT CAST(from_base(substr(r, 1, 2), 36) + 100000 AS bigint), `+
		`CAST(element_at(split('Bern|100%', '|'), from_base(substr(r, 3, 1), 36) + 1) AS varchar), CAST('CH' AS varchar) FROM UNNEST(split('000 141', ' ')) AS t (r)`, text)
}
