package logql_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/logql"
)

// withoutPositions returns a copy of a tree with every position set to 0.
func withoutPositions(e logql.Expr) logql.Expr {
	return copyWithout(reflect.ValueOf(e)).Interface().(logql.Expr)
}

func copyWithout(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(copyWithout(v.Elem()))
		return out
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(copyWithout(v.Elem()))
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			if v.Type().Field(i).Type != reflect.TypeFor[logql.Pos]() && v.Type().Field(i).Name != "Raw" {
				out.Field(i).Set(copyWithout(v.Field(i)))
			}
		}
		return out
	case reflect.Slice:
		if v.Len() == 0 {
			return reflect.Zero(v.Type())
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(copyWithout(v.Index(i)))
		}
		return out
	default:
		return v
	}
}

// corpus returns the lines of a file of testdata that say something.
func corpus(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			out = append(out, line)
		}
	}
	return out
}

func TestValidQueriesPrintToThemselves(t *testing.T) {
	t.Parallel()
	for _, query := range corpus(t, "valid.logql") {
		e, err := logql.Parse(query)
		require.NoError(t, err, query)
		require.Equal(t, query, logql.Print(e), "the corpus is in the canonical form")
		require.Empty(t, logql.Check(query, e), query)
	}
}

func TestOtherSpellingsPrintCanonically(t *testing.T) {
	t.Parallel()
	for _, pair := range corpus(t, "spellings.logql") {
		written, canonical, ok := strings.Cut(pair, " ==> ")
		require.True(t, ok, pair)
		e, err := logql.Parse(written)
		require.NoError(t, err, written)
		require.Equal(t, canonical, logql.Print(e))
	}
}

func TestFaultyQueriesSayWhere(t *testing.T) {
	t.Parallel()
	for _, pair := range corpus(t, "faulty.logql") {
		query, message, ok := strings.Cut(pair, " ==> ")
		require.True(t, ok, pair)
		e, err := logql.Parse(query)
		if err == nil {
			wrong := logql.Check(query, e)
			require.NotEmpty(t, wrong, query)
			err = wrong[0]
		}
		require.Equal(t, message, err.Error(), query)
	}
}

func TestNotSupportedIsNamed(t *testing.T) {
	t.Parallel()
	_, err := logql.Parse(`variants(count_over_time({app="a"}[1m])) of ({app="a"}[1m])`)
	var wrong *logql.Error
	require.True(t, errors.As(err, &wrong))
	require.Equal(t, "variants", wrong.NotSupported)
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		strings.Repeat("(", 5000), strings.Repeat("sum(", 5000), `{a="b"} | ` + strings.Repeat("(", 5000),
		"rate(" + strings.Repeat("(", 5000), strings.Repeat("1^", 5000) + "1",
	} {
		_, err := logql.Parse(query)
		require.ErrorContains(t, err, "nests deeper than 64")
	}
	_, err := logql.Parse(`{a="` + strings.Repeat("x", logql.MaxBytes) + `"}`)
	require.ErrorContains(t, err, "at most 65536")
}

func FuzzParsePrintParse(f *testing.F) {
	for _, name := range []string{"valid.logql", "spellings.logql", "faulty.logql"} {
		for _, query := range corpus(f, name) {
			f.Add(query)
		}
	}
	f.Fuzz(func(t *testing.T, query string) {
		e, err := logql.Parse(query)
		if err != nil {
			return
		}
		logql.Check(query, e)
		printed := logql.Print(e)
		again, err := logql.Parse(printed)
		require.NoError(t, err, "%s\n%s", query, printed)
		require.Equal(t, withoutPositions(e), withoutPositions(again), "%s\n%s", query, printed)
		require.Equal(t, printed, logql.Print(again))
	})
}
