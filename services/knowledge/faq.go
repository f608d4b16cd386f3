package knowledge

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/document"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/run"
)

// FAQ is one question.
type FAQ struct {
	Question    string
	Language    lang.Language // of what is said around the quotations
	Collections []string      // empty: all
	Product     string        // empty: any
}

// Citation is a passage that an answer rests on.
type Citation struct {
	Document, Section, URL string
	// Quote is the passage, as the document has it.
	Quote               string
	Collection, Product string
	Score               float64
	Changed             time.Time
}

// Heading is a section that is near to a question.
type Heading struct{ Section, Document, URL string }

// Answer is what came of a question.
type Answer struct {
	// Answered says whether the documents answer; Text says so where they do not.
	Answered   bool
	Text       string
	Citations  []Citation
	Confidence float64 // 0 to 1
	// Nearest sections and whom to Ask, where there is no answer.
	Nearest   []Heading
	Ask       string
	Conflicts []Conflict
	Warnings  []string
	// Strategy that wrote the text.
	Strategy string
	// SearchedAs is the question with what was put into it of earlier turns.
	SearchedAs string
}

// searched is how many passages are looked at to answer.
const searched = 8

// AnswerFAQ answers a question from the documents that somebody may read.
func (s *Service) AnswerFAQ(ctx context.Context, p run.Principal, in FAQ) (Answer, error) {
	if strings.TrimSpace(in.Question) == "" {
		return Answer{}, fault.Invalid("question", "QUESTION_EMPTY", "The question is empty: ask something.")
	}
	return s.answer(ctx, query{principal: p, text: in.Question, collections: in.Collections, product: in.Product, language: in.Language})
}

// answer searches and says what was found.
func (s *Service) answer(ctx context.Context, q query) (Answer, error) {
	hits, err := s.search(ctx, q, searched)
	if err != nil {
		return Answer{}, err
	}
	out := Answer{Warnings: hits.warnings, Strategy: StrategyRules}
	if len(hits.passages) > 0 {
		out.Confidence = hits.passages[0].hit.Confidence()
	}
	out.Warnings = append(out.Warnings, crossing(hits, q)...)
	if out.Confidence < s.config.MinConfidence {
		hits.owners = append(hits.owners, s.tableOwners(ctx, q.text)...)
		s.decline(&out, hits, q)
		return out, nil
	}
	out.Answered = true
	out.Conflicts = s.conflicts(hits.passages, q.text)
	if s.deps.Model != nil && s.config.Strategy == StrategyLLM {
		written, reason, err := s.write(ctx, q, hits.passages)
		if err != nil {
			return Answer{}, err
		}
		if reason == "" {
			out.Text, out.Citations, out.Strategy = written.text, written.citations, StrategyLLM
			out.Text += s.conflictText(out.Conflicts, q.language)
			return out, nil
		}
		out.Warnings = append(out.Warnings, reason)
	}
	s.quoteAnswer(&out, hits, q)
	return out, nil
}

// quoteAnswer answers with the best passage; others that are as sure are cited too.
func (s *Service) quoteAnswer(out *Answer, hits finding, q query) {
	for _, f := range hits.passages {
		if len(out.Citations) == s.config.MaxCitations {
			break
		}
		if sure := f.hit.Confidence(); len(out.Citations) > 0 && (sure < s.config.MinConfidence || sure < nearlyAsSure*out.Confidence) {
			continue
		}
		c := s.cite(f, s.quote(f, q.text, s.config.MaxQuote))
		if !slices.ContainsFunc(out.Citations, func(o Citation) bool { return o.Quote == c.Quote }) {
			out.Citations = append(out.Citations, c)
		}
	}
	out.Text = out.Citations[0].Quote + s.conflictText(out.Conflicts, q.language)
}

func (s *Service) cite(f found, quote string) Citation {
	return Citation{
		Document: f.document(), Section: f.section(), URL: f.link(), Quote: quote, Collection: f.of.Name,
		Product: f.product(), Score: f.hit.Confidence(), Changed: f.changed(),
	}
}

// keySentence is the sentence of a passage that speaks of most of a question.
func (s *Service) keySentence(f found, question string) string {
	sentences := document.Sentences(f.at.text)
	if len(sentences) == 0 {
		return ""
	}
	return sentences[f.in.index.BestOf(question, sentences)]
}

// decline says that the documents do not answer, and what comes nearest.
func (s *Service) decline(out *Answer, hits finding, q query) {
	for _, f := range hits.passages {
		h := Heading{Section: f.section(), Document: f.document(), URL: f.link()}
		if len(out.Nearest) < s.config.MaxNearest && !slices.Contains(out.Nearest, h) {
			out.Nearest = append(out.Nearest, h)
		}
	}
	slices.Sort(hits.owners)
	out.Ask = strings.Join(slices.Compact(hits.owners), ", ")
	out.Text = q.language.Pick("The documents do not answer this.", "文档中没有这个问题的答案。")
	if len(out.Nearest) > 0 {
		var sections []string
		for _, h := range out.Nearest {
			sections = append(sections, h.Section)
		}
		out.Text += q.language.Pick(" Nearest sections: "+strings.Join(sections, "; ")+".", "最接近的章节："+strings.Join(sections, "；")+"。")
	}
	if out.Ask != "" {
		out.Text += q.language.Pick(" Ask "+out.Ask+".", "可以咨询："+out.Ask+"。")
	}
}

// conflictText says that documents contradict each other.
func (s *Service) conflictText(conflicts []Conflict, l lang.Language) string {
	var out strings.Builder
	for _, c := range conflicts {
		out.WriteString(l.Pick("\n\nThe documents do not agree; newest first:", "\n\n文档之间说法不一致（新的在前）："))
		for _, cited := range c.Cited {
			out.WriteString("\n- " + cited.Changed.UTC().Format(time.DateOnly) + ", " + cited.Section + ": " + cited.Quote)
		}
	}
	return out.String()
}

// crossing warns of words that the lexicon could not take into the documents'
// language.
func crossing(hits finding, q query) []string {
	if len(hits.passages) == 0 || len(hits.unknown) == 0 {
		return nil
	}
	of := lang.Detect(hits.passages[0].at.text)
	if asked := lang.Detect(q.text); asked == of {
		return nil
	}
	words := lang.Shorten(strings.Join(hits.unknown, ", "), maxNames)
	return []string{q.language.Pick(
		"The documents are in another language, and these words have no known counterpart in them: "+words+".",
		"文档使用另一种语言，以下词语在其中没有对应："+words+"。")}
}

// within gives the model's work its budget.
func (s *Service) within(ctx context.Context) context.Context {
	return budget.Ensure(ctx, s.deps.ModelBudget)
}

// fellBack is why the rules go on where a model should have answered.
func fellBack(ctx context.Context, err error, l lang.Language) (string, error) {
	reason, ok := llm.FallBack(ctx, err)
	if !ok {
		return "", err
	}
	return l.Pick("The model did not answer ("+reason+"); the passage is quoted instead.", "模型没有给出回答（"+reason+"），改为引用原文。"), nil
}
