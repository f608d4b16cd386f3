// Package llm has a model write the sentences of an analysis. It is told the findings
// alone, never the rows or the question, and writes each one anew. What it writes is
// checked against the finding word by word (check.go): its figures, names, units, days and
// directions are those of the finding, in their order, and between them stand words of a
// fixed vocabulary alone. Where one is not, the finding's own sentence stands. Prompts are
// files (prompts/), with versions.
package llm

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Values of Config.Personal.
const (
	On  = "on"
	Off = "off"
)

// Config bounds what a model is sent and waited for. The zero value of a field means its
// default.
type Config struct {
	// MaxTokens that writing the sentences of one answer may take, of input and output
	// together and of both tries; findings beyond keep their own sentences.
	MaxTokens int `koanf:"model_tokens"`
	// Timeout is how long an answer waits for its sentences.
	Timeout time.Duration `koanf:"model_timeout"`
	// Personal is on where the model may be told findings of a result that shows data of
	// persons, as the catalog marks it; off is the default.
	Personal string `koanf:"model_personal"`
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	if c.MaxTokens == 0 {
		c.MaxTokens = 6000
	}
	if c.MaxTokens < 1 {
		return c, fmt.Errorf("chatbi.model_tokens is %d: it has to be at least 1", c.MaxTokens)
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.Timeout < 0 {
		return c, fmt.Errorf("chatbi.model_timeout is %d: it has to be at least 1", int64(c.Timeout))
	}
	switch c.Personal {
	case "":
		c.Personal = Off
	case On, Off:
	default:
		return c, fmt.Errorf("chatbi.model_personal is %q: use on or off", c.Personal)
	}
	return c, nil
}

// Writer asks a model. It may be used concurrently.
type Writer struct {
	cfg    Config
	model  chat.Model
	prompt *prompt.Prompt
	words  *vocabulary
}

// New returns a Writer.
func New(cfg Config, model chat.Model) (*Writer, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if model == nil {
		return nil, errors.New("chatbi: a model is needed")
	}
	p, err := prompt.Read(promptFiles, "prompts/words.md")
	if err != nil {
		return nil, fmt.Errorf("chatbi: %w", err)
	}
	words, err := readVocabulary(vocabularyYAML)
	if err != nil {
		return nil, err
	}
	return &Writer{cfg: cfg, model: model, prompt: p, words: words}, nil
}

// Personal reports whether findings of data of persons may be told to the model.
func (w *Writer) Personal() bool { return w.cfg.Personal == On }

// Finding is one sentence of an analysis with its figures.
type Finding struct {
	ID       string             `json:"id"`
	Kind     string             `json:"kind"`
	Sentence string             `json:"sentence"`
	Figures  map[string]float64 `json:"figures,omitempty"` // finite
}

// Written is what came of it.
type Written struct {
	// Sentences by the finding's id, of those that hold.
	Sentences map[string]string
	// Asked is how many findings the model was told, and Refused what was wrong with those
	// of its sentences that do not hold.
	Asked   int
	Refused []string
}

// answer is the form of the model's answer.
type answer struct {
	Findings []rewritten `json:"findings"`
}

type rewritten struct {
	ID       string `json:"id" doc:"the finding's id"`
	Sentence string `json:"sentence" doc:"the finding in one sentence"`
}

// tries is how often the model is asked in all: once more where a sentence does not hold.
const tries = 2

// Write has the model write the sentences. names are what the result names in them:
// values and labels. Sentences that do not hold are told to it once;
// what does not hold then is left out. Errors are those of the model; a model that takes
// longer than the bound is LLM_TIMEOUT.
func (w *Writer) Write(ctx context.Context, findings []Finding, names []string, l lang.Language) (Written, error) {
	req, asked, err := w.request(findings, l)
	if err != nil || asked == 0 {
		return Written{}, err
	}
	of := map[string]string{}
	for _, f := range findings[:asked] {
		of[f.ID] = f.Sentence
	}
	out := Written{Asked: asked}
	try := 0
	bounded, cancel := context.WithTimeout(ctx, w.cfg.Timeout)
	defer cancel()
	_, err = chat.Ask(bounded, w.model, req, func(a *answer) []string {
		try++
		out.Sentences, out.Refused = map[string]string{}, nil
		for _, r := range a.Findings {
			template, known := of[r.ID]
			why := "there is no such finding"
			if known {
				why = w.words.wrong(template, r.Sentence, names)
			}
			if why != "" {
				out.Refused = append(out.Refused, fmt.Sprintf("%s: %s", lang.Clip(r.ID, maxID), why))
				continue
			}
			out.Sentences[r.ID] = strings.TrimSpace(r.Sentence)
		}
		if try < tries {
			return out.Refused
		}
		return nil
	})
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		err = fault.New(codes.DeadlineExceeded, chat.ReasonTimeout, "The model did not write the sentences in time.").Because(err)
	}
	if err != nil {
		return Written{Asked: asked}, err
	}
	return out, nil
}

// maxID bounds what is repeated of an id that a model made up, in bytes.
const maxID = 40

// request tells as many findings as the tokens allow, the first ones first.
func (w *Writer) request(findings []Finding, l lang.Language) (chat.Request, int, error) {
	for n := len(findings); n > 0; n-- {
		raw := make([]string, n)
		for i, f := range findings[:n] {
			line, err := json.Marshal(f)
			if err != nil {
				return chat.Request{}, 0, fmt.Errorf("write a finding down: %w", err)
			}
			raw[i] = string(line)
		}
		req, err := w.prompt.Request(map[string]any{"Language": l.Pick("English", "Chinese"), "Findings": strings.Join(raw, "\n")})
		if err != nil {
			return chat.Request{}, 0, err
		}
		tokens := tries * req.MaxAnswerTokens
		for _, m := range req.Messages {
			tokens += tries * chat.EstimateTokens(m.Text)
		}
		if tokens <= w.cfg.MaxTokens {
			return req, n, nil
		}
	}
	return chat.Request{}, 0, nil
}
