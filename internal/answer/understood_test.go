package answer

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

func TestWhatWasUnderstoodIsSaidAsPeopleSayIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, meaning, en, zh string }{
		{"metric", "metric gmv", "metric gmv", "指标 gmv"},
		{"time", "2026-01-31 to 2026-03-01", "time 2026-01-31 to 2026-02-28", "时间 2026-01-31 至 2026-02-28"},
		{"time", "2026-12-31 to 2027-01-01", "time 2026-12-31", "时间 2026-12-31"},
		{"time", "against 2026-01-01 to 2026-02-01", "time against 2026-01-01 to 2026-01-31", "时间 相比 2026-01-01 至 2026-01-31"},
		{"time", "by day", "time by day", "时间 按天"},
		{"dimension", "by city", "split by city", "维度 按 city"},
		{"value", "country SG", "value country SG", "取值 国家 SG"},
		{"unheard of", "x", "unheard of x", "unheard of x"},
	} {
		span := &text2sqlv1.UnderstoodSpan{Kind: c.kind, Meaning: c.meaning}
		require.Equal(t, c.en, understood(span, commonv1.Language_LANGUAGE_EN))
		require.Equal(t, c.zh, understood(span, commonv1.Language_LANGUAGE_ZH))
	}
}

// TestTheFooterTellsWhatAModelCost: an answer without a model says nothing of it.
func TestTheFooterTellsWhatAModelCost(t *testing.T) {
	t.Parallel()
	footer := func(language commonv1.Language, usage *commonv1.Usage) string {
		var out bytes.Buffer
		Print(&out, &routerv1.Answer{Text: "a", RunId: "run_1", SessionId: "ses_1", Language: language, Usage: usage}, Options{Width: 80, MaxRows: 1})
		return out.String()
	}
	require.Contains(t, footer(commonv1.Language_LANGUAGE_EN, &commonv1.Usage{ModelCalls: 3, ModelTokens: 12345}), "run_1 · 3 model calls · 12,345 tokens · cost unknown (no llm.input_price and llm.output_price) · ses_1")
	require.Contains(t, footer(commonv1.Language_LANGUAGE_EN, &commonv1.Usage{ModelCalls: 1, ModelTokens: 999}), "run_1 · 1 model call · 999 tokens · cost unknown")
	require.Contains(t, footer(commonv1.Language_LANGUAGE_EN, &commonv1.Usage{ModelCalls: 1}), "run_1 · 1 model call · 0 tokens · ses_1", "a call that failed read and wrote nothing")
	for cost, want := range map[float64]string{0.0042: "0.0042 USD", 0.00042: "0.00042 USD", 0.5: "0.50 USD", 12.345: "12.35 USD", 0.00999: "0.0100 USD", 1e-12: "0.000000000 USD"} {
		require.Contains(t, footer(commonv1.Language_LANGUAGE_EN, &commonv1.Usage{ModelCalls: 1, ModelTokens: 9, ModelCost: cost, ModelCurrency: "USD"}), "9 tokens · "+want+" · ses_1")
	}
	require.Contains(t, footer(commonv1.Language_LANGUAGE_ZH, &commonv1.Usage{ModelCalls: 3, ModelTokens: 12345}), "调用模型 3 次 · 12,345 个 token · 费用未知（未配置 llm.input_price 与 llm.output_price）")
	require.Contains(t, footer(commonv1.Language_LANGUAGE_EN, &commonv1.Usage{}), "run_1 · ses_1")
}
