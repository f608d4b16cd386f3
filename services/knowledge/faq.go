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

// citation is a passage that an answer rests on.
type citation struct {
	document, section, url, quote string
	collection, product           string
	score                         float64
	changed                       time.Time
}

// heading is a section that is near to a question.
type heading struct{ section, document, url string }

// answer is what came of a question.
type answer struct {
	answered   bool
	text       string
	citations  []citation
	confidence float64
	nearest    []heading
	ask        string
	conflicts  []conflict
	warnings   []string
	strategy   string
	searchedAs string

	best *found // the passage that it rests on; nil: none
}

// searched is how many passages are looked at to answer.
const searched = 8

// AnswerFAQ answers a question from the documents that somebody may read.
func (s *Service) AnswerFAQ(ctx context.Context, p run.Principal, in FAQ) (answer, error) {
	if strings.TrimSpace(in.Question) == "" {
		return answer{}, fault.Invalid("question", "QUESTION_EMPTY", "The question is empty: ask something.")
	}
	return s.answer(ctx, query{principal: p, text: in.Question, collections: in.Collections, product: in.Product, language: in.Language})
}

// answer searches and says what was found.
func (s *Service) answer(ctx context.Context, q query) (answer, error) {
	hits, err := s.search(ctx, q, searched)
	if err != nil {
		return answer{}, err
	}
	out := answer{warnings: hits.warnings, strategy: StrategyRules}
	if len(hits.passages) > 0 {
		out.confidence = hits.passages[0].hit.Confidence()
	}
	out.warnings = append(out.warnings, crossing(hits, q)...)
	if out.confidence < s.config.MinConfidence {
		s.decline(&out, hits, q)
		return out, nil
	}
	best := hits.passages[0]
	out.answered, out.best = true, &best
	out.conflicts = s.conflicts(hits.passages, q.text)
	if s.deps.Model != nil && s.config.Strategy == StrategyLLM {
		written, reason, err := s.write(ctx, q, hits.passages)
		if err != nil {
			return answer{}, err
		}
		if reason == "" {
			out.text, out.citations, out.strategy = written.text, written.citations, StrategyLLM
			out.text += s.conflictText(out.conflicts, q.language)
			return out, nil
		}
		out.warnings = append(out.warnings, reason)
	}
	s.quoteAnswer(&out, hits, q)
	return out, nil
}

// quoteAnswer answers with the best passage; others that are as sure are cited too.
func (s *Service) quoteAnswer(out *answer, hits finding, q query) {
	for _, f := range hits.passages {
		if len(out.citations) == s.config.MaxCitations {
			break
		}
		if sure := f.hit.Confidence(); len(out.citations) > 0 && (sure < s.config.MinConfidence || sure < nearlyAsSure*out.confidence) {
			continue
		}
		c := s.cite(f, s.quote(f, q.text, s.config.MaxQuote))
		if !slices.ContainsFunc(out.citations, func(o citation) bool { return o.quote == c.quote }) {
			out.citations = append(out.citations, c)
		}
	}
	out.text = out.citations[0].quote + s.conflictText(out.conflicts, q.language)
}

func (s *Service) cite(f found, quote string) citation {
	return citation{
		document: f.document(), section: f.section(), url: f.link(), quote: quote, collection: f.of.Name,
		product: f.product(), score: f.hit.Confidence(), changed: f.changed(),
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
func (s *Service) decline(out *answer, hits finding, q query) {
	for _, f := range hits.passages {
		h := heading{section: f.section(), document: f.document(), url: f.link()}
		if len(out.nearest) < s.config.MaxNearest && !slices.Contains(out.nearest, h) {
			out.nearest = append(out.nearest, h)
		}
	}
	out.ask = strings.Join(hits.owners, ", ")
	out.text = q.language.Pick("The documents do not answer this.", "文档中没有这个问题的答案。")
	if len(out.nearest) > 0 {
		var sections []string
		for _, h := range out.nearest {
			sections = append(sections, h.section)
		}
		out.text += q.language.Pick(" Nearest sections: "+strings.Join(sections, "; ")+".", "最接近的章节："+strings.Join(sections, "；")+"。")
	}
	if out.ask != "" {
		out.text += q.language.Pick(" Ask "+out.ask+".", "可以咨询："+out.ask+"。")
	}
}

// conflictText says that documents contradict each other.
func (s *Service) conflictText(conflicts []conflict, l lang.Language) string {
	var out strings.Builder
	for _, c := range conflicts {
		out.WriteString(l.Pick("\n\nThe documents do not agree; newest first:", "\n\n文档之间说法不一致（新的在前）："))
		for _, cited := range c.cited {
			out.WriteString("\n- " + cited.changed.UTC().Format(time.DateOnly) + ", " + cited.section + ": " + cited.quote)
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
