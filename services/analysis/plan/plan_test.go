package plan_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// layer understands the words that it has, wherever they stand, as text to SQL does.
type layer struct {
	kinds   map[string]string // word: kind
	metrics []plan.Metric
	adds    map[string]plan.Adds // by the metric's name
	first   string               // word that is read before all others
	times   map[string]string    // what words of time stand for
}

func (l *layer) Parse(_ context.Context, text string) (plan.Parsed, error) {
	var out plan.Parsed
	rest := text
	if l.first != "" && strings.Contains(rest, l.first) {
		out.Spans = append(out.Spans, plan.Span{Text: l.first, Kind: l.kinds[l.first]})
		rest = strings.ReplaceAll(rest, l.first, " ")
	}
	for word, days := range l.times {
		if strings.Contains(rest, word) {
			first, last, _ := strings.Cut(days, " to ")
			span := plan.Span{Text: word, Kind: "time"}
			span.Days.First, _ = time.Parse(time.DateOnly, first)
			span.Days.Last, _ = time.Parse(time.DateOnly, last)
			out.Spans = append(out.Spans, span)
			rest = strings.ReplaceAll(rest, word, " ")
		}
	}
	for word, kind := range l.kinds {
		if strings.Contains(rest, word) {
			out.Spans = append(out.Spans, plan.Span{Text: word, Kind: kind})
			rest = strings.ReplaceAll(rest, word, " ")
		}
	}
	out.NotUnderstood = strings.Fields(rest)
	return out, nil
}

func (l *layer) Metrics(context.Context) ([]plan.Metric, error) { return l.metrics, nil }

func (l *layer) Adds(_ context.Context, question string) (plan.Adds, string, error) {
	for name, adds := range l.adds {
		if strings.Contains(question, name) {
			return adds, name, nil
		}
	}
	return "", "", nil
}

func (l *layer) Writes(_ context.Context, question string) (bool, error) {
	return !slices.ContainsFunc([]string{"per country only", "weather", "clouds"}, func(w string) bool { return strings.Contains(question, w) }), nil
}

func newLayer() *layer {
	return &layer{
		kinds: map[string]string{
			"visits": "metric", "fees": "metric", "by clinic": "dimension", "Oslo": "value", "就诊量": "metric", "各科室": "dimension", "奥斯陆": "value", "clinics": "dimension", "wards": "column", "费用": "metric", "Bergen": "value",
		},
		metrics: []plan.Metric{{Name: "share of no-shows", Mart: "care"}, {Name: "visits", Mart: "care"}, {Name: "fees", Mart: "care", Unit: "NOK"}, {Name: "per country only", Mart: "care", Unit: "NOK"}, {Name: "beds", Mart: "house"}},
		times: map[string]string{
			"in January": "2026-01-01 to 2026-01-31", "一月份": "2026-01-01 to 2026-01-31", "in 2025": "2025-01-01 to 2025-12-31", "in 2030": "2030-01-01 to 2030-12-31",
			"on Mondays": "weekday 1",
		},
		adds: map[string]plan.Adds{"share of no-shows": plan.AddsRatio, "visits": plan.AddsUp, "fees": plan.AddsUp, "per country only": plan.AddsUp, "beds": plan.AddsLevel},
	}
}

// TestNextWeekIsThatOfTheCalendar: a forecast for it reaches to its Sunday, one for the next
// month to that month's last day.
func TestNextWeekIsThatOfTheCalendar(t *testing.T) {
	t.Parallel()
	rules, err := plan.NewRules()
	require.NoError(t, err)
	for today, want := range map[string][2]int{
		"2026-11-24": {13, 38}, // a Tuesday: to 6 December, to 31 December
		"2026-11-23": {14, 39},
		"2026-11-29": {8, 33}, // a Sunday
		"2026-12-31": {11, 32},
		"2026-01-31": {9, 29},
	} {
		now, err := time.Parse(time.DateOnly, today)
		require.NoError(t, err)
		for i, questions := range [][2]string{{"forecast visits next week", "预测下周的就诊量"}, {"forecast visits for next month", "预测下个月的就诊量"}} {
			for _, q := range questions {
				req, err := rules.Read(t.Context(), newLayer(), q, nil, now, lang.Detect(q))
				require.NoError(t, err)
				require.Equal(t, want[i], req.Horizon, "%s on %s", q, today)
				require.Empty(t, req.Unanswered, q)
			}
		}
	}
}

