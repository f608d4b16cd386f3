package trino

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/source"
)

// TestPatternsAgainstExpressions: names and patterns by chance, against regular
// expressions.
func TestPatternsAgainstExpressions(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(3, 9)) //nolint:gosec // a test's own chance
	text := func(letters string, most int) string {
		var b strings.Builder
		for range draw.IntN(most) {
			b.WriteByte(letters[draw.IntN(len(letters))])
		}
		return b.String()
	}
	fits := 0
	for range 20_000 {
		pattern, name := text("abA**_", 7), text("aAb_", 7)
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		want := regexp.MustCompile("(?i)^" + strings.Join(parts, ".*") + "$").MatchString(name)
		require.Equal(t, want, fit(pattern, name), "%q %q", pattern, name)
		if want {
			fits++
		}
	}
	require.Greater(t, fits, 1000)
}

func TestSchemasOfAPlace(t *testing.T) {
	t.Parallel()
	all := []string{"sg_mart", "sg_ods", "sg_", "us_mart", "mart", "information_schema", "system", "pg_catalog", "sys", "SG_x"}
	for _, c := range []struct {
		prefix  string
		schemas []string
		want    []string
	}{
		{"", nil, []string{"sg_mart", "sg_ods", "sg_", "us_mart", "mart", "SG_x"}},
		{"sg_", nil, []string{"sg_mart", "sg_ods"}},
		{"sg_", []string{"mart"}, []string{"sg_mart"}},
		{"sg_", []string{"sg_o*"}, []string{"sg_ods"}},
		{"sg_", []string{"nothing", "ODS"}, []string{"sg_ods"}},
		{"", []string{"m*"}, []string{"mart"}},
		{"", []string{"information_schema"}, nil},
	} {
		require.Equal(t, c.want, place{prefix: c.prefix}.schemas(all, Options{Schemas: c.schemas}), "%+v", c)
	}
	for pattern, ok := range map[string]bool{"a": true, "a.b": true, "a.b.c": true, "*": true, "": false, "a.": false, ".a": false, "a..b": false, "a.b.c.d": false} {
		require.Equal(t, ok, checkPattern(pattern) == nil, pattern)
	}
	places, mapped := regionPlaces(map[string]source.TrinoPlace{"us": {Catalog: "hive", SchemaPrefix: "us_"}, "sg": {Catalog: "hive", SchemaPrefix: "sg_"}, "eu": {Catalog: "lake"}})
	require.Equal(t, []place{{region: "eu", catalog: "lake"}, {region: "sg", catalog: "hive", prefix: "sg_"}, {region: "us", catalog: "hive", prefix: "us_"}}, places)
	require.Equal(t, map[string]bool{"hive": true, "lake": true}, mapped)
}

// TestValuesOfASourceAreBounded: columns take values until the source's bound is reached.
func TestValuesOfASourceAreBounded(t *testing.T) {
	t.Parallel()
	b := &budget{values: 5}
	var got []int
	for _, n := range []int{2, 0, 2, 3, 1} {
		values := slices.Repeat([]string{"x"}, n)
		taken := b.take(values)
		require.Equal(t, len(taken), cap(taken))
		got = append(got, len(taken))
	}
	require.Equal(t, []int{2, 0, 2, 1, 0}, got)
	require.Empty(t, (&budget{values: -3}).take([]string{"x"}))
}

// TestWhatIsProse: a tenth of the values or more that are sentences make a column of
// texts, of which no samples are kept.
func TestWhatIsProse(t *testing.T) {
	t.Parallel()
	names := slices.Repeat([]string{"New York", "St. Gallen", "Rio"}, 3)
	for value, want := range map[string]bool{
		"It came late.": true, "Wo ist es?": true, "Late. Again": true, " padded": true, "padded ": true, "one two three four five six seven eight": true,
		"one two three four five six seven": false, "Yahoo!": false, "e.g.": false, "": false, "U.S.A.": false, "A.B": false,
	} {
		plain := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return strings.Contains(s, ". ") })
		require.Equal(t, want, prose(append(plain, value)), value)
		require.False(t, prose(append(slices.Repeat([]string{"Rio"}, 10), value)), "one of eleven")
		require.Equal(t, want, prose(append(slices.Repeat([]string{"Rio"}, 9), value)), "one of ten: %q", value)
	}
	require.False(t, prose(nil))
}
