package logql

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
)

// MaxRegexpSize bounds the compiled size of a regular expression, in instructions
// of its program: repetitions of repetitions grow without it.
const MaxRegexpSize = 2000

// Check tells what is wrong with a query beyond its grammar. The errors are in the
// order of the text.
func Check(text string, e Expr) []*Error {
	c := &checker{text: text}
	c.expr(e, false)
	slices.SortStableFunc(c.errors, func(a, b *Error) int { return int(a.Pos - b.Pos) })
	return c.errors
}

type checker struct {
	text   string
	errors []*Error
}

func (c *checker) fail(at Pos, format string, args ...any) {
	c.errors = append(c.errors, errorAt(c.text, at, format, args...))
}

func (c *checker) expr(e Expr, vector bool) {
	switch e := e.(type) {
	case *LogExpr:
		if vector {
			c.fail(e.Pos, "lines cannot be computed with: put them into a function of a range, such as count_over_time(%s [5m])", "{...}")
			return
		}
		c.log(e, false)
	case *Number:
	case *VectorFunc:
	case *LabelReplace:
		c.regexp(e.Pos, e.Regex, false)
		c.label(e.Pos, e.Dst)
		c.expr(e.Inner, true)
	case *RangeAgg:
		c.rangeAgg(e)
	case *VectorAgg:
		c.vectorAgg(e)
	case *Binary:
		c.binary(e)
	}
}

func (c *checker) vectorAgg(e *VectorAgg) {
	if e.Param != nil && (*e.Param < 1 || *e.Param != float64(int(*e.Param))) {
		c.fail(e.Pos, "%s wants a whole number of at least 1", e.Op)
	}
	if (e.Op == "sort" || e.Op == "sort_desc") && e.By != nil {
		c.fail(e.Pos, "%s takes no grouping", e.Op)
	}
	if n, ok := e.Inner.(*Number); ok {
		c.fail(n.Pos, "%s works on series, not on a number", e.Op)
		return
	}
	c.expr(e.Inner, true)
}

func (c *checker) binary(e *Binary) {
	_, left := e.Left.(*Number)
	_, right := e.Right.(*Number)
	if isSetOperation(e.Op) && (left || right) {
		c.fail(e.Pos, "%s joins series, not numbers", e.Op)
	}
	if (left || right) && e.Matching != nil {
		c.fail(e.Pos, "on and ignoring pair series: a number has no labels")
	}
	if isSetOperation(e.Op) && e.Matching != nil && e.Matching.Group != "" {
		c.fail(e.Pos, "%s takes no group_%s", e.Op, e.Matching.Group)
	}
	c.expr(e.Left, true)
	c.expr(e.Right, true)
}

func (c *checker) rangeAgg(e *RangeAgg) {
	unwrapped, _ := rangeOp(e.Op)
	unwraps := slices.ContainsFunc(e.Log.Stages, func(s Stage) bool { _, is := s.(*Unwrap); return is })
	switch {
	case unwrapped && !unwraps:
		c.fail(e.Pos, "%s works on a number of each line: add | unwrap LABEL before the range", e.Op)
	case unwraps && !unwrapped && e.Op != "rate" && e.Op != "absent_over_time":
		c.fail(e.Pos, "%s counts lines and takes no unwrap: leave it out, or use sum_over_time", e.Op)
	}
	if e.By != nil && (!unwrapped || e.Op == "sum_over_time" || e.Op == "rate_counter") {
		c.fail(e.Pos, "%s takes no grouping of its own: group with sum by (...) around it", e.Op)
	}
	if e.Param != nil && (*e.Param < 0 || *e.Param > 1) {
		c.fail(e.Pos, "a quantile is between 0 and 1, not %s", formatNumber(*e.Param))
	}
	c.log(e.Log, true)
}

func (c *checker) log(e *LogExpr, ranged bool) {
	if len(e.Matchers) == 0 {
		c.fail(e.Pos, "the selector is empty: name at least one label, such as {app=\"web\"}")
	} else if !slices.ContainsFunc(e.Matchers, selects) {
		c.fail(e.Pos, "at least one matcher has to refuse streams without its label: use = or =~ with a value that is not empty")
	}
	for _, m := range e.Matchers {
		if m.Op == Match || m.Op == NotMatch {
			c.regexp(m.Pos, m.Value, false)
		}
	}
	unwrapped := false
	for _, s := range e.Stages {
		if u, is := s.(*Unwrap); is {
			if !ranged {
				c.fail(u.Pos, "unwrap stands within a function of a range alone")
			}
			if unwrapped {
				c.fail(u.Pos, "the pipeline unwraps twice")
			}
			unwrapped = true
		} else if _, filters := s.(*LabelFilter); unwrapped && !filters {
			c.fail(s.At(), "after unwrap only label filters may follow")
		}
		c.stage(s)
	}
}

