package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// typed are the type that plain values get, and the values as it has them.
func typed(t *testing.T, declared *ddl.Column, values ...string) (kept, shown, message string) {
	t.Helper()
	c := newColumn("c", declared)
	for _, v := range values {
		c.observe(v)
	}
	message = c.settle()
	var list []string
	for _, v := range values {
		value, err := c.typ.value(v)
		require.NoError(t, err, "%q as %s", v, c.typ.presto())
		s := fmt.Sprint(value)
		if d, ok := value.(fmt.Stringer); ok {
			s = d.String()
		}
		list = append(list, strings.TrimSuffix(s, " +0000 UTC"))
	}
	return c.typ.presto(), strings.Join(list, " | "), message
}

// TestTypesOfPlainValues: the narrowest type that keeps every value as it is written.
func TestTypesOfPlainValues(t *testing.T) {
	t.Parallel()
	for values, want := range map[string][2]string{
		"":                            {"varchar", ""},
		"1 -7 0":                      {"bigint", "1 | -7 | 0"},
		"9223372036854775807":         {"bigint", "9223372036854775807"},
		"9223372036854775808":         {"decimal(38,0)", "9223372036854775808"},
		"3.0 4":                       {"double", "3 | 4"},
		"1.5 -.25 2.":                 {"double", "1.5 | -0.25 | 2"},
		"1e3 2.5E-1 7":                {"double", "1000 | 0.25 | 7"},
		"1e400":                       {"varchar", "1e400"},
		"123456789012.345":            {"double", "1.23456789012345e+11"},
		"1234567890123.456":           {"decimal(38,3)", "1234567890123.456"},
		"0.1234567890123456":          {"decimal(38,16)", "0.1234567890123456"},
		"007 1":                       {"varchar", "007 | 1"},
		"+49 1":                       {"varchar", "+49 | 1"},
		"1.2.3":                       {"varchar", "1.2.3"},
		"- 1":                         {"varchar", "- | 1"},
		"1e":                          {"varchar", "1e"},
		"0 1":                         {"bigint", "0 | 1"},
		"true FALSE":                  {"boolean", "true | false"},
		"true 1":                      {"varchar", "true | 1"},
		"yes no":                      {"varchar", "yes | no"},
		"2024-01-02 2024/3/4":         {"date", "2024-01-02 00:00:00 | 2024-03-04 00:00:00"},
		"2024-01-02T03:04:05Z":        {"timestamp(6)", "2024-01-02 03:04:05"},
		"2024-01-02 2024-01-02T03:04": {"timestamp(6)", "2024-01-02 00:00:00 | 2024-01-02 03:04:00"},
		"2024-01-02T00:00:00 2024-01-03T00:00:00": {"timestamp(6)", "2024-01-02 00:00:00 | 2024-01-03 00:00:00"},
		"2024-01-02T03:04:05+00:00":               {"timestamp(6)", "2024-01-02 03:04:05"},
		"2024-01-02T03:04:05+02:00":               {"varchar", "2024-01-02T03:04:05+02:00"},
		"2024-02-30":                              {"varchar", "2024-02-30"},
		"20240102":                                {"bigint", "20240102"},
		"2024-01-02 x":                            {"varchar", "2024-01-02 | x"},
		strings.Repeat("9", 38):                   {"decimal(38,0)", strings.Repeat("9", 38)},
		strings.Repeat("9", 39):                   {"varchar", strings.Repeat("9", 39)},
		strings.Repeat("1", 65):                   {"varchar", strings.Repeat("1", 65)},
	} {
		kept, shown, message := typed(t, nil, strings.Fields(values)...)
		require.Equal(t, want, [2]string{kept, shown}, values)
		require.Empty(t, message)
	}
}

// TestTypesOfDeclaredValues: the declared type where all values fit, else one that keeps them
// and is told; numbers of declared kinds are as wide as they have to be.
func TestTypesOfDeclaredValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ declared, values, kept, shown string }{
		{"int", "1 2.0", "integer", "1 | 2"},
		{"int", "2147483647 -2147483648", "integer", "2147483647 | -2147483648"},
		{"int", "2147483648", "bigint", "2147483648"},
		{"int", "-2147483649", "bigint", "-2147483649"},
		{"bigint", "5 6.00", "bigint", "5 | 6"},
		{"hugeint", "5 6.5", "double", "5 | 6.5"},
		{"hugeint", "12345678901234567890", "decimal(38,0)", "12345678901234567890"},
		{"boolean", "t F 1 0 yes No true", "boolean", "true | false | true | false | true | false | true"},
		{"double", "1 2e3", "double", "1 | 2000"},
		{"numeric", "1 2", "bigint", "1 | 2"},
		{"numeric", "1.5 2", "double", "1.5 | 2"},
		{"date", "2024-01-02 2024-01-03T00:00:00", "date", "2024-01-02 00:00:00 | 2024-01-03 00:00:00"},
		{"timestamp", "2024-01-02 2024-01-03T04:05", "timestamp(6)", "2024-01-02 00:00:00 | 2024-01-03 04:05:00"},
		{"text", "1 2", "varchar", "1 | 2"},
		{"geometry", "1 2", "varchar", "1 | 2"},
		{"integer array", "1 2", "varchar", "1 | 2"},
	} {
		kept, shown, message := typed(t, &ddl.Column{Name: "c", Type: c.declared}, strings.Fields(c.values)...)
		require.Equal(t, [2]string{c.kept, c.shown}, [2]string{kept, shown}, c)
		require.Empty(t, message, c)
	}
	for _, c := range []struct{ declared, values, kept string }{
		{"int", "1 2.5", "double"}, {"int", "1 x", "varchar"}, {"bigint", "9223372036854775808", "decimal(38,0)"}, {"boolean", "true 2", "varchar"}, {"date", "2024-01-02 2024-01-03T04:05", "timestamp(6)"}, {"timestamp", "soon", "varchar"}, {"double", "x", "varchar"}, {"numeric", "1 x", "varchar"},
	} {
		kept, _, message := typed(t, &ddl.Column{Name: "c", Type: c.declared}, strings.Fields(c.values)...)
		require.Equal(t, c.kept, kept, c)
		require.Equal(t, fmt.Sprintf("column %q is declared as %s, but its values are kept as %s because not all of them fit", "c", c.declared, c.kept), message)
	}
	kept, shown, message := typed(t, &ddl.Column{Name: "c", Type: "int"})
	require.Equal(t, []string{"integer", "", ""}, []string{kept, shown, message}, "of no values the declaration counts")
}

// TestWhatTextsResemble: texts that all are amounts, or all days in an order of their own;
// digits alone are codes, and days in the order of time are none that mislead.
func TestWhatTextsResemble(t *testing.T) {
	t.Parallel()
	b := &builder{words: written.NewWords()}
	for values, want := range map[string]string{
		"": "", "Oslo|Bergen": "", "1.5|2": "number", "1,200|3": "number", "$5|$6": "number", "1|2": "", "1.5|x": "",
		"03/04/2024|31/12/2024": "date", "2024-01-02|2024-01-03": "", "2024-01-02|03/04/2024": "date", "03/04/2024|x": "",
	} {
		var samples []string
		if values != "" {
			samples = strings.Split(values, "|")
		}
		require.Equal(t, want, b.resemblance(samples), values)
	}
}
