package pipeline

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// maxTextLike is how many columns of text that look like numbers or days a refusal names.
const maxTextLike = 2

// withTexts adds to a refusal which columns are text though they look like numbers or
// days, and why: who asks for an amount sees numbers in them, and cannot know what is in
// the way. Those that the question names are told, or all where there are few.
func (p *Pipeline) withTexts(in Input, res Result) Result {
	if in.Schema == nil {
		return res
	}
	var named, all []string
	question := words(in.Question)
	for i := range in.Schema.tables {
		t := &in.Schema.tables[i]
		for _, c := range t.Columns {
			if c.Resembles == "" {
				continue
			}
			text := p.textLike(in, t, c)
			all = append(all, text)
			if strings.Contains(question, words(semantic.Fold(c.Name))) {
				named = append(named, text)
			}
		}
	}
	if len(named) == 0 && len(all) <= maxTextLike {
		named = all
	}
	for _, text := range named[:min(len(named), maxTextLike)] {
		res.Reason += in.Language.Pick(" ", "") + text
	}
	return res
}

func (p *Pipeline) textLike(in Input, t *catalog.Table, c catalog.Column) string {
	name := t.Name.Table + "." + c.Name
	if c.Written == "" {
		return p.messages.text(in.Language, "text_like_"+c.Resembles, name)
	}
	return p.messages.text(in.Language, "text_like_"+c.Resembles+"_why", name, c.Written)
}
