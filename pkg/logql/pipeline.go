package logql

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Entry is a line of a stream.
type Entry struct {
	Time time.Time
	// Labels are those of the stream. Evaluate does not change them.
	Labels map[string]string
	Line   string
}

// Labels that stages set when they cannot do their work.
const (
	ErrorLabel        = "__error__"
	errorDetailsLabel = "__error_details__"
)

// Selects reports whether a stream passes all matchers.
func Selects(matchers []Matcher) (func(labels map[string]string) bool, error) {
	tests := make([]func(map[string]string) bool, len(matchers))
	for i, m := range matchers {
		test, err := textTest(string(m.Op), m.Value)
		if err != nil {
			return nil, err
		}
		tests[i] = func(labels map[string]string) bool { return test(labels[m.Label]) }
	}
	return func(labels map[string]string) bool {
		for _, test := range tests {
			if !test(labels) {
				return false
			}
		}
		return true
	}, nil
}

// textTest returns the test of =, !=, =~ and !~, which match whole texts.
func textTest(op, value string) (func(string) bool, error) {
	switch op {
	case "=":
		return func(s string) bool { return s == value }, nil
	case "!=":
		return func(s string) bool { return s != value }, nil
	}
	re, err := regexp.Compile("^(?s:" + value + ")$")
	if err != nil {
		return nil, err
	}
	if op == "=~" {
		return re.MatchString, nil
	}
	return func(s string) bool { return !re.MatchString(s) }, nil
}

// sample is an entry on its way through the stages.
type sample struct {
	line   string
	time   time.Time
	stream map[string]string
	labels map[string]string // a copy of stream, and what was extracted
	value  float64           // of unwrap
}

func (s *sample) fail(kind, detail string) {
	s.labels[ErrorLabel], s.labels[errorDetailsLabel] = kind, detail
}

// extracted sets a label that comes from the line. Where the stream has one of that
// name the extracted one is renamed, as in Loki.
func (s *sample) extracted(name, value string) {
	if name == "" {
		return
	}
	if _, taken := s.stream[name]; taken {
		name += "_extracted"
	}
	s.labels[name] = value
}

// step does a stage and reports whether the line goes on.
type step func(*sample) bool

// pipeline is the stages of a LogExpr, compiled.
type pipeline struct {
	selects func(map[string]string) bool
	steps   []step
	unwraps string // the label that is unwrapped; empty: none
}

func compile(e *LogExpr) (*pipeline, error) {
	p := &pipeline{}
	var err error
	if p.selects, err = Selects(e.Matchers); err != nil {
		return nil, err
	}
	for _, s := range e.Stages {
		next, err := compileStage(s)
		if err != nil {
			return nil, err
		}
		if u, is := s.(*Unwrap); is {
			p.unwraps = u.Label
		}
		p.steps = append(p.steps, next)
	}
	return p, nil
}

// run sends an entry through the stages; nil: it was left out on the way.
func (p *pipeline) run(e Entry) *sample {
	s := &sample{line: e.Line, time: e.Time, stream: e.Labels, labels: maps.Clone(e.Labels)}
	if s.labels == nil {
		s.labels = map[string]string{}
	}
	for _, step := range p.steps {
		if !step(s) {
			return nil
		}
	}
	return s
}

