package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
)

// relatedDays is how far back figures of a semantic layer are looked at, where the request
// does not say.
const relatedDays = 90

// places are what a text names in the places of a kind; nil where it names none.
func (r *Rules) places(kind, text string) map[string]string {
	for _, like := range r.named[kind] {
		m := like.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		out := make(map[string]string)
		for i, name := range like.SubexpNames() {
			if words := strings.TrimSpace(strings.Trim(strings.TrimSpace(m[max(i, 0)]), particle)); name != "" && words != "" {
				out[name] = words
			}
		}
		return out
	}
	return nil
}

// readNamed reads a request by the places of its sentence: segments of something by figures,
// a relation of two, a figure that differs between two groups.
func (r *Rules) readNamed(ctx context.Context, ask Asks, req Request, text string, now time.Time, l lang.Language) (Request, error) {
	rest := r.without(text, "report")
	req.Span, _, rest = reach(rest, now)
	rest = strings.TrimSpace(strings.TrimLeft(rest, " ,，"))
	req.Named = r.places(req.Kind, rest)
	req.Rest = r.clean(rest, l)
	if len(req.Named) == 0 {
		return req, nil
	}
	var all []string
	for _, place := range slices.Sorted(maps.Keys(req.Named)) {
		if req.Named[place] = r.trimmed(req.Named[place]); place == "of" {
			req.Named[place] = bare(req.Named[place])
		}
		all = append(all, req.Named[place])
	}
	parsed, err := parse(ctx, ask, strings.Join(all, l.Pick(" and ", "和")))
	if err != nil {
		return req, fmt.Errorf("read %q: %w", lang.Shorten(text, 80), err)
	}
	if each := eachOf(req.Named); l == lang.Chinese && each != "" && !slices.ContainsFunc(parsed.Spans, func(s Span) bool { return s.Kind == "dimension" }) {
		again, err := parse(ctx, ask, strings.Join(append(without(all, req.Named["of"], req.Named["y"]), each), "，"))
		if err != nil {
			return req, fmt.Errorf("read %q: %w", lang.Shorten(text, 80), err)
		}
		if slices.ContainsFunc(again.Spans, func(s Span) bool { return s.Kind == "dimension" }) {
			parsed = again
		}
	}
	req.takeSpans(parsed)
	for _, list := range [][]string{req.Metrics, req.Filters} { // as they are named, whichever was recognised first
		slices.SortStableFunc(list, func(a, b string) int { return strings.Index(rest, a) - strings.Index(rest, b) })
	}
	r.takeUnknown(&req, parsed, l)
	return req, nil
}

// eachOf is what rows may be of, said as "each of them", as a grouping is named in Chinese:
// 新加坡的卖家 is 新加坡各卖家.
func eachOf(named map[string]string) string {
	of := named["of"]
	if of == "" {
		of = named["y"]
	}
	if of == "" {
		return ""
	}
	at := strings.LastIndex(of, particle)
	if at < 0 {
		return "各" + of
	}
	return of[:at] + "各" + of[at+len(particle):]
}

func without(list []string, texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(texts, s) })
}

// trimmed is a text without the commas of what was taken out of it.
func (r *Rules) trimmed(text string) string {
	return strings.Trim(strings.Join(strings.Fields(text), " "), " ,，")
}

// rowsOf writes the questions whose rows a request of named places works on: over figures
// of a layer where it names some, else over columns, where text to SQL writes it.
func (r *Rules) rowsOf(ctx context.Context, ask Asks, req *Request, l lang.Language) error {
	req.Rows, req.Of = nil, req.Named["of"]
	and := l.Pick(" and ", "和")
	if req.Of == "" {
		req.Of = req.Named["x"] + and + req.Named["y"]
		if req.Named["y"] == "" {
			req.Of = req.Named["x"] + l.Pick(" of ", "，") + req.Named["a"] + and + req.Named["b"]
		}
	}
	if req.Kind == "segments" && len(req.Metrics) == 0 && req.Named["by"] == "" && req.Dimension != "" {
		var err error
		if req.Metrics, err = r.keyFigures(ctx, ask, *req, l); err != nil {
			return err
		}
		if len(req.Metrics) > 0 {
			req.Assumptions = append(req.Assumptions, l.Pick("The question names no figures: ", "问题没有指明指标：")+
				strings.Join(req.Metrics, l.Pick(", ", "、"))+l.Pick(" are looked at.", "作为所看的指标。"))
		}
	}
	if len(req.Metrics) > 0 {
		if rows := r.rowsOfFigures(req, l); rows != nil {
			req.Rows = rows
			return nil
		}
	}
	for _, question := range rowsOfColumns(req.Named, l) {
		ok, err := ask.Writes(ctx, question)
		if err != nil {
			return fmt.Errorf("look at %q: %w", lang.Shorten(question, 80), err)
		}
		if ok {
			req.Rows, req.Unanswered = []string{question}, nil // all of it is in the sentence
			return nil
		}
	}
	return nil
}

// rowsOfFigures are the questions over figures of a layer: by what is named, else by day.
// Two groups are two series of the same days.
func (r *Rules) rowsOfFigures(req *Request, l lang.Language) []string {
	by := req.Dimension
	if by == "" && req.Kind == "segments" {
		return nil
	}
	if req.Span == 0 {
		req.Span = relatedDays
		req.Assumptions = append(req.Assumptions, l.Pick(
			fmt.Sprintf("The question names no period: the last %d days are looked at.", req.Span), fmt.Sprintf("问题没有指明时段：看过去%d天。", req.Span)))
	}
	question := func(by string, filters []string) string {
		one := *req
		one.Filters = filters
		figures := strings.Join(req.Metrics, l.Pick(" and ", "和"))
		if l == lang.Chinese {
			if by == "" {
				return one.fill("过去{span}天{filters}每天的{metric}", figures, l)
			}
			return one.fill("过去{span}天{filters}各"+by+"的{metric}", figures, l)
		}
		if by == "" {
			by = "day"
		}
		return one.fill("{metric} by "+by+"{filters}, last {span} days", figures, l)
	}
	switch {
	case req.Kind == "segments":
		return []string{question(by, req.Filters)}
	case len(req.Filters) == 2 && len(req.Metrics) == 1 && by == "":
		return []string{question("", req.Filters[:1]), question("", req.Filters[1:])}
	case len(req.Metrics) == 1 && by != "":
		return []string{question(by+l.Pick(" and day", "每天"), req.Filters)}
	case len(req.Metrics) > 1:
		return []string{question(by, req.Filters)}
	}
	return nil
}

// rowsOfColumns are ways to ask for rows over columns, the more telling first.
func rowsOfColumns(named map[string]string, l lang.Language) []string {
	of, by, x, y := named["of"], named["by"], named["x"], named["y"]
	switch {
	case of != "" && by != "":
		return []string{
			l.Pick(by+" by "+of, "各"+of+"的"+by),
			l.Pick("list "+by+" of "+of, "列出"+of+"的"+by),
		}
	case x != "" && y != "":
		return []string{l.Pick("list "+x+" and "+y, "列出"+x+"和"+y)}
	}
	return nil
}