// TestRequests: what each kind of request becomes, under several todays.
func TestRequests(t *testing.T) {
	t.Parallel()
	rules, err := plan.NewRules()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		question string
		feedback []string
		kind     string
		steps    []string // instructions but the report's
		lacks    []string
		left     []string // parts that are not answered
		assumed  int
	}{
		"compared, with reasons and a report": {
			question: "Compare visits of this month and last by clinic, find what drives the change, and write a report", kind: "compare_periods",
			steps: []string{
				"visits, this month compared with last month", "visits by clinic, this month compared with last month",
				"visits by day, this month", "Why did visits change this month compared with last month?",
			},
		},
		"the same in Chinese": {
			question: "比较本月和上月各科室的就诊量，找出变化的原因，写一份报告", kind: "compare_periods",
			steps: []string{"本月与上月的就诊量对比", "本月与上月就诊量按科室对比", "本月每天的就诊量", "为什么本月的就诊量比上月变化？"},
		},
		"weeks before": {
			question: "Compare visits in Oslo of last week and the week before and explain why", kind: "compare_periods",
			steps: []string{
				"visits in Oslo, last week compared with the week before last", "visits in Oslo by day, last week",
				"Why did visits in Oslo change last week compared with the week before last?",
			},
		},
		"two months of the calendar": {
			question: "Compare visits of February 2026 and January by clinic", kind: "compare_periods",
			steps: []string{
				"visits, from 2026-02-01 to 2026-02-28 compared with 2026-01-01 to 2026-01-31", "visits by clinic, from 2026-02-01 to 2026-02-28 compared with 2026-01-01 to 2026-01-31",
				"visits by day, from 2026-02-01 to 2026-02-28", "Why did visits change from 2026-02-01 to 2026-02-28 compared with 2026-01-01 to 2026-01-31?",
			},
		},
		"the same months in Chinese, the earlier one first": {
			question: "比较2025年12月和2026年1月各科室的就诊量", kind: "compare_periods",
			steps: []string{"2026年1月1日至2026年1月31日与2025年12月1日至2025年12月31日的就诊量对比", "2026年1月1日至2026年1月31日与2025年12月1日至2025年12月31日就诊量按科室对比", "2026年1月1日至2026年1月31日每天的就诊量", "为什么2026年1月1日至2026年1月31日的就诊量比2025年12月1日至2025年12月31日变化？"},
		},
		"one month of the calendar, beside the one before": {
			question: "比较2026年2月各科室的就诊量，找出变化的原因，写一份报告", kind: "compare_periods",
			steps: []string{
				"2026年2月1日至2026年2月28日与2026年1月1日至2026年1月31日的就诊量对比", "2026年2月1日至2026年2月28日与2026年1月1日至2026年1月31日就诊量按科室对比",
				"2026年2月1日至2026年2月28日每天的就诊量", "为什么2026年2月1日至2026年2月28日的就诊量比2026年1月1日至2026年1月31日变化？",
			},
		},
		"two ranges of days": {
			question: "Compare visits from 2026-03-09 to 2026-03-15 with 2026-03-02 to 2026-03-08, report the drivers", kind: "compare_periods",
			steps: []string{
				"visits, from 2026-03-09 to 2026-03-15 compared with 2026-03-02 to 2026-03-08", "visits by day, from 2026-03-09 to 2026-03-15",
				"Why did visits change from 2026-03-09 to 2026-03-15 compared with 2026-03-02 to 2026-03-08?",
			}, left: []string{"report"},
		},
		"no period is said": {
			question: "compare visits by clinic", kind: "compare_periods", assumed: 1,
			steps: []string{
				"visits, this month compared with last month", "visits by clinic, this month compared with last month", "visits by day, this month",
				"Why did visits change this month compared with last month?",
			},
		},
		"before and after a day": {
			question: "visits before and after 2026-01-10", kind: "before_after",
			steps: []string{
				"visits, from 2026-01-10 to 2026-01-16 compared with 2026-01-03 to 2026-01-09", "visits by day, from 2026-01-10 to 2026-01-16",
				"Why did visits change from 2026-01-10 to 2026-01-16 compared with 2026-01-03 to 2026-01-09?",
			},
		},
		"before and after a day that is not said": {question: "visits before and after the move", kind: "before_after", lacks: []string{"date"}, left: []string{"move"}},
		"top and bottom": {
			question: "top and bottom 3 clinics by visits last month and the reasons", kind: "top_bottom",
			steps: []string{
				"top 3 clinics by visits last month", "bottom 3 clinics by visits last month", "visits by clinics, last month compared with the month before last",
				"Why did visits change last month compared with the month before last?",
			},
		},
		"a review names its figures by itself": {
			question: "Write a weekly business review by clinic", kind: "review", assumed: 2,
			steps: []string{
				"fees, last week compared with the week before last", "visits, last week compared with the week before last",
				"share of no-shows, last week compared with the week before last",
				"fees by clinic, last week compared with the week before last", "visits by clinic, last week compared with the week before last",
				"share of no-shows by clinic, last week compared with the week before last", "Why did fees change last week compared with the week before last?",
			},
		},
		"what is not understood is told": {question: "compare visits this month and last for purple elephants", kind: "compare_periods", left: []string{"purple", "elephants"}},
		"what Python would do is told":   {question: "compare visits this month and last, then forecast next month", kind: "compare_periods", left: []string{"a forecast"}},
		"no figure":                      {question: "compare by clinic this month and last", kind: "compare_periods", lacks: []string{"metric"}},
		"one question":                   {question: "visits by clinic last week as a report", kind: "single", steps: []string{"visits by clinic last week"}},
		"one question over a column":     {question: "how many wards are there, as a report", kind: "single", steps: []string{"how many wards are there"}},
		"columns are compared where no layer has a figure": {question: "compare number of wards of this month and last by colour and say why", kind: "compare_periods", left: []string{"what accounts for the change"}, steps: []string{
			"number of wards, this month compared with last month", "number of wards by colour, this month compared with last month", "number of wards by day, this month",
		}},
		"columns are compared in Chinese": {question: "比较本月和上月各颜色的wards数量", kind: "compare_periods", steps: []string{"本月与上月的wards数量对比", "本月与上月wards数量按颜色对比", "本月每天的wards数量"}},
		"columns are ranked": {question: "top and bottom 2 colours by wards last month and the reasons", kind: "top_bottom", left: []string{"what accounts for the change"}, steps: []string{
			"top 2 colours by wards last month", "bottom 2 colours by wards last month", "wards by colours, last month compared with the month before last",
		}},
		"columns are ranked in Chinese": {question: "显示上月wards最高和最低的2个颜色", kind: "top_bottom", steps: []string{"上月wards最高的2个颜色", "上月wards最低的2个颜色", "上月与上上个月wards按颜色对比"}},
		"a review of columns":           {question: "写一份wards的月报，按颜色", kind: "review", assumed: 1, steps: []string{"上月与上上个月的wards对比", "上月与上上个月wards按颜色对比"}},
		"a grouping said of columns": {question: "compare wards this month and last", feedback: []string{"by colour"}, kind: "compare_periods", steps: []string{
			"wards, this month compared with last month", "wards by colour, this month compared with last month", "wards by day, this month",
		}},
		"columns that cannot be compared": {question: "compare wards under clouds this month and last", kind: "compare_periods", lacks: []string{"metric"}, left: []string{"under", "clouds"}},
		"words on a plan win over it":     {question: "compare visits by clinic this month and last", feedback: []string{"only in Oslo, last week and the week before"}, kind: "compare_periods", steps: []string{"visits in Oslo, last week compared with the week before last", "visits in Oslo by clinic, last week compared with the week before last", "visits in Oslo by day, last week", "Why did visits in Oslo change last week compared with the week before last?"}, left: []string{"only"}},
		"filters in Chinese":              {question: "比较上周和上上周奥斯陆的就诊量", kind: "compare_periods", steps: []string{"上周与上上周奥斯陆的就诊量对比", "上周奥斯陆每天的就诊量", "为什么上周奥斯陆的就诊量比上上周变化？"}},
		"quality of a table": {question: "data quality check of wards", kind: "quality", steps: []string{
			"Rows, keys and duplicates of wards", "Missing values by column of wards", "Ranges of the numbers of wards", "Impossible dates of wards",
			"How fresh the rows of wards are", "Values outside the usual set of wards",
		}},
		"quality in Chinese":            {question: "wards的数据质量", kind: "quality", steps: []string{"wards的行数、键与重复", "wards各列的缺失值", "wards各数值列的范围", "wards中不可能的日期", "wards的数据新鲜度", "wards中不常见的取值"}},
		"quality of nothing":            {question: "run a data quality check", kind: "quality", lacks: []string{"rest"}},
		"cohorts":                       {question: "cohort retention of wards by member, weekly", kind: "cohort", steps: []string{"Cohorts and retention of wards by member weekly"}},
		"cohorts in Chinese":            {question: "wards按会员的留存分析", kind: "cohort", steps: []string{"wards按会员的同期群与留存"}},
		"a funnel":                      {question: "conversion funnel of wards and where it leaks", kind: "funnel", steps: []string{"Funnel of wards"}},
		"a funnel in Chinese":           {question: "wards的漏斗，哪一步流失最多", kind: "funnel", steps: []string{"wards的漏斗"}},
		"a sweep over all figures":      {question: "anomaly sweep over the KPIs", kind: "anomalies", assumed: 1, steps: []string{"fees by day, last 90 days", "visits by day, last 90 days", "share of no-shows by day, last 90 days", "Unusual days and shifts of level in these series"}},
		"a sweep over one, and how far": {question: "any anomalies in visits over the last 6 weeks", kind: "anomalies", steps: []string{"visits by day, last 42 days", "Unusual days and shifts of level in these series"}},
		"a sweep in Chinese":            {question: "检测过去60天就诊量的异常", kind: "anomalies", steps: []string{"过去60天每天的就诊量", "这些序列中的异常日与水平变化"}},
		"a forecast":                    {question: "forecast visits in Oslo for the next 3 weeks", kind: "forecast", steps: []string{"visits in Oslo by day, last 180 days", "Forecast of the next 21 days of visits in Oslo"}},
		"a forecast in Chinese":         {question: "预测未来7天的就诊量", kind: "forecast", steps: []string{"过去180天每天的就诊量", "就诊量未来7天的预测"}},
		"a forecast over a column":      {question: "forecast wards", kind: "forecast", assumed: 1, steps: []string{"wards by day, last 180 days", "Forecast of the next 14 days of wards"}},
		"a sweep of a period": {question: "any anomalies in visits in January", kind: "anomalies", steps: []string{
			"visits by day, from 2025-11-06 to 2026-01-31", "Unusual days and shifts of level in these series from 2026-01-01 to 2026-01-31",
		}},
		"a sweep of a period in Chinese": {question: "一月份就诊量有没有异常", kind: "anomalies", steps: []string{
			"2025年11月6日至2026年1月31日每天的就诊量", "这些序列中的异常日与水平变化（2026年1月1日至2026年1月31日）",
		}},
		"a long period says itself what is usual": {question: "any anomalies in visits in 2025", kind: "anomalies", steps: []string{
			"visits by day, from 2025-01-01 to 2025-12-31", "Unusual days and shifts of level in these series from 2025-01-01 to 2025-12-31",
		}},
		"anything unusual":                  {question: "is anything unusual in visits in Oslo over the last 30 days?", kind: "anomalies", steps: []string{"visits in Oslo by day, last 30 days", "Unusual days and shifts of level in these series"}},
		"any unusual days":                  {question: "were there any unusual days in visits in January?", kind: "anomalies"},
		"a sweep of days to come":           {question: "any anomalies in visits in 2030", kind: "anomalies", left: []string{"in 2030"}},
		"a forecast of the past":            {question: "forecast visits in 2025 for the next 7 days", kind: "forecast", left: []string{"in 2025"}},
		"a forecast as far as is bounded":   {question: "forecast visits in 2030", kind: "forecast", steps: []string{"visits by day, last 180 days", "Forecast of the next 90 days of visits"}},
		"a time that is no days is told":    {question: "forecast visits on Mondays for the next 7 days", kind: "forecast", left: []string{"on Mondays"}},
		"a forecast in words":               {question: "forecast visits for the next two weeks", kind: "forecast", steps: []string{"visits by day, last 180 days", "Forecast of the next 14 days of visits"}},
		"a forecast in words in Chinese":    {question: "预测未来两周的就诊量", kind: "forecast", steps: []string{"过去180天每天的就诊量", "就诊量未来14天的预测"}},
		"the next days are as many as ever": {question: "forecast visits for the coming days", kind: "forecast", assumed: 1},
		"a forecast of nothing":             {question: "forecast the weather", kind: "forecast", lacks: []string{"metric"}, left: []string{"weather"}},
		"segments by figures":               {question: "cluster clinics by visits and fees", kind: "segments", assumed: 1, steps: []string{"visits and fees by clinics, last 90 days", "Segments of the rows of the step before that are alike"}},
		"segments by figures in Chinese":    {question: "把各科室按就诊量和费用分群", kind: "segments", assumed: 1, steps: []string{"过去90天各科室的就诊量和费用", "前一步各行中相似者组成的分群"}},
		"segments over columns":             {question: "segment owners by number of wards", kind: "segments", steps: []string{"number of wards by owners", "Segments of the rows of the step before that are alike"}},
		"a segment of the data that fell":   {question: "why did visits of the premium segment drop by 10 percent last month", kind: "explain", assumed: 1, left: []string{"premium", "clusters or segments"}},
		"what is received relates nothing":  {question: "上月各受理渠道的就诊量报告", kind: "single"},
		"segments of nothing":               {question: "cluster the clouds", kind: "segments", lacks: []string{"rows"}, left: []string{"clouds"}},
		"segments beside another act":       {question: "compare visits this month and last, and cluster the clinics", kind: "compare_periods", left: []string{"clusters or segments"}},
		"a segment is a word of the data":   {question: "visits by clinic of the premium segment last week as a report", kind: "single", left: []string{"clusters or segments"}},
		"two figures related":               {question: "Is visits related to fees over the last 60 days?", kind: "relation", steps: []string{"visits and fees by day, last 60 days", "Whether visits and fees go together or differ by more than chance"}},
		"two figures related in Chinese":    {question: "就诊量和费用有关系吗", kind: "relation", assumed: 1, steps: []string{"过去90天每天的就诊量和费用", "检验就诊量和费用之间的关系或差异是否超出偶然"}},
		"a figure that depends on a group":  {question: "does visits depend on clinics", kind: "relation", assumed: 1, steps: []string{"visits by clinics and day, last 90 days", "Whether visits and clinics go together or differ by more than chance"}},
		"a difference of two groups":        {question: "is the difference in visits between Oslo and Bergen real?", kind: "relation", assumed: 1, steps: []string{"visits by day in Oslo, last 90 days", "visits by day in Bergen, last 90 days", "Whether visits of Oslo and Bergen go together or differ by more than chance"}},
		"columns related":                   {question: "is size of wards correlated with age of wards", kind: "relation", steps: []string{"list size of wards and age of wards", "Whether size of wards and age of wards go together or differ by more than chance"}},
		"a relation to nothing":             {question: "is the weather related to the clouds", kind: "relation", lacks: []string{"rows"}, left: []string{"weather", "clouds"}},
		"reversed periods mean the newest":  {question: "compare visits of last month with this month", kind: "compare_periods", steps: []string{"visits, this month compared with last month", "visits by day, this month", "Why did visits change this month compared with last month?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, today := range []time.Time{time.Date(2026, 3, 31, 23, 0, 0, 0, time.UTC), time.Date(2028, 2, 29, 1, 0, 0, 0, time.UTC)} {
				l := lang.Detect(c.question)
				req, err := rules.Read(t.Context(), newLayer(), c.question, c.feedback, today, l)
				require.NoError(t, err)
				require.Equal(t, c.kind, req.Kind)
				require.Equal(t, c.lacks, req.Lacks)
				var left []string
				for _, p := range req.Unanswered {
					require.NotEmpty(t, p.Reason)
					left = append(left, p.Text)
				}
				require.ElementsMatch(t, c.left, left)
				if len(c.lacks) > 0 {
					continue
				}
				p := rules.Make(req, l)
				require.Empty(t, plan.Check(p), "%v", p)
				require.Len(t, p.Assumptions, c.assumed)
				var instructions []string
				for _, s := range p.Steps[:len(p.Steps)-1] {
					instructions = append(instructions, s.Instruction)
				}
				if c.steps != nil {
					require.Equal(t, c.steps, instructions)
				}
			}
		})
	}
}

