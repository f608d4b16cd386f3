package answer

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPrint(t *testing.T) {
	t.Parallel()
	inputs, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(input)
			require.NoError(t, err)
			var a routerv1.Answer
			require.NoError(t, protojson.Unmarshal(text, &a))
			var got bytes.Buffer
			Print(&got, &a, Options{Width: 100, MaxRows: 5, Verbose: true})
			path := input[:len(input)-len(".json")] + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err, "run with -update to make it")
			require.Equal(t, string(want), got.String())
		})
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]*structpb.Value{
		"NULL":                 structpb.NewNullValue(),
		"12":                   structpb.NewNumberValue(12),
		"0.1":                  structpb.NewNumberValue(0.1),
		"1234567.89":           structpb.NewNumberValue(1234567.8900000001),
		"0.0001235":            structpb.NewNumberValue(0.00012349999),
		"123456789012345678.9": structpb.NewStringValue("123456789012345678.9"),
		"true":                 structpb.NewBoolValue(true),
		"[1,2]":                structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewNumberValue(1), structpb.NewNumberValue(2)}}),
	} {
		require.Equal(t, want, Text(v))
	}
}

// TestRowsLeftOutAreCounted: those of the result that are not printed, whether the
// page has them or not.
func TestRowsLeftOutAreCounted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		inPage   int
		total    int64
		language commonv1.Language
		want     string
	}{
		"all are printed":       {5, 5, commonv1.Language_LANGUAGE_EN, ""},
		"one of the page":       {6, 6, commonv1.Language_LANGUAGE_EN, "… 1 more row\n"},
		"of the page":           {9, 9, commonv1.Language_LANGUAGE_EN, "… 4 more rows\n"},
		"of the page and later": {9, 1200, commonv1.Language_LANGUAGE_EN, "… 1195 more rows\n"},
		"of later pages":        {3, 1200, commonv1.Language_LANGUAGE_EN, "… 1197 more rows\n"},
		"one, in Chinese":       {6, 6, commonv1.Language_LANGUAGE_ZH, "… 还有 1 行\n"},
		"many, in Chinese":      {9, 1200, commonv1.Language_LANGUAGE_ZH, "… 还有 1195 行\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := &commonv1.ResultPage{TotalRows: tc.total, Columns: []*commonv1.ResultColumn{{Name: "n", Type: "bigint"}}}
			for i := range tc.inPage {
				page.Rows = append(page.Rows, &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewNumberValue(float64(i))}})
			}
			a := &routerv1.Answer{Language: tc.language, Text: "Here they are.", ToolCalls: []*routerv1.ToolCall{{
				Output: &routerv1.ToolCall_Execute{Execute: &chatbiv1.ExecuteResult{Page: page}}}}}
			var got bytes.Buffer
			Print(&got, a, Options{Width: 80, MaxRows: 5})
			if tc.want == "" {
				require.NotContains(t, got.String(), "…")
				return
			}
			require.Contains(t, got.String(), tc.want)
		})
	}
}

// TestTimesAtMidnightAreDays: only where all of a column are.
func TestTimesAtMidnightAreDays(t *testing.T) {
	t.Parallel()
	page := func(texts ...string) *commonv1.ResultPage {
		p := &commonv1.ResultPage{Columns: []*commonv1.ResultColumn{{Name: "week", Type: "timestamp(6)"}}}
		for _, text := range texts {
			p.Rows = append(p.Rows, &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewStringValue(text)}})
		}
		return p
	}
	days, _ := pageTable(page("2026-09-28 00:00:00.000000", "2026-10-05 00:00:00"), Options{Width: 80, MaxRows: 9})
	require.Contains(t, days, "2026-10-05\n")
	require.NotContains(t, days, "00:00")
	times, _ := pageTable(page("2026-09-28 00:00:00.000000", "2026-10-05 07:00:00.000000"), Options{Width: 80, MaxRows: 9})
	require.Contains(t, times, "2026-09-28 00:00:00.000000")
}

