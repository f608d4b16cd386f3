// Package explain says in words what a LogQL query does, in English or Chinese.
package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/logql"
)

// Query returns a sentence on what a query does. With a step it is computed again and
// again, that far apart; 0: once.
func Query(e logql.Expr, step time.Duration, l lang.Language) string {
	s := speaker{l}
	out := lang.Capital(s.expr(e))
	if step > 0 {
		out += fmt.Sprintf(l.Pick(", computed every %s", "，每 %s 计算一次"), logql.FormatDuration(step))
	}
	return out + l.Pick(".", "。")
}

type speaker struct{ lang.Language }

func (s speaker) expr(e logql.Expr) string {
	switch e := e.(type) {
	case *logql.LogExpr:
		return s.Pick("the lines", "日志行：") + s.log(e)
	case *logql.RangeAgg:
		return s.rangeAgg(e)
	case *logql.VectorAgg:
		return s.vectorAgg(e)
	case *logql.Binary:
		return s.binary(e)
	case *logql.Number:
		return strconv.FormatFloat(e.Value, 'f', -1, 64)
	case *logql.VectorFunc:
		return s.Pick("the number ", "数值 ") + strconv.FormatFloat(e.Value, 'f', -1, 64)
	case *logql.LabelReplace:
		return fmt.Sprintf(s.Pick("%s, with the label %s written from %s", "%s，标签 %s 由 %s 改写"), s.expr(e.Inner), e.Dst, e.Source)
	}
	return logql.Print(e)
}

func (s speaker) list(items []string, last string) string {
	if s.Language == lang.Chinese {
		return strings.Join(items, "、")
	}
	if len(items) > 1 {
		return strings.Join(items[:len(items)-1], ", ") + " " + last + " " + items[len(items)-1]
	}
	return strings.Join(items, "")
}

func (s speaker) log(e *logql.LogExpr) string {
	var streams []string
	for _, m := range e.Matchers {
		word := map[logql.MatchOp]string{
			logql.Equal: s.Pick("%s is %s", "%s 为 %s"), logql.NotEqual: s.Pick("%s is not %s", "%s 不为 %s"),
			logql.Match: s.Pick("%s matches %s", "%s 匹配 %s"), logql.NotMatch: s.Pick("%s does not match %s", "%s 不匹配 %s"),
		}[m.Op]
		streams = append(streams, fmt.Sprintf(word, m.Label, m.Value))
	}
	out := s.Pick(" of streams where ", "来自 ") + s.list(streams, "and") + s.Pick("", " 的日志流")
	for _, stage := range e.Stages {
		if text := s.stage(stage); text != "" {
			out += s.Pick(", ", "，") + text
		}
	}
	return out
}

func (s speaker) stage(stage logql.Stage) string {
	switch st := stage.(type) {
	case *logql.LineFilter:
		var values []string
		for _, v := range st.Values {
			values = append(values, strconv.Quote(v.Text))
		}
		word := map[logql.FilterOp]string{
			logql.Contains: s.Pick("with %s in them", "包含 %s"), logql.ContainsNot: s.Pick("without %s", "不包含 %s"),
			logql.LineMatches: s.Pick("that match %s", "匹配 %s"), logql.LineMatchesNot: s.Pick("that do not match %s", "不匹配 %s"),
			logql.HasPattern: s.Pick("of the form %s", "形如 %s"), logql.HasPatternNot: s.Pick("not of the form %s", "不形如 %s"),
		}[st.Op]
		return fmt.Sprintf(word, s.list(values, "or"))
	case *logql.Parser:
		return fmt.Sprintf(s.Pick("read by %s", "按 %s 解析"), st.Kind+parserArgument(st))
	case *logql.LabelFilter:
		return s.Pick("where ", "其中 ") + s.cond(st.Cond)
	case *logql.LineFormat:
		return s.Pick("written as ", "格式化为 ") + strconv.Quote(st.Template)
	case *logql.LabelFormat:
		return s.Pick("with labels rewritten", "改写标签")
	case *logql.Unwrap:
		return s.Pick("taking the number of ", "取数值 ") + st.Label
	case *logql.LabelList:
		var names []string
		for _, item := range st.Items {
			names = append(names, item.Label)
		}
		if st.Keep {
			return s.Pick("keeping the labels ", "保留标签 ") + s.list(names, "and")
		}
		return s.Pick("without the labels ", "去掉标签 ") + s.list(names, "and")
	case *logql.Decolorize:
		return s.Pick("without colours", "去除颜色")
	}
	return ""
}

func parserArgument(p *logql.Parser) string {
	if p.Kind != "regexp" {
		return ""
	}
	re, err := regexp.Compile(p.Pattern)
	if err != nil {
		return ""
	}
	var names []string
	for _, name := range re.SubexpNames() {
		if name != "" {
			names = append(names, name)
		}
	}
	return " (" + strings.Join(names, ", ") + ")"
}

