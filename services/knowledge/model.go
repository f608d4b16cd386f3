package knowledge

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/retrieval/passage"
)

//go:embed prompts
var promptFiles embed.FS

// written is an answer in a model's words, with a checked citation a sentence.
type written struct {
	text      string
	citations []Citation
}

// writtenForm is the form of the model's answer.
type writtenForm struct {
	Answered  bool           `json:"answered"`
	Sentences []sentenceForm `json:"sentences" max:"6"`
}

type sentenceForm struct {
	Text    string `json:"text"`
	Passage int    `json:"passage" doc:"number of the passage that says it"`
	Quote   string `json:"quote" doc:"the words of the passage that say it, letter for letter" verbatim:"true"`
}

// mostTold bounds the passages that a model is shown.
const mostTold = 5

// write lets the model answer from passages. reason is why its answer is not used, in
// the asker's language; empty: it is. Only what ends the whole answer is an error.
func (s *Service) write(ctx context.Context, q query, passages []found) (w written, reason string, err error) {
	passages = passages[:min(len(passages), mostTold)]
	var shown []string
	for i, f := range passages {
		shown = append(shown, fmt.Sprintf("number %d, %s\n\n%s", i+1, f.section(), f.at.text))
	}
	before := ""
	if len(q.context) > 0 {
		before = q.context[0].Text
	}
	request, err := s.prompt.Request(map[string]any{
		"Language": q.language.Pick("English", "Chinese"), "Passages": shown, "Question": cmp.Or(q.asked, q.text), "Before": before,
	})
	if err != nil {
		return w, "", err
	}
	form, err := llm.Ask(s.within(ctx), s.deps.Model, request, support{s.words, passages}.check)
	if err != nil {
		reason, err = fellBack(ctx, err, q.language)
		return w, reason, err
	}
	if !form.Answered {
		return w, q.language.Pick("The model found no answer in the passages; the nearest one is quoted.", "模型未在文档中找到答案，仅引用最接近的段落。"), nil
	}
	numbers := make(map[string]int) // of citations, by passage and quote
	for _, sentence := range form.Sentences {
		key := fmt.Sprint(sentence.Passage, " ", sentence.Quote)
		if numbers[key] == 0 {
			w.citations = append(w.citations, s.cite(passages[sentence.Passage-1], strings.TrimSpace(sentence.Quote)))
			numbers[key] = len(w.citations)
		}
		w.text += fmt.Sprintf("%s [%d] ", strings.TrimSpace(sentence.Text), numbers[key])
	}
	w.text = strings.TrimSpace(w.text)
	return w, "", nil
}

// support holds sentences against the passages that they cite.
type support struct {
	words    *passage.Words
	passages []found
}

// check says what is wrong with an answer.
func (f support) check(form *writtenForm) []string {
	passages := f.passages
	if !form.Answered {
		return nil
	}
	if len(form.Sentences) == 0 {
		return []string{"sentences is empty"}
	}
	var wrong []string
	for i, s := range form.Sentences {
		if s.Passage < 1 || s.Passage > len(passages) {
			wrong = append(wrong, fmt.Sprintf("sentence %d cites passage %d: there are 1 to %d", i+1, s.Passage, len(passages)))
			continue
		}
		of := passages[s.Passage-1]
		whole := lang.OneLine(of.section() + "\n" + of.at.text)
		switch quote := lang.OneLine(s.Quote); {
		case strings.TrimSpace(s.Text) == "":
			wrong = append(wrong, fmt.Sprintf("sentence %d is empty", i+1))
		case len([]rune(quote)) < leastQuote || !strings.Contains(whole, quote):
			wrong = append(wrong, fmt.Sprintf("the quote of sentence %d does not stand in passage %d: copy it letter for letter", i+1, s.Passage))
		default:
			wrong = append(wrong, f.unsupported(i+1, s, whole)...)
		}
	}
	return wrong
}

// leastQuote is how many characters of a passage hold a sentence at least.
const leastQuote = 8

// facts are what a sentence cannot have got from anywhere but the passage: figures,
// keys, commands and addresses.
var facts = regexp.MustCompile("`[^`]+`|https?://[^\\s)]+|[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*(?:[._/-][A-Za-z0-9]+)*[._/][A-Za-z0-9]+|--[a-z][a-z-]+|\\d+(?:[.,:]\\d+)*")

// leastShared is the share of a sentence's words that the passage has where both are
// in one language.
const leastShared = 0.5

// unsupported says what in a sentence its passage does not hold.
func (f support) unsupported(n int, s sentenceForm, whole string) []string {
	lower := strings.ToLower(whole)
	for _, fact := range facts.FindAllString(s.Text, -1) {
		fact = strings.TrimRight(strings.Trim(fact, "`"), ".,")
		if !strings.Contains(lower, strings.ToLower(fact)) {
			return []string{fmt.Sprintf("sentence %d says %q, which passage %d does not", n, fact, s.Passage)}
		}
	}
	if lang.Detect(s.Text) != lang.Detect(s.Quote) {
		return nil // other words by necessity: the quotation and the facts hold it
	}
	if f.words.Share(s.Text, whole) < leastShared {
		return []string{fmt.Sprintf("sentence %d is not what passage %d says", n, s.Passage)}
	}
	return nil
}

func readPrompt() (*prompt.Prompt, error) { return prompt.Read(promptFiles, "prompts/answer.md") }
