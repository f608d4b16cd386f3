package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

func TestPersonalColumnsGiveNoSamples(t *testing.T) {
	t.Parallel()
	personal := []string{"email", "customerEmail", "E-Mail", "phone_number", "Phone1", "mobileNo", "ID Card", "passportNumber", "user_password", "客户手机号", "身份证号码", "nickname"}
	open := []string{"city", "first_name", "hotel", "product", "tokens", "mailing", "card_type", "城市", "telescope"}
	names := append(append([]string{}, personal...), open...)
	values := strings.TrimSuffix(strings.Repeat("value,", len(names)), ",")
	s := newStore(t)
	_, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"t.csv": strings.Join(names, ",") + "\n" + values + "\n"}), ingest.Options{Personal: []string{"nickname"}})
	require.NoError(t, err)
	for i, c := range tables(t, s)["t"].Columns {
		if i < len(personal) {
			require.Empty(t, c.Samples, c.Name)
		} else {
			require.Equal(t, []string{"value"}, c.Samples, c.Name)
		}
	}
}

func TestSampleBounds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("few,many,long\n")
	for i := range 200 {
		fmt.Fprintf(&b, "f%d,m%d,%s\n", i%3, i%150, strings.Repeat("x", 70+i%20))
	}
	s := newStore(t)
	dir := folder(t, map[string]string{"t.csv": b.String()})
	_, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{MaxSamples: 100})
	require.NoError(t, err)
	columns := tables(t, s)["t"].Columns
	require.Equal(t, []string{"f0", "f1", "f2"}, columns[0].Samples)
	require.Equal(t, int64(150), columns[1].Distinct)
	require.Len(t, columns[1].Samples, 50, "too many distinct values: the frequent ones only")
	require.Equal(t, "m0", columns[1].Samples[0])
	require.Len(t, columns[2].Samples, 11, "values of more than 80 characters are no samples")

	_, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{MaxSourceSamples: 5})
	require.NoError(t, err)
	total := 0
	for _, c := range tables(t, s)["t"].Columns {
		total += len(c.Samples)
	}
	require.Equal(t, 5, total)
}

// Whole numbers that are 0 and 1 and nothing else are kept as a no and a yes; others are
// numbers, of which no values are kept.
func TestFlagsAsNumbers(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dir := folder(t, map[string]string{"t.csv": "towed,half,single,shoes,share\n0,,1,1,0.0\n1,1,1,2,1.0\n0,0,1,1,0.5\n"})
	_, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	want := map[string][]string{"towed": {"0", "1"}, "half": {"0", "1"}}
	for _, c := range tables(t, s)["t"].Columns {
		require.NotEqual(t, "varchar", c.Type, c.Name)
		require.Equal(t, want[c.Name], c.Samples, c.Name)
	}
	_, err = ingest.CSV(t.Context(), s, "silent", dir, ingest.Options{NoSamples: true})
	require.NoError(t, err)
}

// TestWhatPeopleSaidOfColumns: values of a column that somebody said to hold no data of
// persons are kept, whatever its name and its values look like, and of no other; what people
// said and cannot be read ends the ingest, as their columns would not be kept to.
func TestWhatPeopleSaidOfColumns(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	text := "email,phone,contact\n"
	for i := range 30 {
		text += fmt.Sprintf("a%[1]d@x.org,+47 22 33 44 %[1]d,ann%[1]d@x.org\n", 10+i)
	}
	dir := folder(t, map[string]string{"t.csv": text, "u.csv": "email\nc@x.org\nd@x.org\n"})
	ingested := func() error {
		_, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
		return err
	}
	samples := func(table, column string) []string {
		c, ok := tableColumn(tables(t, s)[table], column)
		require.True(t, ok)
		require.Equal(t, len(c.Samples) == 0, c.Personal != nil, "%s.%s", table, column)
		return c.Samples
	}
	require.NoError(t, ingested())
	for _, column := range []string{"email", "phone", "contact"} {
		require.Empty(t, samples("t", column), column)
	}
	path := s.CorrectionsPath("own")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("not_personal:\n  - {table: t, column: email}\n  - {table: t, column: contact}\n"), 0o600))
	require.NoError(t, ingested())
	require.Len(t, samples("t", "email"), 30)
	require.Len(t, samples("t", "contact"), 30)
	require.Empty(t, samples("t", "phone"))
	require.Empty(t, samples("u", "email"))
	require.NoError(t, os.WriteFile(path, []byte("not_personal: [\n"), 0o600))
	require.Equal(t, "CORRECTIONS_INVALID", fault.ReasonOf(ingested()))
}