// selects reports a matcher that a stream without the label does not pass.
func selects(m Matcher) bool {
	switch m.Op {
	case Equal:
		return m.Value != ""
	case Match:
		re, err := regexp.Compile("^(?:" + m.Value + ")$")
		return err != nil || !re.MatchString("")
	case NotEqual:
		return m.Value == ""
	case NotMatch:
		re, err := regexp.Compile("^(?:" + m.Value + ")$")
		return err == nil && re.MatchString("")
	}
	return false
}

func (c *checker) stage(s Stage) {
	switch s := s.(type) {
	case *LineFilter:
		for _, v := range s.Values {
			c.lineValue(s, v)
		}
	case *Parser:
		c.parser(s)
	case *LabelFilter:
		c.cond(s.Cond)
	case *LineFormat:
		c.template(s.Pos, s.Template)
	case *LabelFormat:
		seen := map[string]bool{}
		for _, item := range s.Items {
			c.label(s.Pos, item.To)
			if seen[item.To] {
				c.fail(s.Pos, "label_format writes %s twice", item.To)
			}
			seen[item.To] = true
			if item.Template {
				c.template(s.Pos, item.From)
			}
		}
	case *LabelList:
		for _, item := range s.Items {
			if item.Op == Match || item.Op == NotMatch {
				c.regexp(s.Pos, item.Value, false)
			}
		}
	}
}

func (c *checker) lineValue(s *LineFilter, v LineValue) {
	switch {
	case v.IP:
		if _, ok := parseIP(v.Text); !ok {
			c.fail(s.Pos, "%s is no address, range of addresses or CIDR", strconv.Quote(v.Text))
		}
	case s.Op == LineMatches || s.Op == LineMatchesNot:
		c.regexp(s.Pos, v.Text, false)
	case s.Op == HasPattern || s.Op == HasPatternNot:
		if _, err := compilePattern(v.Text, false); err != "" {
			c.fail(s.Pos, "%s", err)
		}
	}
}

func (c *checker) parser(s *Parser) {
	switch s.Kind {
	case "regexp":
		c.regexp(s.Pos, s.Pattern, true)
	case "pattern":
		if _, err := compilePattern(s.Pattern, true); err != "" {
			c.fail(s.Pos, "%s", err)
		}
	case "json":
		for _, f := range s.Fields {
			if _, ok := parsePath(f.Path); !ok {
				c.fail(s.Pos, "%s is no path into JSON: write it like servers[0].name", strconv.Quote(f.Path))
			}
		}
	}
}

func (c *checker) cond(cond Cond) {
	switch cond := cond.(type) {
	case *Both:
		c.cond(cond.Left)
		c.cond(cond.Right)
	case *Compare:
		if cond.Kind == TextValue && (cond.Op == "=~" || cond.Op == "!~") {
			c.regexp(cond.Pos, cond.Text, false)
		}
		if cond.Kind == IPValue {
			if _, ok := parseIP(cond.Text); !ok {
				c.fail(cond.Pos, "%s is no address, range of addresses or CIDR", strconv.Quote(cond.Text))
			}
		}
	}
}

func (c *checker) template(at Pos, text string) {
	if _, err := compileTemplate(text); err != nil {
		e := errorAt(c.text, at, "the template cannot be used: %s", err.message)
		e.NotSupported = err.notSupported
		c.errors = append(c.errors, e)
	}
}

func (c *checker) label(at Pos, name string) {
	for i, r := range name {
		if !isWordStart(r) && (i == 0 || !isDigit(r)) {
			c.fail(at, "%s is no name of a label", strconv.Quote(name))
			return
		}
	}
	if name == "" {
		c.fail(at, "the name of the label is empty")
	}
}

func (c *checker) regexp(at Pos, pattern string, captures bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		c.fail(at, "the regular expression %s cannot be read: %v", strconv.Quote(pattern), err)
		return
	}
	if prog, err := syntax.Compile(re.Simplify()); err != nil || len(prog.Inst) > MaxRegexpSize {
		c.fail(at, "the regular expression %s is too costly: repeat less", strconv.Quote(pattern))
		return
	}
	if !captures {
		return
	}
	named, seen := 0, map[string]bool{}
	for _, name := range re.CapNames() {
		if name == "" {
			continue
		}
		named++
		if seen[name] {
			c.fail(at, "the regular expression names %s twice", name)
		}
		seen[name] = true
		c.label(at, name)
	}
	if named == 0 {
		c.fail(at, "regexp extracts named groups, and there is none: write (?P<label>...)")
	}
}