func TestAnEventThatIsNotOverHasTheDaysThatAre(t *testing.T) {
	t.Parallel()
	rules, err := plan.NewRules()
	require.NoError(t, err)
	read := func(today string) plan.Request {
		now, err := time.Parse(time.DateOnly, today)
		require.NoError(t, err)
		req, err := rules.Read(t.Context(), newLayer(), "visits before and after 2026-02-27", nil, now, lang.English)
		require.NoError(t, err)
		return req
	}
	require.Equal(t, "from 2026-02-27 to 2026-02-28", read("2026-03-01").Periods.After)
	require.Equal(t, "from 2026-02-25 to 2026-02-26", read("2026-03-01").Periods.Before)
	require.Equal(t, []string{"date"}, read("2026-02-27").Lacks, "a day that is not over has no after")
	require.Equal(t, "from 2026-02-27 to 2026-03-05", read("2026-12-01").Periods.After)
}

func TestWordsThatSayNoChangeAreUnheard(t *testing.T) {
	t.Parallel()
	rules, err := plan.NewRules()
	require.NoError(t, err)
	for words, unheard := range map[string]bool{"sing a song": true, "by clinic": false, "last week and the week before": false} {
		req, err := rules.Read(t.Context(), newLayer(), "compare visits this month and last", []string{words}, time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC), lang.English)
		require.NoError(t, err)
		require.Equal(t, unheard, req.Unheard, words)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	report := func(inputs ...string) plan.Step {
		return plan.Step{ID: "report", Kind: plan.Report, Instruction: "write", Inputs: inputs}
	}
	sql := func(id string, inputs ...string) plan.Step {
		return plan.Step{ID: id, Kind: plan.SQL, Instruction: "visits", Inputs: inputs}
	}
	many := make([]plan.Step, plan.MaxSteps+1)
	for name, c := range map[string]struct {
		steps []plan.Step
		want  []plan.ProblemKind
	}{
		"whole":               {[]plan.Step{sql("a"), sql("b", "a"), report("b")}, nil},
		"none":                {nil, []plan.ProblemKind{plan.NoSteps}},
		"too many":            {many, []plan.ProblemKind{plan.TooManySteps}},
		"unknown step":        {[]plan.Step{sql("a", "x"), report("a")}, []plan.ProblemKind{plan.UnknownStep}},
		"later step":          {[]plan.Step{sql("a", "b"), sql("b"), report("a", "b")}, []plan.ProblemKind{plan.Cycle}},
		"itself":              {[]plan.Step{sql("a", "a"), report("a")}, []plan.ProblemKind{plan.Cycle}},
		"unused":              {[]plan.Step{sql("a"), sql("b"), report("b")}, []plan.ProblemKind{plan.UnusedStep}},
		"missing input":       {[]plan.Step{sql("a"), {ID: "p", Kind: plan.Python, Instruction: "forecast"}, report("a", "p")}, []plan.ProblemKind{plan.MissingInput}},
		"no report":           {[]plan.Step{sql("a")}, []plan.ProblemKind{plan.ReportPlace}},
		"report in between":   {[]plan.Step{sql("a"), report("a"), sql("b", "report")}, []plan.ProblemKind{plan.ReportPlace, plan.ReportPlace}},
		"twice":               {[]plan.Step{sql("a"), sql("a"), report("a")}, []plan.ProblemKind{plan.BadID}},
		"of no kind":          {[]plan.Step{{ID: "a", Kind: "shell", Instruction: "rm"}, report("a")}, []plan.ProblemKind{plan.UnknownKind}},
		"computes of nothing": {[]plan.Step{sql("a"), {ID: "f", Kind: plan.Forecast, Instruction: "forecast"}, report("a", "f")}, []plan.ProblemKind{plan.MissingInput}},
		"forecasts of two":    {[]plan.Step{sql("a"), sql("b"), {ID: "f", Kind: plan.Forecast, Instruction: "forecast", Inputs: []string{"a", "b"}}, report("f")}, []plan.ProblemKind{plan.MissingInput}},
		"too far":             {[]plan.Step{sql("a"), {ID: "f", Kind: plan.Forecast, Instruction: "forecast", Inputs: []string{"a"}, Days: plan.MaxDays + 1}, report("f")}, []plan.ProblemKind{plan.BadDays}},
		"looks at nothing":    {[]plan.Step{{ID: "a", Kind: plan.Study, Instruction: "wards", Study: "colours"}, report("a")}, []plan.ProblemKind{plan.UnknownStudy}},
		"says nothing":        {[]plan.Step{{ID: "a", Kind: plan.SQL}, report("a")}, []plan.ProblemKind{plan.NoInstruction}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found []plan.ProblemKind
			for _, p := range plan.Check(plan.Plan{Steps: c.steps}) {
				require.NotEmpty(t, p.Text)
				found = append(found, p.Kind)
			}
			require.Equal(t, c.want, found)
		})
	}
}