func (s speaker) cond(c logql.Cond) string {
	switch c := c.(type) {
	case *logql.Both:
		return s.cond(c.Left) + map[string]string{"and": s.Pick(" and ", " 且 "), "or": s.Pick(" or ", " 或 ")}[c.Op] + s.cond(c.Right)
	case *logql.Compare:
		value := c.Raw
		switch c.Kind {
		case logql.TextValue, logql.IPValue:
			value = strconv.Quote(c.Text)
		case logql.NumberValue:
			value = strconv.FormatFloat(c.Number, 'f', -1, 64)
		}
		if c.Kind == logql.TextValue && c.Text == "" && c.Op == "!=" {
			return c.Label + s.Pick(" is there", " 存在")
		}
		return c.Label + " " + c.Op + " " + value
	}
	return ""
}

func (s speaker) rangeAgg(e *logql.RangeAgg) string {
	word := map[string]string{
		"count_over_time": s.Pick("the number of lines", "日志行数"), "rate": s.Pick("the lines per second", "每秒日志行数"),
		"bytes_over_time": s.Pick("the bytes of lines", "日志字节数"), "bytes_rate": s.Pick("the bytes per second", "每秒日志字节数"),
		"absent_over_time": s.Pick("whether there are no lines", "是否没有日志"),
		"sum_over_time":    s.Pick("the sum over lines", "总和"), "avg_over_time": s.Pick("the average over lines", "平均值"),
		"max_over_time": s.Pick("the greatest of lines", "最大值"), "min_over_time": s.Pick("the least of lines", "最小值"),
		"first_over_time": s.Pick("the first of lines", "最早值"), "last_over_time": s.Pick("the last of lines", "最新值"),
		"stddev_over_time": s.Pick("the standard deviation over lines", "标准差"), "stdvar_over_time": s.Pick("the variance over lines", "方差"),
		"rate_counter": s.Pick("the rise per second over lines", "每秒增量"),
	}[e.Op]
	if e.Param != nil {
		word = fmt.Sprintf(s.Pick("the quantile %s over lines", "%s 分位数"), strconv.FormatFloat(*e.Param, 'f', -1, 64))
	}
	out := word + s.Pick("", "：") + s.log(e.Log) + s.Pick(", over ", "，时间范围 ") + logql.FormatDuration(e.Range)
	if e.Offset > 0 {
		out += s.Pick(" up to ", "，截至 ") + logql.FormatDuration(e.Offset) + s.Pick(" ago", " 前")
	}
	return out + s.by(e.By)
}

func (s speaker) by(g *logql.Grouping) string {
	switch {
	case g == nil || len(g.Labels) == 0:
		return ""
	case g.Without:
		return s.Pick(", for each set of labels but ", "，按除以下标签外分组：") + s.list(g.Labels, "and")
	}
	return s.Pick(", for each ", "，按 ") + s.list(g.Labels, "and") + s.Pick("", " 分组")
}

func (s speaker) vectorAgg(e *logql.VectorAgg) string {
	inner := s.expr(e.Inner)
	n := ""
	if e.Param != nil {
		n = strconv.FormatFloat(*e.Param, 'f', -1, 64)
	}
	switch e.Op {
	case "sum":
		if _, direct := e.Inner.(*logql.RangeAgg); direct {
			return inner + s.by(e.By)
		}
		return s.Pick("the sum of ", "求和：") + inner + s.by(e.By)
	case "topk", "approx_topk":
		return fmt.Sprintf(s.Pick("the %s highest of ", "最高的 %s 个："), n) + inner + s.by(e.By)
	case "bottomk":
		return fmt.Sprintf(s.Pick("the %s lowest of ", "最低的 %s 个："), n) + inner + s.by(e.By)
	case "count":
		return s.Pick("how many results there are of ", "结果个数：") + inner + s.by(e.By)
	case "sort":
		return inner + s.Pick(", the lowest first", "，由低到高")
	case "sort_desc":
		return inner + s.Pick(", the highest first", "，由高到低")
	}
	word := map[string]string{"avg": s.Pick("the average of ", "平均："), "max": s.Pick("the greatest of ", "最大："), "min": s.Pick("the least of ", "最小："),
		"stddev": s.Pick("the standard deviation of ", "标准差："), "stdvar": s.Pick("the variance of ", "方差：")}[e.Op]
	return word + inner + s.by(e.By)
}

func (s speaker) binary(e *logql.Binary) string {
	word := map[string]string{
		">": s.Pick("that is above", "大于"), ">=": s.Pick("that is at least", "不小于"), "<": s.Pick("that is below", "小于"), "<=": s.Pick("that is at most", "不大于"),
		"==": s.Pick("that is", "等于"), "!=": s.Pick("that is not", "不等于"), "+": s.Pick("plus", "加"), "-": s.Pick("minus", "减"), "*": s.Pick("times", "乘以"),
		"/": s.Pick("divided by", "除以"), "%": s.Pick("modulo", "取模"), "^": s.Pick("to the power of", "的幂"),
		"and": s.Pick("where there is also", "且同时有"), "or": s.Pick("or else", "或者"), "unless": s.Pick("where there is not", "且没有"),
	}[e.Op]
	return s.expr(e.Left) + " " + word + " " + s.expr(e.Right)
}
