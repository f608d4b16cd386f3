package logql

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
	"unicode/utf8"
)

// maxFormatted bounds what a template writes for one line, in bytes.
const maxFormatted = 64 << 10

type templateError struct{ message, notSupported string }

// compileTemplate reads a template of line_format or label_format. Loops, blocks and
// definitions are refused: they could go on without end, and a line needs none.
func compileTemplate(text string) (*template.Template, *templateError) {
	// What the functions say of the line at hand is put in when the template runs.
	t, err := template.New("template").Option("missingkey=zero").Funcs(templateFuncs(new(lineState))).Parse(text)
	if err != nil {
		message := strings.TrimPrefix(err.Error(), "template: template:1: ")
		if name, ok := strings.CutPrefix(message, `function "`); ok {
			name, _, _ = strings.Cut(name, `"`)
			return nil, &templateError{"the function " + name + " is not supported here", "template function " + name}
		}
		return nil, &templateError{message: message}
	}
	if len(t.Templates()) > 1 {
		return nil, &templateError{"define and block are not supported here", "template define"}
	}
	if t.Tree == nil {
		return nil, &templateError{message: "it is empty"}
	}
	if bad := loops(t.Root); bad != "" {
		return nil, &templateError{bad + " is not supported here", "template " + bad}
	}
	return t, nil
}

// loops returns what of a template could go on without end.
func loops(n parse.Node) string {
	lists := func(of ...*parse.ListNode) string {
		for _, l := range of {
			if l == nil {
				continue
			}
			for _, inner := range l.Nodes {
				if bad := loops(inner); bad != "" {
					return bad
				}
			}
		}
		return ""
	}
	switch n := n.(type) {
	case *parse.ListNode:
		return lists(n)
	case *parse.IfNode:
		return lists(n.List, n.ElseList)
	case *parse.WithNode:
		return lists(n.List, n.ElseList)
	case *parse.RangeNode:
		return "range"
	case *parse.TemplateNode:
		return "template"
	}
	return ""
}

// lineState is the line that a template works on.
type lineState struct {
	line string
	time time.Time
}

var errTooLong = errors.New("the template writes too much")

// boundedWriter takes maxFormatted bytes.
type boundedWriter struct{ strings.Builder }

func (w *boundedWriter) Write(p []byte) (int, error) {
	if w.Len()+len(p) > maxFormatted {
		return 0, errTooLong
	}
	return w.Builder.Write(p)
}

// compiledTemplate runs over many lines, one after another.
type compiledTemplate struct {
	t     *template.Template
	state *lineState
}

func newTemplate(text string) (*compiledTemplate, *templateError) {
	t, err := compileTemplate(text)
	if err != nil {
		return nil, err
	}
	state := new(lineState)
	return &compiledTemplate{t.Funcs(templateFuncs(state)), state}, nil
}

func (c *compiledTemplate) run(line string, at time.Time, labels map[string]string) (string, error) {
	c.state.line, c.state.time = line, at
	var w boundedWriter
	if err := c.t.Execute(&w, labels); err != nil {
		return "", err
	}
	return w.String(), nil
}

func toFloat(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case float64:
		return v
	case string:
		f, _ := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f
	}
	return 0
}

func toInt(v any) int64 {
	f := toFloat(v)
	if f != f || math.Abs(f) > math.MaxInt64/2 {
		return 0
	}
	return int64(f)
}

func fold(v []any, f func(a, b float64) float64) float64 {
	if len(v) == 0 {
		return 0
	}
	out := toFloat(v[0])
	for _, next := range v[1:] {
		out = f(out, toFloat(next))
	}
	return out
}

func add(a, b float64) float64 { return a + b }

func sub(a, b float64) float64 { return a - b }

func mul(a, b float64) float64 { return a * b }

