package llm

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	chat "github.com/dibrain/dibrain/pkg/llm"
)

// Kinds of answers, by the names of the specification.
const (
	directAnswer = "DirectAnswer"
	searchMore   = "SearchMoreInfoThenAnswer"
	dontKnow     = "DontKnow"
)

// maxWhy bounds why there is no answer, in characters.
const maxWhy = 300

// AnswerRequest is what a question about the data is answered from.
type AnswerRequest struct {
	Question
	Marts []catalog.Mart
	Terms []catalog.Term
	Rules []catalog.Rule
	// Manifest are the tables that may be named, best first; the model is told
	// their names and descriptions.
	Manifest []*catalog.Table
	// Detailed is how many of the first of them it is told in full at once.
	Detailed int
}

// Answer is what came of it.
type Answer struct {
	Text string
	// Tables that it rests on, of the manifest.
	Tables []catalog.Name
	// DontKnow says why there is no answer; Text is empty then.
	DontKnow string
	// Rounds that it took, and the tables that were looked up on the way.
	Rounds   int
	Searched []catalog.Name
}

// answerForm is the form of the model's answer.
type answerForm struct {
	Kind          string   `json:"kind" enum:"DirectAnswer|SearchMoreInfoThenAnswer|DontKnow"`
	Answer        string   `json:"answer" doc:"with DirectAnswer" optional:"true"`
	RelatedTables []string `json:"related_tables" doc:"with DirectAnswer" optional:"true" verbatim:"true"`
	SearchTables  []string `json:"search_tables" doc:"with SearchMoreInfoThenAnswer: names of the manifest" max:"5" optional:"true" verbatim:"true"`
	Reason        string   `json:"reason" doc:"with DontKnow" optional:"true"`
}

func (v *answerForm) check() []string {
	switch {
	case v.Kind == directAnswer && strings.TrimSpace(v.Answer) == "":
		return []string{"answer is empty"}
	case v.Kind == searchMore && len(v.SearchTables) == 0:
		return []string{"search_tables is empty"}
	}
	return nil
}

// Answer answers a question about the data from the catalog, in at most MaxRounds:
// in each but the last the model may ask for the details of further tables of the
// manifest.
func (a *Advisor) Answer(ctx context.Context, r AnswerRequest) (Answer, error) {
	r.Manifest = r.Manifest[:min(len(r.Manifest), a.cfg.MaxManifest)]
	detailed := slices.Clone(r.Manifest[:min(max(r.Detailed, 0), len(r.Manifest), a.cfg.MaxDetails)])
	var out Answer
	for out.Rounds = 1; ; out.Rounds++ {
		last := out.Rounds >= a.cfg.MaxRounds || len(detailed) >= a.cfg.MaxDetails
		req, err := a.answerPrompt(r, detailed, last)
		if err != nil {
			return Answer{}, err
		}
		form, err := chat.Ask(ctx, a.model, req, (*answerForm).check)
		if err != nil {
			return Answer{}, err
		}
		told := groundOf(req)
		switch form.Kind {
		case directAnswer:
			out.Text = strings.TrimSpace(told.scrub(form.Answer))
			out.Tables = named(r.Manifest, form.RelatedTables)
			return out, nil
		case dontKnow:
			out.DontKnow = told.scrub(shorten(form.Reason, maxWhy))
			return out, nil
		}
		more := unread(closest(r.Manifest, form.SearchTables), detailed)
		if last || len(more) == 0 {
			return Answer{}, fault.New(codes.Internal, chat.ReasonMalformed, "The model went on searching instead of answering.")
		}
		for _, t := range more[:min(len(more), a.cfg.MaxDetails-len(detailed))] {
			detailed = append(detailed, t)
			out.Searched = append(out.Searched, t.Name)
		}
	}
}

func (a *Advisor) answerPrompt(r AnswerRequest, detailed []*catalog.Table, last bool) (chat.Request, error) {
	var manifest []string
	for _, t := range r.Manifest {
		manifest = append(manifest, a.entry(t, r.Language))
	}
	req, err := a.prompts.answer.Request(map[string]any{
		"Language": languageName(r.Language), "Last": last, "Marts": a.marts(r.Marts, nil, r.Language), "Glossary": a.terms(r.Terms, r.Language),
		"Rules": a.rules(r.Rules, r.Language), "Manifest": strings.Join(manifest, "\n"), "Details": a.details(detailed, r.Language),
		"Person": a.asker(r.Question), "History": a.history(r.Question), "Question": a.question(r.Question),
	})
	req.CacheKey = r.Session
	return req, err
}

// named returns the tables of the manifest that the names are, in their order.
func named(manifest []*catalog.Table, names []string) []catalog.Name {
	var out []catalog.Name
	for _, t := range exact(manifest, names) {
		out = append(out, t.Name)
	}
	return out
}

// exact finds tables by their full names, or by the end of one where that is one
// table's only.
func exact(manifest []*catalog.Table, names []string) []*catalog.Table {
	var out []*catalog.Table
	for _, written := range names {
		name := strings.ToLower(strings.Trim(strings.TrimSpace(written), "`@"))
		var found []*catalog.Table
		for _, t := range manifest {
			if key := t.Name.Key(); key == name || strings.HasSuffix(key, "."+name) {
				found = append(found, t)
			}
		}
		if len(found) == 1 && !slices.Contains(out, found[0]) {
			out = append(out, found[0])
		}
	}
	return out
}

// closest finds tables as exact does; a name that is none takes the table of the
// manifest that shares the most parts with it.
func closest(manifest []*catalog.Table, names []string) []*catalog.Table {
	var out []*catalog.Table
	for _, name := range names {
		found := exact(manifest, []string{name})
		if len(found) == 0 {
			found = nearest(manifest, name)
		}
		for _, t := range found {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// nearest returns the table whose name shares the most parts with a name that is
// none, more than half of them; the earlier in the manifest wins.
func nearest(manifest []*catalog.Table, written string) []*catalog.Table {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("._`@ ", r) })
	}
	parts := split(written)
	var best *catalog.Table
	most := len(parts) / 2
	for _, t := range manifest {
		own, shared := split(t.Name.String()), 0
		for _, p := range parts {
			if slices.Contains(own, p) {
				shared++
			}
		}
		if shared > most {
			best, most = t, shared
		}
	}
	if best == nil {
		return nil
	}
	return []*catalog.Table{best}
}

func unread(tables, read []*catalog.Table) []*catalog.Table {
	return slices.DeleteFunc(tables, func(t *catalog.Table) bool { return slices.Contains(read, t) })
}