// TestLongLinesBreakAtWords for a person's terminal, and not for a pipe; code stays.
func TestLongLinesBreakAtWords(t *testing.T) {
	t.Parallel()
	a := &routerv1.Answer{
		Text:     "Orders of all the shops in the whole of the country came to 1,234.50 USD in total.\n```\nSELECT a_rather_long_name, another_long_name FROM somewhere_far_away\n```",
		Warnings: []*commonv1.Warning{{Message: "The data of the last two days are late and may still change until tomorrow evening."}},
	}
	print := func(wrap bool) string {
		var b strings.Builder
		Print(&b, a, Options{Width: 50, MaxRows: 5, Wrap: wrap})
		return b.String()
	}
	got := print(true)
	require.Contains(t, got, "Orders of all the shops in the whole of the\ncountry came to 1,234.50 USD in total.\n")
	require.Contains(t, got, "SELECT a_rather_long_name, another_long_name FROM somewhere_far_away\n")
	require.Contains(t, got, "  ! The data of the last two days are late and may\n    still change until tomorrow evening.\n")
	require.Contains(t, print(false), "came to 1,234.50 USD in total.\n```")
	require.Contains(t, print(false), "  ! The data of the last two days are late and may still change")
}

// TestChangeHasTheSQLOfEachNumber: an explanation of a change prints its cells and every
// statement that was run.
func TestChangeHasTheSQLOfEachNumber(t *testing.T) {
	t.Parallel()
	page := &commonv1.ResultPage{
		Columns: []*commonv1.ResultColumn{{Name: "where", Type: "varchar"}, {Name: "accounts for", Type: "double"}},
		Rows:    []*commonv1.ResultRow{{Values: []*structpb.Value{structpb.NewStringValue("hub: Rio"), structpb.NewNumberValue(-7)}}}, TotalRows: 1,
	}
	a := &routerv1.Answer{Text: "It fell.", ToolCalls: []*routerv1.ToolCall{{ToolName: "explain_change", Output: &routerv1.ToolCall_ExplainChange{
		ExplainChange: &chatbiv1.ExplainResult{
			Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: page,
			Runs: []*chatbiv1.ChangeRun{{ExecutedSql: "SELECT 1 AS cells"}, {ExecutedSql: "SELECT 2 AS course"}},
		},
	}}}}
	var all, statements strings.Builder
	Print(&all, a, Options{MaxRows: 10})
	for _, want := range []string{"It fell.", "hub: Rio", "SELECT 1 AS cells", "SELECT 2 AS course"} {
		require.Contains(t, all.String(), want)
	}
	PrintSQL(&statements, a)
	require.Equal(t, "SELECT 1 AS cells;\n\nSELECT 2 AS course", strings.TrimSpace(statements.String()))
}

// TestWhyTellsTheParagraph: the certificate comes in sentences, with a percentage only where
// a layer defines the figures; pages have the same.
func TestWhyTellsTheParagraph(t *testing.T) {
	t.Parallel()
	for _, metrics := range [][]string{nil, {"GMV: value of all orders"}} {
		a := &routerv1.Answer{RunId: "run_1", ToolCalls: []*routerv1.ToolCall{{Output: &routerv1.ToolCall_Execute{Execute: &chatbiv1.ExecuteResult{
			Certificate: &commonv1.Certificate{Confidence: 0.93, Metrics: metrics, Paragraph: "The answer has 7 rows."},
		}}}}}
		var why, whole bytes.Buffer
		PrintWhy(&why, a, Options{Width: 80})
		Print(&whole, a, Options{Width: 80})
		require.Contains(t, why.String(), "The answer has 7 rows.")
		c := Document(a, "q", time.Time{}).Sections[0].Certificate
		require.Equal(t, "The answer has 7 rows.", c.Paragraph)
		for _, text := range []string{why.String(), whole.String()} {
			if metrics == nil {
				require.NotContains(t, text, "93 %")
			} else {
				require.Contains(t, text, "confidence 93 %")
			}
		}
	}
}

// TestPercentAndMonthsStandAsPeopleReadThem: the table says what the sentence says.
func TestPercentAndMonthsStandAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	row := func(month string, rate float64) *commonv1.ResultRow {
		return &commonv1.ResultRow{Values: []*structpb.Value{structpb.NewStringValue(month), structpb.NewNumberValue(rate)}}
	}
	a := &routerv1.Answer{ToolCalls: []*routerv1.ToolCall{{Output: &routerv1.ToolCall_Execute{Execute: &chatbiv1.ExecuteResult{Page: &commonv1.ResultPage{
		Columns: []*commonv1.ResultColumn{{Name: "month", Type: "timestamp(3)", Period: "month"}, {Name: "paid", Type: "double", Unit: "%"}},
		Rows:    []*commonv1.ResultRow{row("2026-01-01 00:00:00.000", 0.9374), row("2026-02-01 00:00:00.000", 1)},
	}}}}}}
	var out bytes.Buffer
	Print(&out, a, Options{Width: 80, MaxRows: 10})
	require.Contains(t, out.String(), "2026-01   93.74%")
	require.Contains(t, out.String(), "2026-02  100.00%")
}
