package llm

import (
	"context"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
)

// reformulations is the form of the model's answer.
type reformulations struct {
	Versions []string `json:"versions" doc:"the question in other words, the likeliest to be found first" max:"3"`
}

// maxVersion bounds one reformulation, in characters.
const maxVersion = 120

// Reformulate returns other wordings of a question, at most MaxReformulations, to
// be searched for beside it. terms are the business words that the question uses.
func (a *Advisor) Reformulate(ctx context.Context, q Question, terms []catalog.Term) ([]string, error) {
	req, err := a.prompts.expand.Request(map[string]any{"Terms": a.terms(terms, q.Language), "Question": a.question(q)})
	if err != nil {
		return nil, err
	}
	req.CacheKey = q.Session
	answer, err := chat.Ask[reformulations](ctx, a.model, req, nil)
	if err != nil {
		return nil, err
	}
	told := groundOf(req)
	var versions []string
	for _, v := range answer.Versions {
		v = strings.TrimSpace(strings.ReplaceAll(told.scrub(shorten(v, maxVersion)), "…", ""))
		same := func(have string) bool { return strings.EqualFold(have, v) }
		if v == "" || same(q.Text) || slices.ContainsFunc(versions, same) || len(versions) == a.cfg.MaxReformulations {
			continue
		}
		versions = append(versions, v)
	}
	return versions, nil
}

// shorten puts a text of a model on one line of so many characters.
func shorten(s string, characters int) string {
	return lang.Shorten(lang.OneLine(s), characters)
}