// TestTextsLikeNumbersAreToldAtTheIngest: where a file brings its own types, a text that
// looks like amounts is told when it is read and kept in the catalog, whether or not
// values are kept.
func TestTextsLikeNumbersAreToldAtTheIngest(t *testing.T) {
	t.Parallel()
	for _, options := range []ingest.Options{{}, {NoSamples: true}, {MaxSourceSamples: 1}} {
		s := newStore(t)
		dir := t.TempDir()
		script(t, dir, fmt.Sprintf("COPY (SELECT 'c' || x AS city, 'A' || x AS code, '$' || x || '.50' AS price FROM range(30) r(x)) TO '%s/t.parquet'", dir))
		report, err := ingest.Parquet(t.Context(), s, "own", filepath.Join(dir, "t.parquet"), options)
		require.NoError(t, err)
		require.Equal(t, []string{`text_like 0:0 column "price" looks like a number and stays text, as it is declared or typed there`}, told(report))
		for _, c := range tables(t, s)["t"].Columns {
			require.Equal(t, map[string]string{"price": catalog.ResemblesNumber}[c.Name], c.Resembles, c.Name)
			require.True(t, !options.NoSamples || c.Samples == nil, "none are kept")
		}
	}
}

// TestWordsForNoValueOfDeclaredColumnsAreTold: what brings its own types keeps its texts, and
// those that say that there is none are counted, also where no values are kept. Words that
// may be values, and columns without such, are not spoken of.
func TestWordsForNoValueOfDeclaredColumnsAreTold(t *testing.T) {
	t.Parallel()
	const want = `note 0:0 column "%s" holds “N/A” (2), “#REF!” (1): words for no value stay values, as they are stored there; write NULL in their place, and ingest again, if they are none`
	query := "SELECT x AS id, CASE WHEN x < 3 THEN ' N/A' WHEN x = 3 THEN '#REF!' ELSE 'c' || x END AS city, CASE WHEN x < 3 THEN 'N/A' WHEN x = 3 THEN '#REF!' ELSE 'u' || x || '@example.com' END AS email, 'unknown' AS note FROM range(1, 30) r(x)"
	dir := t.TempDir()
	path := script(t, dir, "CREATE TABLE t AS "+query, fmt.Sprintf("COPY (%s) TO '%s/t.parquet'", query, dir))
	dump := "CREATE TABLE t (id integer, city text, email text, note text);\nINSERT INTO t VALUES (1, ' N/A', 'N/A', 'unknown'), (2, 'N/A', 'N/A', 'unknown'), (3, '#REF!', '#REF!', 'unknown'), (4, 'Bern', 'u4@example.com', 'unknown');\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "t.sql"), []byte(dump), 0o600))
	for _, options := range []ingest.Options{{}, {NoSamples: true}} {
		for name, do := range map[string]func(*source.Store) (ingest.Report, error){
			"duckdb": func(s *source.Store) (ingest.Report, error) {
				return ingest.DuckDB(t.Context(), s, "own", path, options)
			},
			"parquet": func(s *source.Store) (ingest.Report, error) {
				return ingest.Parquet(t.Context(), s, "own", filepath.Join(dir, "t.parquet"), options)
			},
			"dump": func(s *source.Store) (ingest.Report, error) {
				return ingest.SQLDump(t.Context(), s, "own", filepath.Join(dir, "t.sql"), options)
			},
		} {
			s := newStore(t)
			report, err := do(s)
			require.NoError(t, err, name)
			require.Equal(t, []string{fmt.Sprintf(want, "city"), fmt.Sprintf(want, "email")}, told(report), name)
			require.Equal(t, []string{"3"}, rows(t, s, "SELECT count(*) FROM t WHERE trim(city) IN ('N/A', '#REF!')"), name)
		}
	}
}