func compileStage(s Stage) (step, error) {
	switch s := s.(type) {
	case *LineFilter:
		return compileLineFilter(s)
	case *Parser:
		return compileParser(s)
	case *LabelFilter:
		test, err := compileCond(s.Cond)
		return step(test), err
	case *LineFormat:
		t, err := newTemplate(s.Template)
		if err != nil {
			return nil, fmt.Errorf("line_format: %s", err.message)
		}
		return func(s *sample) bool {
			line, err := t.run(s.line, s.time, s.labels)
			if err != nil {
				s.fail("TemplateFormatErr", err.Error())
				return true
			}
			s.line = line
			return true
		}, nil
	case *LabelFormat:
		return compileLabelFormat(s)
	case *Decolorize:
		return func(s *sample) bool { s.line = ansi.ReplaceAllString(s.line, ""); return true }, nil
	case *LabelList:
		return compileLabelList(s)
	case *Unwrap:
		return compileUnwrap(s), nil
	}
	return nil, fmt.Errorf("a stage %T is not known", s)
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

func compileLineFilter(f *LineFilter) (step, error) {
	tests := make([]func(string) bool, len(f.Values))
	negated := f.Op == ContainsNot || f.Op == LineMatchesNot || f.Op == HasPatternNot
	for i, v := range f.Values {
		switch {
		case v.IP:
			r, ok := parseIP(v.Text)
			if !ok {
				return nil, fmt.Errorf("%q is no address", v.Text)
			}
			tests[i] = r.inLine
		case f.Op == Contains || f.Op == ContainsNot:
			tests[i] = func(line string) bool { return strings.Contains(line, v.Text) }
		case f.Op == LineMatches || f.Op == LineMatchesNot:
			re, err := regexp.Compile(v.Text)
			if err != nil {
				return nil, err
			}
			tests[i] = re.MatchString
		default:
			parts, bad := compilePattern(v.Text, false)
			if bad != "" {
				return nil, fmt.Errorf("%s", bad)
			}
			tests[i] = func(line string) bool { return patternFits(parts, line) }
		}
	}
	return func(s *sample) bool {
		for _, test := range tests {
			if test(s.line) {
				return !negated
			}
		}
		return negated
	}, nil
}

func compileParser(p *Parser) (step, error) {
	switch p.Kind {
	case "regexp":
		re, err := regexp.Compile(p.Pattern)
		if err != nil {
			return nil, err
		}
		names := re.SubexpNames()
		return func(s *sample) bool {
			for i, value := range re.FindStringSubmatch(s.line) {
				if names[i] != "" {
					s.extracted(names[i], value)
				}
			}
			return true
		}, nil
	case "pattern":
		parts, bad := compilePattern(p.Pattern, true)
		if bad != "" {
			return nil, fmt.Errorf("%s", bad)
		}
		return func(s *sample) bool { patternCaptures(parts, s.line, s.extracted); return true }, nil
	case "logfmt":
		return compileLogfmt(p), nil
	case "unpack":
		return unpack, nil
	default:
		return compileJSON(p)
	}
}

func compileLogfmt(p *Parser) step {
	return func(s *sample) bool {
		values := map[string]string{}
		if !logfmtLabels(s.line, func(name, value string) {
			if _, known := values[name]; !known && (value != "" || p.KeepEmpty) {
				values[name] = value
			}
		}) && p.Strict {
			s.fail("LogfmtParserErr", "the line is not logfmt")
			return true
		}
		if len(p.Fields) == 0 {
			for name, value := range values {
				s.extracted(name, value)
			}
			return true
		}
		for _, f := range p.Fields {
			s.extracted(f.Label, values[f.Path])
		}
		return true
	}
}

func compileJSON(p *Parser) (step, error) {
	paths := make([][]any, len(p.Fields))
	for i, f := range p.Fields {
		path, ok := parsePath(f.Path)
		if !ok {
			return nil, fmt.Errorf("%q is no path into JSON", f.Path)
		}
		paths[i] = path
	}
	return func(s *sample) bool {
		if len(paths) == 0 {
			if !jsonLabels(s.line, s.extracted) {
				s.fail("JSONParserErr", "the line is not a JSON object")
			}
			return true
		}
		object, ok := decodeObject(s.line)
		if !ok {
			s.fail("JSONParserErr", "the line is not a JSON object")
			return true
		}
		for i, f := range p.Fields {
			s.extracted(f.Label, scalar(follow(object, paths[i])))
		}
		return true
	}, nil
}

// unpack reads what the pack stage of Promtail wrote: labels, and the line as _entry,
// without which the line was not packed and stays as it is.
func unpack(s *sample) bool {
	object, ok := decodeObject(s.line)
	if !ok {
		s.fail("JSONParserErr", "the line is not a JSON object")
		return true
	}
	if _, packed := object["_entry"]; !packed {
		return true
	}
	for name, v := range object {
		text, isText := v.(string)
		switch {
		case !isText:
		case name == "_entry":
			s.line = text
		default:
			s.extracted(labelName(name), text)
		}
	}
	return true
}

func compileLabelFormat(f *LabelFormat) (step, error) {
	templates := make([]*compiledTemplate, len(f.Items))
	for i, item := range f.Items {
		if !item.Template {
			continue
		}
		t, err := newTemplate(item.From)
		if err != nil {
			return nil, fmt.Errorf("label_format: %s", err.message)
		}
		templates[i] = t
	}
	return func(s *sample) bool {
		for i, item := range f.Items {
			if t := templates[i]; t != nil {
				value, err := t.run(s.line, s.time, s.labels)
				if err != nil {
					s.fail("TemplateFormatErr", err.Error())
					continue
				}
				s.labels[item.To] = value
			} else if value, has := s.labels[item.From]; has {
				s.labels[item.To] = value
				delete(s.labels, item.From)
			}
		}
		return true
	}, nil
}

func compileLabelList(l *LabelList) (step, error) {
	tests := make([]func(string) bool, len(l.Items))
	for i, item := range l.Items {
		tests[i] = func(string) bool { return true }
		if item.Op != "" {
			test, err := textTest(string(item.Op), item.Value)
			if err != nil {
				return nil, err
			}
			tests[i] = test
		}
	}
	named := func(name, value string) bool {
		return slices.ContainsFunc(l.Items, func(item ListItem) bool {
			return item.Label == name && tests[slices.Index(l.Items, item)](value)
		})
	}
	return func(s *sample) bool {
		maps.DeleteFunc(s.labels, func(name, value string) bool {
			if l.Keep && strings.HasPrefix(name, "__error") {
				return false
			}
			return named(name, value) != l.Keep
		})
		return true
	}, nil
}

func compileUnwrap(u *Unwrap) step {
	convert := func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return v, err == nil
	}
	switch u.Convert {
	case "bytes":
		convert = ParseBytes
	case "duration", "duration_seconds":
		convert = func(text string) (float64, bool) { d, ok := ParseDuration(text); return d.Seconds(), ok }
	}
	return func(s *sample) bool {
		text, has := s.labels[u.Label]
		if !has {
			return false
		}
		v, ok := convert(text)
		if !ok {
			s.fail("SampleExtractionErr", strconv.Quote(text)+" is no number")
			return true
		}
		s.value = v
		return true
	}
}

