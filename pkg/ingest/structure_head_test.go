package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// topOf is the top of a file of these lines.
func topOf(lines ...string) head {
	var h head
	for i, line := range lines {
		var cells []cell
		for text := range strings.SplitSeq(line, ",") {
			cells = append(cells, cell{text: text})
		}
		h.records, h.lines = append(h.records, cells), append(h.lines, i+1)
	}
	return h
}

// TestLinesAboveTheNames: lines with hardly any values are titles, up to the first that has
// them; where there is none, or there are two columns only, nothing is a title.
func TestLinesAboveTheNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines []string
		want  int
	}{
		"none":                   {[]string{"a,b,c", "1,2,3"}, 0},
		"one":                    {[]string{"Report", "a,b,c", "1,2,3"}, 1},
		"two, one of them empty": {[]string{"Report", ",,", "a,b,c", "1,2,3"}, 2},
		"a third of the values":  {[]string{"Report,2024,,,,", "a,b,c,d,e,f", "1,2,3,4,5,6", "1,2,3,4,5,6"}, 1},
		"half, before names":     {[]string{"Report,2024,x,,,", "a,b,c,d,e,f", "1,2,3,4,5,6", "1,2,3,4,5,6"}, 1},
		"half, with a gap":       {[]string{"Report,2024,,x,,", "a,b,c,d,e,f", "1,2,3,4,5,6", "1,2,3,4,5,6"}, 0},
		"pairs before names":     {[]string{"Bank", "Account,DE1,,,", "From,1.1.,,,", "a,b,c,d,e", "1,2,3,4,5", "1,2,3,4,5"}, 3},
		"pairs and no names":     {[]string{"Account,DE1,,,", "From,1.1.,,,", "a,b,c,d,", "1,2,3,4,5", "1,2,3,4,5"}, 0},
		"more than half":         {[]string{"Report,2024,x,y,,", "a,b,c,d,e,f", "1,2,3,4,5,6", "1,2,3,4,5,6"}, 0},
		"one value in each line": {[]string{"x,,", "y,,", "z,,"}, 0},
		"one column":             {[]string{"x", "y", "z"}, 0},
		"two columns, one empty": {[]string{"x,", "1,2", "3,4"}, 0},
		"two columns, a title":   {[]string{"Report", "a,b", "3,4", "5,6"}, 1},
		"nothing":                {nil, 0},
	} {
		require.Equal(t, c.want, topOf(c.lines...).titles(), name)
	}
}

// TestLinesThatNameColumnsTogether: groups above names and units below them are one header,
// where the rows that follow tell what a name is; two rows have to follow at least.
func TestLinesThatNameColumnsTogether(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for name, c := range map[string]struct {
		lines []string
		first int
		want  int
	}{
		"groups":               {[]string{"shop,sales,", ",2023,x", "Oslo,1,2", "Rio,3,4"}, 0, 1},
		"groups above names":   {[]string{"shop,sales,", ",old,new", "Oslo,1,2", "Rio,3,4"}, 0, 2},
		"behind a title":       {[]string{"Report", "shop,sales,", ",old,new", "Oslo,1,2", "Rio,3,4"}, 1, 2},
		"units":                {[]string{"shop,weight,price", ",kg,EUR", "Oslo,1,2", "Rio,3,4"}, 0, 2},
		"units in brackets":    {[]string{"shop,weight,price", ",(t),[x]", "Oslo,1,2", "Rio,3,4"}, 0, 2},
		"one row only":         {[]string{"shop,sales,", ",old,new", "Oslo,1,2"}, 0, 1},
		"other widths":         {[]string{"shop,sales", ",old,new", "Oslo,1,2", "Rio,3,4"}, 0, 1},
		"names and texts":      {[]string{"shop,city,", ",old,new", "Oslo,a,b", "Rio,c,d"}, 0, 1},
		"a row, not a header":  {[]string{"shop,old,new", "Oslo,a,b", "Rio,3,4", "Bern,5,6"}, 0, 1},
		"nothing stands below": {[]string{"shop,sales,x", ",,", "Oslo,1,2", "Rio,3,4"}, 0, 1},
	} {
		require.Equal(t, c.want, topOf(c.lines...).headerRows(words, c.first), name)
	}
	require.Equal(t, []string{"shop", "sales old", "sales new", "kg"}, textsOf(joinedNames(topOf("shop,sales,,kg", ",old,new,KG").records)))
	require.Equal(t, []string{"a", "b"}, textsOf(joinedNames(topOf("a,b").records)))
}

