package plan

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
)

// surrounds are words at the ends of a text in Chinese that ask for something or join words.
var surrounds = regexp.MustCompile(`^(?:请|帮我|给我|显示|列出|展示|给出|看看|(?:写|做|出|生成|整理|准备)一?[份个篇次]|一[份个篇次]|的|和|与|及|以及|并|按照?|\s)+|(?:的|和|与|及其?|以及|并|\s)+$`)

// comparedColumns takes what is left of a request that compares periods for its figure and
// its grouping, where no layer defines one and text to SQL writes the comparison over
// columns. What accounts for the change is a matter of a layer's dimensions, and is told as
// left out.
func (r *Rules) comparedColumns(ctx context.Context, ask Asks, req *Request, l lang.Language) error {
	kind := r.kinds[req.Kind]
	if len(req.Metrics) > 0 || !req.Known || req.Rest == "" || !kind.uses("{before}") || req.Periods.After == "" {
		return nil
	}
	ranked := slices.Contains(kind.Needs, "dimension")
	figure, grouping := r.apart(req.Rest, ranked, l)
	if req.Dimension == "" {
		req.Dimension = grouping
	}
	if figure == "" || ranked && req.Dimension == "" {
		return nil
	}
	tried := *req
	tried.Filters, tried.N = nil, max(req.N, 1)
	for _, t := range kind.Steps {
		if t.Kind != SQL || t.Expects == Series || t.If == "dimension" && req.Dimension == "" {
			continue
		}
		ok, err := ask.Writes(ctx, tried.fill(l.Pick(t.EN, t.ZH), figure, l))
		if err != nil {
			return fmt.Errorf("look at %q: %w", lang.Shorten(req.Rest, 80), err)
		}
		if !ok {
			return nil
		}
	}
	req.Metrics, req.Filters, req.OverColumns = []string{figure}, nil, true // conditions are in the sentence
	req.Unanswered = slices.DeleteFunc(req.Unanswered, func(p Part) bool { return strings.Contains(req.Rest, p.Text) })
	if req.Drivers {
		reason := l.Pick("a change is split up over the dimensions of a semantic layer, and none defines this figure (`dibrain semantic init` proposes one)",
			"变化要沿语义层的维度拆分，而没有语义层定义这个指标（dibrain semantic init 可以生成）")
		if req.Dimension == "" {
			reason += l.Pick("; name a grouping, such as \"by city\", to see the change of each group", "；说明按什么分组（例如“按城市”）即可看到各组的变化")
		} else {
			reason += l.Pick("; the change of each group is shown", "；各组的变化已列出")
		}
		req.Unanswered = append(req.Unanswered, Part{Text: l.Pick("what accounts for the change", "变化由什么构成"), Reason: reason})
	}
	return nil
}

// apart are the figure and the grouping that a text over columns says; both empty where it
// does not say them as it has to.
func (r *Rules) apart(text string, ranked bool, l lang.Language) (figure, grouping string) {
	for _, like := range r.columns[columnsKey{ranked, l}] {
		m := like.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for i, name := range like.SubexpNames() {
			switch name {
			case "x":
				figure = r.bordered(m[i], l)
			case "y":
				grouping = r.bordered(m[i], l)
			}
		}
		return figure, grouping
	}
	return "", ""
}

// bordered is a text without the words at its ends that say nothing.
func (r *Rules) bordered(text string, l lang.Language) string {
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,，。.?？!！;；\t\n", c) })
	for len(words) > 0 && r.isFiller(words[0], l) {
		words = words[1:]
	}
	for len(words) > 0 && r.isFiller(words[len(words)-1], l) {
		words = words[:len(words)-1]
	}
	return surrounds.ReplaceAllString(strings.Join(words, " "), "")
}
