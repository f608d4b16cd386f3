package pipeline

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Bounds of what is told of the values among which a word was looked for.
const (
	maxLookedIn = 3
	maxLooked   = 5
)

// lookedIn adds to a refusal, where one word alone was not understood and all else was read,
// among which values it was looked for: "no town is called so, there are these".
func (p *Pipeline) lookedIn(in Input, res Result, readings []reader.Reading) Result {
	if res.Outcome != Abstained || len(res.NotUnderstood) > 1 {
		return res
	}
	words := res.NotUnderstood
	at := slices.IndexFunc(readings, func(x reader.Reading) bool {
		if len(words) == 0 {
			return len(x.Unread) == 1
		}
		return len(x.Unread) > 0 && !slices.ContainsFunc(x.Unread, func(u string) bool { return !strings.Contains(words[0], u) })
	})
	if at < 0 || !unconditional(&readings[at].Intent) {
		return res
	}
	if said := p.valuesOf(in, readings[at].Intent.Entity); said != "" {
		if len(words) == 0 {
			res.NotUnderstood = readings[at].Unread
			res = p.abstain(in, res, "")
		}
		res.Reason += in.Language.Pick(" ", "") + p.offers.text(in.Language, "looked_in", said)
	}
	return res
}

// valuesOf says the columns of few values that a table has, with some of these.
func (p *Pipeline) valuesOf(in Input, entity string) string {
	r := restater{language: in.Language, texts: p.offers}
	var list []string
	for _, t := range in.Schema.view.Tables {
		if t.ID != entity {
			continue
		}
		for _, c := range t.Columns {
			if c.Nature != schema.Category || c.Naming() || len(c.Values) == 0 || len(list) == maxLookedIn {
				continue
			}
			var values []string
			for _, v := range c.Values[:min(len(c.Values), maxLooked)] {
				values = append(values, v.Value)
			}
			text := r.join(values)
			if len(c.Values) > maxLooked {
				text = p.offers.text(in.Language, "values_more", text)
			}
			list = append(list, p.offers.text(in.Language, "values_of", in.Schema.nameOf(in)(c.ID), text))
		}
	}
	return strings.Join(list, in.Language.Pick(", ", "、"))
}