func textsOf(cells []cell) (texts []string) {
	for _, c := range cells {
		texts = append(texts, c.text)
	}
	return texts
}

// TestWhatMakesATotalSure: that it lacks a value which nine rows of ten have, but for numbers
// with a fraction, of which a total may have none.
func TestWhatMakesATotalSure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind kind
		seen int64 // of ten rows
		line string
		want bool
	}{
		"a text":             {kindVarchar, 10, "Total,", true},
		"of a shorter line":  {kindVarchar, 10, "Total", true},
		"of blanks":          {kindVarchar, 10, "Total, ", true},
		"of nine rows":       {kindDate, 9, "Total,", true},
		"of eight rows":      {kindDate, 8, "Total,", false},
		"a count":            {kindBigint, 10, "Total,", true},
		"an amount":          {kindDouble, 10, "Total,", false},
		"an amount in cents": {kindDecimal, 10, "Total,", false},
		"nothing is missing": {kindVarchar, 10, "Total,5", false},
	} {
		name1, other := newColumn("name", nil), newColumn("other", nil)
		name1.seen, other.seen, other.typ.kind = 10, c.seen, c.kind
		f := &csvFile{columns: []*column{name1, other}, totals: []totalLine{{cells: topOf(c.line).records[0]}}}
		f.judgeTotals(10)
		require.Equal(t, c.want, f.totals[0].sure, name)
	}
}

// TestWordsForYes are one in every case, and all else of a flag is no.
func TestWordsForYes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1": true, "t": true, "T": true, "y": true, "Y": true, "yes": true, "Yes": true, "true": true, "TRUE": true,
		"0": false, "f": false, "F": false, "n": false, "N": false, "no": false, "false": false, "False": false,
	} {
		got, err := dataType{kind: kindBoolean}.value(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	_, err := dataType{kind: kindBoolean}.value("perhaps")
	require.ErrorContains(t, err, `"perhaps" is neither true nor false`)
}

// TestWhichLinesMayBeTotals: those that name a sum and have numbers only beside it, in tables
// of two columns or more.
func TestWhichLinesMayBeTotals(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	for name, c := range map[string]struct {
		columns int
		line    string
		keep    bool
		want    bool
	}{
		"a total":               {2, "Total,5", false, true},
		"behind a blank":        {3, ",Total,5", false, true},
		"with no value":         {3, "Total,5,n/a", false, true},
		"of one column":         {1, "Total,5", false, false},
		"of no number":          {2, "Total,", false, false},
		"with a text":           {3, "Total,5,x", false, false},
		"named behind a number": {2, "5,Total", false, false},
		"that a person keeps":   {2, "Total,5", true, false},
	} {
		f := &csvFile{options: &Options{KeepTotals: c.keep}, words: words, columns: make([]*column, c.columns)}
		require.Equal(t, c.want, f.isTotal(topOf(c.line).records[0]), name)
	}
}

// TestPiecesOfOneValue: what delimiters cut up is one value, but where quotes say that the
// pieces are several.
func TestPiecesOfOneValue(t *testing.T) {
	t.Parallel()
	f := &csvFile{delimiter: ';'}
	got, plain := f.merged([]cell{{text: "a"}, {text: "b"}})
	require.True(t, plain)
	require.Equal(t, "a;b", got.text)
	_, plain = f.merged([]cell{{text: "a"}, {text: "b", quoted: true}})
	require.False(t, plain)
}

// TestRowsThatNameNoSumAreNotReadForOne: every row is asked whether it is a total, so that its
// numbers are read only where a sum is named and a value is missing.
func TestRowsThatNameNoSumAreNotReadForOne(t *testing.T) {
	f := &csvFile{options: &Options{}, words: written.NewWords(), columns: make([]*column, 4)}
	for _, line := range []string{"ann 17,web,2025-03-04,1234.50", "ann 17,,2025-03-04,about 1234.50"} {
		cells := topOf(line).records[0]
		require.Zero(t, testing.AllocsPerRun(10, func() { require.False(t, f.isSum(cells)) }), line)
	}
	for line, want := range map[string]bool{
		"2025-03-04,Total,,17": true, ",sum,2025-03-04,about 1234.50": true, "ann 17,total,,7": true,
		"2025-03-04,Total,x,17": false, "2025-03-04,Total,,x": false, "2025-03-04,Totality,,17": false, "Total,,,": false,
		"Total,17": true, "2025-03-04,Total": false,
	} {
		require.Equal(t, want, f.isSum(topOf(line).records[0]), line)
	}
}
