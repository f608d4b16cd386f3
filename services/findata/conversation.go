package findata

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/findata/scope"
)

// maxFragment is how many search terms a message has at most that can be the
// answer to a question rather than a question of its own.
const maxFragment = 4

// leastToAsk is how many marts of a schema do not tell which is meant.
const leastToAsk = 4

// texts returns what was said before, oldest first.
func (q query) texts() []string {
	out := make([]string, 0, len(q.History))
	for _, h := range q.History {
		out = append(out, h.Text)
	}
	return out
}

// takeReply recognises the answer to a question of ours in a message that has no
// mark of it: the message before asked, and this one is too short to ask itself.
func (w *search) takeReply() {
	q := &w.query
	n := len(q.History)
	if q.Reply != "" || q.ChosenOption != "" || n < 2 || q.History[n-1].ByUser || !q.History[n-2].ByUser || !w.scopes.Asked(q.History[n-1].Text) {
		return
	}
	if len(w.desk.volume.Corpus.Analyzer().Terms(q.Text)) <= maxFragment {
		q.Text, q.Reply = q.History[n-2].Text, q.Text
		q.History = q.History[:n-2]
	}
}

func (w *search) scopeRequest() scope.Request {
	marts, _ := w.desk.marts()
	r := scope.Request{
		Volume: w.desk.volume, View: w.desk.view, Shown: w.desk.visible, Marts: marts, Question: &w.question, Ranked: w.ranked, About: w.isAboutSource(), NoSubject: w.namesNoSubject(),
		Reply: w.query.Reply, MakeSure: w.query.MakeSure, ForSQL: w.query.ForSQL, Department: w.query.Department, Background: w.query.Background, Region: w.question.Region,
		Countries: w.desk.volume.Countries, Frequent: w.own.preferences.Marts,
	}
	if id := w.query.ChosenOption; strings.HasPrefix(id, scope.OptionPrefix) {
		r.Named = append(r.Named, id)
	} else if id != "" && r.Reply == "" { // a number, or words
		r.Reply = id
	}
	w.chose = len(r.Named) > 0 || r.Reply != ""
	r.Named = append(r.Named, w.groups.marts...)
	if marts := w.spokenMarts(); len(r.Named) == 0 && len(marts) < leastToAsk {
		r.Named = append(r.Named, marts...)
	}
	for _, t := range slices.Backward(w.question.Earlier) {
		if t.Mart != "" && !slices.Contains(r.Previous, t.Mart) {
			r.Previous = append(r.Previous, t.Mart)
		}
	}
	for _, h := range slices.Backward(w.query.History) {
		if !h.ByUser {
			continue
		}
		for _, m := range w.desk.volume.Marts.Matches(h.Text) {
			if !slices.Contains(r.Previous, m.Group.ID) {
				r.Previous = append(r.Previous, m.Group.ID)
			}
		}
	}
	return r
}
