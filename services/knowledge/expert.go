package knowledge

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval/passage"
	"github.com/dibrain/dibrain/pkg/run"
)

// Turn is a question in a conversation with the expert.
type Turn struct {
	Question  string
	Language  lang.Language
	Product   string // empty: that of the session so far
	SessionID string // empty: a new one
}

// Turned is what came of a turn.
type Turned struct {
	Answer
	SessionID string
	Product   string // that was looked in; empty: any
}

// prefixExpert begins ids of sessions that the expert makes.
const prefixExpert = "exp_"

// AskExpert answers a turn, read with what was asked before in its session.
func (s *Service) AskExpert(ctx context.Context, p run.Principal, in Turn) (Turned, error) {
	if strings.TrimSpace(in.Question) == "" {
		return Turned{}, fault.Invalid("user_question", "QUESTION_EMPTY", "The question is empty: ask something.")
	}
	var before memory
	if in.SessionID == "" {
		in.SessionID = s.deps.IDs(prefixExpert)
	} else {
		var err error
		if before, err = s.sessions.load(ctx, p.ID, in.SessionID); err != nil {
			return Turned{}, err
		}
	}
	if in.Product == "" {
		in.Product = before.Product
	} else if !strings.EqualFold(in.Product, before.Product) {
		before = memory{} // another product is another subject
	}
	a, goesOn, err := s.turn(ctx, p, in, before)
	if err != nil {
		return Turned{}, err
	}
	after := before.after(in, a, goesOn)
	if err := s.sessions.save(ctx, p.ID, in.SessionID, after); err != nil {
		return Turned{}, err
	}
	return Turned{a, in.SessionID, in.Product}, nil
}

// turn answers a question alone where it stands for itself, and with what was said
// before where it goes on from it, or has no answer alone. goesOn tells which.
func (s *Service) turn(ctx context.Context, p run.Principal, in Turn, before memory) (a Answer, goesOn bool, err error) {
	q := query{principal: p, text: in.Question, product: in.Product, language: in.Language}
	if before.Topic == "" {
		a, err = s.answer(ctx, q)
		return a, false, err
	}
	goesOn = s.followUp.isOne(in.Question, s.words)
	if !goesOn {
		if a, err = s.answer(ctx, q); err != nil || a.Answered {
			return a, false, err
		}
	}
	with := q
	with.asked, with.text, with.context = in.Question, s.followUp.without(in.Question), before.context()
	b, err := s.answer(ctx, with)
	if err != nil {
		return a, false, err
	}
	if !goesOn && !b.Answered {
		return a, false, nil // it has no answer either way: told about the question alone
	}
	b.SearchedAs = in.Question + " (" + before.Topic + ")"
	return b, true, nil
}

// memory is what a session remembers of its turns.
type memory struct {
	Product string `json:"product,omitempty"`
	// Topic is the last question that stood for itself, Last the one before this.
	Topic string `json:"topic,omitempty"`
	Last  string `json:"last,omitempty"`
	// Section is where the last answer stood.
	Section string `json:"section,omitempty"`
}

// What words of earlier turns count against those of the question.
const (
	topicWeight   = 0.5
	lastWeight    = 0.5
	sectionWeight = 0.5
	// maxRemembered bounds the bytes of a text that a session remembers.
	maxRemembered = 2_000
)

func (m memory) context() mixed {
	out := mixed{{Text: m.Topic, Weight: topicWeight}}
	if m.Last != m.Topic {
		out = append(out, passage.Weighted{Text: m.Last, Weight: lastWeight})
	}
	if m.Section != "" {
		out = append(out, passage.Weighted{Text: m.Section, Weight: sectionWeight})
	}
	return out
}

// after is the memory with a turn more. A question without an answer changes nothing
// but what was asked last.
func (m memory) after(in Turn, a Answer, goesOn bool) memory {
	m.Product = in.Product
	question := lang.Clip(in.Question, maxRemembered)
	if m.Topic == "" || !goesOn && a.Answered {
		m.Topic = question
	}
	m.Last = question
	if a.Answered {
		m.Section = lang.Clip(a.Citations[0].Section, maxRemembered)
	}
	return m
}

// mixed are texts of earlier turns with what their words count.
type mixed = []passage.Weighted

//go:embed followup.yaml
var followUpYAML []byte

// followUps knows questions that go on from the one before.
type followUps struct {
	refers, begins []string // English with blanks around the words
	refersHan      []string
	beginsHan      []string
}

func readFollowUps() (f followUps, err error) {
	var file map[lang.Language]struct{ Refers, Begins []string }
	if err := yaml.Unmarshal(followUpYAML, &file); err != nil {
		return f, fmt.Errorf("followup.yaml: %w", err)
	}
	padded := func(words []string) []string {
		var out []string
		for _, w := range words {
			out = append(out, " "+w+" ")
		}
		return out
	}
	return followUps{padded(file[lang.English].Refers), padded(file[lang.English].Begins), file[lang.Chinese].Refers, file[lang.Chinese].Begins}, nil
}

// fewWords is how many words a question has at most that says too little to stand for
// itself.
const fewWords = 1

// isOne reports whether a question goes on from the one before: it refers to something
// that it does not name itself, begins with "and", or says next to nothing.
func (f followUps) isOne(question string, words *passage.Words) bool {
	if words.Count(question) <= fewWords {
		return true
	}
	// "I lost my badge, when is it replaced?" speaks of what its first clause names.
	clause := question
	if at := strings.IndexAny(question, ",;:，；："); at > 0 && words.Count(question[:at]) > 0 {
		clause = question[:at]
	}
	text, han := spaced(clause), strings.TrimSpace(question)
	return slices.ContainsFunc(f.begins, func(w string) bool { return strings.HasPrefix(text, w) }) ||
		slices.ContainsFunc(f.beginsHan, func(w string) bool { return strings.HasPrefix(han, w) }) ||
		slices.ContainsFunc(f.refers, func(w string) bool { return strings.Contains(text, w) }) ||
		slices.ContainsFunc(f.refersHan, func(w string) bool { return strings.Contains(clause, w) })
}

// without leaves the words out that refer to something: they are to be found nowhere.
func (f followUps) without(question string) string {
	var kept []string
	for _, w := range strings.Fields(question) {
		if !slices.Contains(f.refers, spaced(w)) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// spaced is a text in lower case with one blank around each word and no marks.
func spaced(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,.?!;:\"'()", r) }), " ") + " "
}
