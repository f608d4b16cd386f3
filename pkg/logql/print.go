package logql

import (
	"strconv"
	"strings"
)

// Print writes a tree in the canonical form: one line, double quotes where a string
// needs no escape and backticks where that is shorter to read.
func Print(e Expr) string {
	var w printer
	w.expr(e)
	return w.String()
}

type printer struct{ strings.Builder }

func (w *printer) put(parts ...string) {
	for _, p := range parts {
		w.WriteString(p)
	}
}

// Quote writes a string as LogQL reads it.
func Quote(s string) string {
	if strings.ContainsAny(s, "\\\"") && !strings.ContainsAny(s, "`\n\r") && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (w *printer) labels(labels []string) { w.put("(", strings.Join(labels, ", "), ")") }

func (w *printer) grouping(g *Grouping) {
	if g == nil {
		return
	}
	if g.Without {
		w.put(" without ")
	} else {
		w.put(" by ")
	}
	w.labels(g.Labels)
}

func (w *printer) expr(e Expr) {
	switch e := e.(type) {
	case *LogExpr:
		w.log(e)
	case *Number:
		w.put(formatNumber(e.Value))
	case *VectorFunc:
		w.put("vector(", formatNumber(e.Value), ")")
	case *LabelReplace:
		w.put("label_replace(")
		w.expr(e.Inner)
		for _, s := range []string{e.Dst, e.Replacement, e.Source, e.Regex} {
			w.put(", ", Quote(s))
		}
		w.put(")")
	case *RangeAgg:
		w.rangeAgg(e)
	case *VectorAgg:
		w.put(e.Op)
		w.grouping(e.By)
		if e.By != nil {
			w.put(" ")
		}
		w.put("(")
		if e.Param != nil {
			w.put(formatNumber(*e.Param), ", ")
		}
		w.expr(e.Inner)
		w.put(")")
	case *Binary:
		w.binary(e)
	}
}

func (w *printer) rangeAgg(e *RangeAgg) {
	w.put(e.Op, "(")
	if e.Param != nil {
		w.put(formatNumber(*e.Param), ", ")
	}
	w.log(e.Log)
	if len(e.Log.Stages) > 0 {
		w.put(" ")
	}
	w.put("[", FormatDuration(e.Range), "]")
	if e.Offset != 0 {
		w.put(" offset ", FormatDuration(e.Offset))
	}
	w.put(")")
	w.grouping(e.By)
}

func (w *printer) binary(e *Binary) {
	rank := precedence(e.Op)
	// The tree decides about parentheses: a side that binds less gets them, and so
	// does one that binds alike on the side to which the operator does not lean.
	rightLeans := e.Op == "^"
	w.side(e.Left, rank, rightLeans)
	w.put(" ", e.Op)
	if e.Bool {
		w.put(" bool")
	}
	if m := e.Matching; m != nil {
		if m.On {
			w.put(" on ")
		} else {
			w.put(" ignoring ")
		}
		w.labels(m.Labels)
		if m.Group != "" {
			w.put(" group_", m.Group, " ")
			w.labels(m.Include)
		}
	}
	w.put(" ")
	w.side(e.Right, rank, !rightLeans)
}

func (w *printer) side(e Expr, rank int, alike bool) {
	inner, ok := e.(*Binary)
	_, isLog := e.(*LogExpr) // only faulty queries compare lines; they stay readable
	if isLog || ok && (precedence(inner.Op) < rank || alike && precedence(inner.Op) == rank) {
		w.put("(")
		w.expr(e)
		w.put(")")
		return
	}
	w.expr(e)
}

func (w *printer) log(e *LogExpr) {
	w.put("{")
	for i, m := range e.Matchers {
		if i > 0 {
			w.put(", ")
		}
		w.put(m.Label, string(m.Op), Quote(m.Value))
	}
	w.put("}")
	for _, s := range e.Stages {
		w.put(" ")
		w.stage(s)
	}
}

func (w *printer) stage(s Stage) {
	switch s := s.(type) {
	case *LineFilter:
		w.put(string(s.Op))
		for i, v := range s.Values {
			if i > 0 {
				w.put(" or")
			}
			if v.IP {
				w.put(" ip(", Quote(v.Text), ")")
			} else {
				w.put(" ", Quote(v.Text))
			}
		}
	case *Parser:
		w.parser(s)
	case *LabelFilter:
		w.put("| ")
		w.cond(s.Cond, 0)
	case *LineFormat:
		w.put("| line_format ", Quote(s.Template))
	case *LabelFormat:
		w.put("| label_format ")
		for i, item := range s.Items {
			if i > 0 {
				w.put(", ")
			}
			from := item.From
			if item.Template {
				from = Quote(from)
			}
			w.put(item.To, "=", from)
		}
	case *Decolorize:
		w.put("| decolorize")
	case *LabelList:
		name := "drop "
		if s.Keep {
			name = "keep "
		}
		w.put("| ", name)
		for i, item := range s.Items {
			if i > 0 {
				w.put(", ")
			}
			w.put(item.Label)
			if item.Op != "" {
				w.put(string(item.Op), Quote(item.Value))
			}
		}
	case *Unwrap:
		if s.Convert == "" {
			w.put("| unwrap ", s.Label)
		} else {
			w.put("| unwrap ", s.Convert, "(", s.Label, ")")
		}
	}
}

func (w *printer) parser(s *Parser) {
	w.put("| ", s.Kind)
	if s.Kind == "regexp" || s.Kind == "pattern" {
		w.put(" ", Quote(s.Pattern))
	}
	if s.Strict {
		w.put(" --strict")
	}
	if s.KeepEmpty {
		w.put(" --keep-empty")
	}
	for i, f := range s.Fields {
		if i > 0 {
			w.put(",")
		}
		w.put(" ", f.Label)
		if f.Path != f.Label {
			w.put("=", Quote(f.Path))
		}
	}
}

func (w *printer) cond(c Cond, rank int) {
	switch c := c.(type) {
	case *Compare:
		w.compare(c)
	case *Both:
		own := map[string]int{"or": 1, "and": 2}[c.Op]
		if own < rank {
			w.put("(")
			defer w.put(")")
		}
		w.cond(c.Left, own)
		w.put(" ", c.Op, " ")
		w.cond(c.Right, own+1)
	}
}

func (w *printer) compare(c *Compare) {
	value := ""
	switch c.Kind {
	case TextValue:
		value = Quote(c.Text)
	case IPValue:
		value = "ip(" + Quote(c.Text) + ")"
	case DurationValue, BytesValue:
		value = c.Raw
	case NumberValue:
		value = formatNumber(c.Number)
	}
	if c.Op == "=" || c.Op == "!=" || c.Op == "=~" || c.Op == "!~" {
		w.put(c.Label, c.Op, value)
		return
	}
	w.put(c.Label, " ", c.Op, " ", value)
}