func compileCond(c Cond) (func(*sample) bool, error) {
	switch c := c.(type) {
	case *Both:
		left, err := compileCond(c.Left)
		if err != nil {
			return nil, err
		}
		right, err := compileCond(c.Right)
		if err != nil {
			return nil, err
		}
		if c.Op == "or" {
			return func(s *sample) bool { return left(s) || right(s) }, nil
		}
		return func(s *sample) bool { return left(s) && right(s) }, nil
	case *Compare:
		return compileCompare(c)
	}
	return nil, fmt.Errorf("a condition %T is not known", c)
}

func compileCompare(c *Compare) (func(*sample) bool, error) {
	switch c.Kind {
	case TextValue:
		test, err := textTest(c.Op, c.Text)
		if err != nil {
			return nil, err
		}
		return func(s *sample) bool { return test(s.labels[c.Label]) }, nil
	case IPValue:
		r, ok := parseIP(c.Text)
		if !ok {
			return nil, fmt.Errorf("%q is no address", c.Text)
		}
		return func(s *sample) bool {
			a, err := netip.ParseAddr(s.labels[c.Label])
			return (err == nil && r.holds(a)) == (c.Op == "=")
		}, nil
	}
	convert := func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return v, err == nil
	}
	switch c.Kind {
	case DurationValue:
		convert = func(text string) (float64, bool) { d, ok := ParseDuration(text); return d.Seconds(), ok }
	case BytesValue:
		convert = ParseBytes
	}
	return func(s *sample) bool {
		text, has := s.labels[c.Label]
		if !has {
			return false
		}
		v, ok := convert(text)
		if !ok { // the line goes on with its error, as in Loki
			s.fail("LabelFilterErr", strconv.Quote(text)+" cannot be compared")
			return true
		}
		return compareNumbers(c.Op, v, c.Number)
	}, nil
}

func compareNumbers(op string, a, b float64) bool {
	switch op {
	case "=", "==":
		return a == b
	case "!=":
		return a != b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	default:
		return a <= b
	}
}
