package answer

import (
	"regexp"
	"strings"
	"time"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// kindWords are what a person calls the kinds of understood words.
func kindWords(language commonv1.Language) map[string]string {
	if language == commonv1.Language_LANGUAGE_ZH {
		return map[string]string{
			"metric": "指标", "dimension": "维度", "value": "取值", "table": "数据表", "column": "字段", "time": "时间", "number": "数字",
			"operator": "比较", "aggregate": "计算", "order": "排序", "filter": "条件", "condition": "条件", "comparison": "对比", "entity": "对象",
		}
	}
	return map[string]string{"operator": "comparison", "aggregate": "calculation", "entity": "what is counted", "dimension": "split"}
}

// meaningWords turn the beginnings of meanings into Chinese.
func meaningWords() [][2]string {
	return [][2]string{
		{"by day", "按天"}, {"by week", "按周"}, {"by month", "按月"}, {"by quarter", "按季度"}, {"by year", "按年"}, {"by hour", "按小时"}, {"by ", "按 "},
		{"number of ", "数量："}, {"what is counted", "计数对象"}, {"not country ", "国家不是 "}, {"all countries", "所有国家"}, {"country ", "国家 "},
		{"limit ", "前 "}, {"against the ", "相比之前的 "}, {"against ", "相比 "}, {"exclusion ", "排除 "},
	}
}

// days are a period as the reader of questions writes it: the second day is the first
// one after it.
var days = regexp.MustCompile(`(\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)`)

// understood says what words of a question were taken for, as people say it: the kind
// once, and a period by its first and last day, as the notes of the answer do.
func understood(s *text2sqlv1.UnderstoodSpan, language commonv1.Language) string {
	kind := kindWords(language)[s.GetKind()]
	if kind == "" {
		kind = s.GetKind()
	}
	meaning := strings.TrimPrefix(s.GetMeaning(), s.GetKind()+" ")
	between := " to "
	if language == commonv1.Language_LANGUAGE_ZH {
		between = " 至 "
		for _, w := range meaningWords() {
			if rest, ok := strings.CutPrefix(meaning, w[0]); ok {
				meaning = w[1] + rest
				break
			}
		}
	}
	meaning = days.ReplaceAllStringFunc(meaning, func(period string) string {
		m := days.FindStringSubmatch(period)
		end, err := time.Parse(time.DateOnly, m[2])
		if err != nil {
			return period
		}
		if last := end.AddDate(0, 0, -1).Format(time.DateOnly); last != m[1] {
			return m[1] + between + last
		}
		return m[1]
	})
	return kind + " " + meaning
}