func TestRepairMendsWhatNeedsNoGuess(t *testing.T) {
	t.Parallel()
	rules, err := plan.NewRules()
	require.NoError(t, err)
	broken := plan.Plan{Steps: []plan.Step{
		{ID: "a", Kind: plan.SQL, Instruction: "visits", Inputs: []string{"x"}}, {ID: "b", Kind: plan.SQL, Instruction: "visits", Inputs: []string{"a", "a"}},
	}}
	require.NotEmpty(t, plan.Check(broken))
	require.Empty(t, plan.Check(plan.Repair(broken, rules.ReportStep(lang.English))))
	lost := plan.Plan{Steps: []plan.Step{{ID: "a", Kind: "shell", Instruction: "rm"}}}
	require.NotEmpty(t, plan.Check(plan.Repair(lost, rules.ReportStep(lang.English))), "what a step should do is not guessed")
}

// TestAParticleIsNoPartOfAWord: what is left of a reading with the particle may be gone in
// one without it.
func TestAParticleIsNoPartOfAWord(t *testing.T) {
	t.Parallel()
	rules, err := plan.NewRules()
	require.NoError(t, err)
	l := newLayer()
	l.kinds = map[string]string{"目的": "value", "各类目": "dimension", "就诊量": "metric"}
	l.first = "目的"
	req, err := rules.Read(t.Context(), l, "比较本月和上月各类目的就诊量", nil, time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC), lang.Chinese)
	require.NoError(t, err)
	require.Equal(t, "类目", req.Dimension)
	require.Empty(t, req.Filters)
	require.Empty(t, req.Unanswered)
}
