package router

import (
	"slices"
	"strings"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/words"
)

// readingOption begins the ids of options that are readings of a question, as text2sql
// offers them where it is not sure.
const readingOption = "reading:"

func (p *pendingQuestion) offersReadings() bool {
	return len(p.Options) > 0 && strings.HasPrefix(p.Options[0].ID, readingOption)
}

// answerReading takes a reply to offered readings: the id of one, its number alone, its
// words or words that it alone has. A plain no ends the turn. All else is a message of its
// own: a question that has more in it than an option is not answered by the option.
func (s *Service) answerReading(t *turn, p *pendingQuestion, verdict decide.Verdict) bool {
	reply, id := t.request.GetQuestion(), t.request.GetChosenOptionId()
	labels := make([]string, len(p.Options))
	for i, o := range p.Options {
		labels[i] = o.Label
	}
	at := slices.IndexFunc(p.Options, func(o option) bool {
		return id != "" && id == o.ID || id == "" && (strings.EqualFold(o.ID, reply) || strings.EqualFold(o.Label, reply))
	})
	if at < 0 && id == "" {
		if n, ok := s.rules.Numbered(reply, len(labels)); ok {
			at = n
		} else if n, ok := s.rules.Names(reply, labels); ok {
			at = n
		} else if verdict == decide.Yes && len(labels) == 1 {
			at = 0 // "yes" to the only one
		}
	}
	if at < 0 {
		return verdict == decide.No && s.sayInstead(t, "decline", words.Declined)
	}
	t.chosen = p.Options[at].ID
	t.speakAs(p)
	first := p.First
	first.Rewritten = p.Options[at].Label // it says all of the reading and stands alone
	if first.Topic != "" {
		first.Topic = first.Rewritten
	}
	first.Tool, first.Arguments, first.Say = p.Tool, p.Arguments, ""
	t.goBackTo(p, first)
	return true
}

// speakAs answers in the language of the question that a choice is the answer to, unless
// the request says which: a number has no language.
func (t *turn) speakAs(p *pendingQuestion) {
	asked := t.request.GetUserContext().GetLanguage()
	if p.Language != "" && asked != commonv1.Language_LANGUAGE_EN && asked != commonv1.Language_LANGUAGE_ZH {
		t.language = p.Language
	}
}