func div(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func mod(a, b float64) float64 {
	if int64(b) == 0 {
		return 0
	}
	return float64(int64(a) % int64(b))
}

func ints(f func(a, b float64) float64) func(...any) int64 {
	return func(v ...any) int64 { return toInt(fold(v, f)) }
}

func floats(f func(a, b float64) float64) func(...any) float64 {
	return func(v ...any) float64 { return fold(v, f) }
}

func regexReplace(pattern, text, with string, literal bool) (string, error) {
	if len(pattern) > 1<<10 {
		return "", errTooLong
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	if literal {
		return re.ReplaceAllLiteralString(text, with), nil
	}
	return re.ReplaceAllString(text, with), nil
}

func align(count int, text string, left bool) string {
	runes := []rune(text)
	count = min(max(count, 0), 1<<12)
	if len(runes) >= count {
		if left {
			return string(runes[:count])
		}
		return string(runes[len(runes)-count:])
	}
	pad := strings.Repeat(" ", count-len(runes))
	if left {
		return text + pad
	}
	return pad + text
}

func cutRunes(from, to int, text string) string {
	n := utf8.RuneCountInString(text)
	if to < 0 || to > n {
		to = n
	}
	from = min(max(from, 0), to)
	return string([]rune(text)[from:to])
}

// templateFuncs are the functions of Loki's templates that need nothing but their
// arguments and the line.
func templateFuncs(s *lineState) template.FuncMap {
	bounded := func(text string, err error) (string, error) {
		if len(text) > maxFormatted {
			return "", errTooLong
		}
		return text, err
	}
	indent := func(n int, text string) (string, error) {
		pad := strings.Repeat(" ", min(max(n, 0), 1<<10))
		return bounded(pad+strings.ReplaceAll(text, "\n", "\n"+pad), nil)
	}
	return template.FuncMap{
		"__line__":      func() string { return s.line },
		"__timestamp__": func() time.Time { return s.time },
		"now":           func() time.Time { return s.time }, // a query has one now; a line's own time is the one that is known
		"lower":         strings.ToLower, "ToLower": strings.ToLower,
		"upper": strings.ToUpper, "ToUpper": strings.ToUpper,
		"title":     func(t string) string { return strings.ToUpper(cutRunes(0, 1, t)) + cutRunes(1, -1, t) },
		"trim":      strings.TrimSpace,
		"TrimSpace": strings.TrimSpace,
		"Trim":      strings.Trim, "TrimLeft": strings.TrimLeft, "TrimRight": strings.TrimRight,
		"TrimPrefix": strings.TrimPrefix, "TrimSuffix": strings.TrimSuffix,
		"trimAll":    func(cut, t string) string { return strings.Trim(t, cut) },
		"trimPrefix": func(cut, t string) string { return strings.TrimPrefix(t, cut) },
		"trimSuffix": func(cut, t string) string { return strings.TrimSuffix(t, cut) },
		"replace":    func(old, with, t string) (string, error) { return bounded(strings.ReplaceAll(t, old, with), nil) },
		"Replace": func(t, old, with string, n int) (string, error) {
			return bounded(strings.Replace(t, old, with, n), nil)
		},
		"regexReplaceAll": func(p, t, with string) (string, error) {
			return bounded(regexReplace(p, t, with, false))
		},
		"regexReplaceAllLiteral": func(p, t, with string) (string, error) {
			return bounded(regexReplace(p, t, with, true))
		},
		"contains":  func(part, t string) bool { return strings.Contains(t, part) },
		"hasPrefix": func(part, t string) bool { return strings.HasPrefix(t, part) },
		"hasSuffix": func(part, t string) bool { return strings.HasSuffix(t, part) },
		"eq":        func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) },
		"trunc": func(n int, t string) string {
			if n < 0 {
				return cutRunes(utf8.RuneCountInString(t)+n, -1, t)
			}
			return cutRunes(0, n, t)
		},
		"substr": cutRunes,
		"repeat": func(n int, t string) (string, error) {
			if n < 0 || n*len(t) > maxFormatted || n > maxFormatted {
				return "", errTooLong
			}
			return strings.Repeat(t, n), nil
		},
		"indent":     indent,
		"nindent":    func(n int, t string) (string, error) { t, err := indent(n, t); return "\n" + t, err },
		"alignLeft":  func(n int, t string) string { return align(n, t, true) },
		"alignRight": func(n int, t string) string { return align(n, t, false) },
		"default": func(otherwise any, v ...any) any {
			if len(v) == 0 || v[0] == nil || v[0] == "" || v[0] == 0 {
				return otherwise
			}
			return v[0]
		},
		"count": func(p, t string) (int, error) {
			re, err := regexp.Compile(p)
			if err != nil {
				return 0, err
			}
			return len(re.FindAllStringIndex(t, -1)), nil
		},
		"int": toInt, "float64": toFloat,
		"add": ints(add), "sub": ints(sub), "mul": ints(mul), "div": ints(div), "mod": ints(mod),
		"addf": floats(add), "subf": floats(sub), "mulf": floats(mul), "divf": floats(div),
		"max": ints(math.Max), "min": ints(math.Min), "maxf": floats(math.Max), "minf": floats(math.Min),
		"ceil":  func(v any) float64 { return math.Ceil(toFloat(v)) },
		"floor": func(v any) float64 { return math.Floor(toFloat(v)) },
		"round": func(v any, places ...int) float64 {
			p := 1.0
			if len(places) > 0 {
				p = math.Pow10(min(max(places[0], 0), 15))
			}
			return math.Round(toFloat(v)*p) / p
		},
		"b64enc":    func(t string) string { return base64.StdEncoding.EncodeToString([]byte(t)) },
		"b64dec":    func(t string) (string, error) { b, err := base64.StdEncoding.DecodeString(t); return string(b), err },
		"urlencode": url.QueryEscape, "urldecode": url.QueryUnescape,
		"bytes": func(t string) (float64, error) {
			v, ok := ParseBytes(t)
			if !ok {
				return 0, fmt.Errorf("%q is no amount of bytes", t)
			}
			return v, nil
		},
		"duration": seconds, "duration_seconds": seconds,
		"date":            func(layout string, t time.Time) string { return t.Format(layout) },
		"toDate":          time.Parse,
		"toDateInZone":    toDateInZone,
		"unixEpoch":       func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) },
		"unixEpochMillis": func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) },
		"unixEpochNanos":  func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) },
		"unixToTime":      unixToTime,
		"fromJson":        func(t string) (any, error) { var v any; err := json.Unmarshal([]byte(t), &v); return v, err },
	}
}

func seconds(t string) (float64, error) {
	d, ok := ParseDuration(t)
	if !ok {
		return 0, fmt.Errorf("%q is no duration", t)
	}
	return d.Seconds(), nil
}

func toDateInZone(layout, zone, t string) (time.Time, error) {
	location, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, err
	}
	return time.ParseInLocation(layout, t, location)
}

// unixToTime reads seconds, milli-, micro- or nanoseconds by how many digits there
// are, and days.
func unixToTime(t string) (time.Time, error) {
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	switch len(t) {
	case 5:
		return time.Unix(n*24*60*60, 0).UTC(), nil
	case 10:
		return time.Unix(n, 0).UTC(), nil
	case 13:
		return time.UnixMilli(n).UTC(), nil
	case 16:
		return time.UnixMicro(n).UTC(), nil
	case 19:
		return time.Unix(0, n).UTC(), nil
	}
	return time.Time{}, fmt.Errorf("%q is no time of Unix", t)
}
