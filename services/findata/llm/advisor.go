// Package llm has the strategies of find data that ask a model: which marts a
// question belongs to, other words for it, answers about the catalog, and the
// summary of what was found.
//
// A strategy is given metadata that the asker may see, cleaned by whoever holds
// the catalog, and sends nothing else. What the model says is checked: a mart or
// table that it was not told of is dropped. An error means that the rules go on
// (pkg/llm.FallBack tells); there is no half answer. Prompts are files
// (prompts/), with versions.
package llm

import (
	"embed"
	"fmt"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Config bounds what a model is sent and asked for. The zero value of a field
// means its default.
type Config struct {
	// MaxRounds of an answer: in each but the last, details of more tables may be
	// asked for.
	MaxRounds int
	// MaxReformulations of one question.
	MaxReformulations int
	// MaxManifest bounds the tables of which a model is told the name.
	MaxManifest int
	// MaxDetails bounds the tables of which it is told the columns.
	MaxDetails int
	// MaxColumns of one table.
	MaxColumns int
	// MaxTextRunes bounds one description, definition or earlier message.
	MaxTextRunes int
	// MaxHistory is how many earlier messages are told.
	MaxHistory int
	// MaxSummaryTokens bounds a summary.
	MaxSummaryTokens int
}

func (c Config) complete() Config {
	for _, f := range []struct {
		value *int
		byDef int
	}{
		{&c.MaxRounds, 3}, {&c.MaxReformulations, 3}, {&c.MaxManifest, 40}, {&c.MaxDetails, 10}, {&c.MaxColumns, 60},
		{&c.MaxTextRunes, 400}, {&c.MaxHistory, 6}, {&c.MaxSummaryTokens, 2000},
	} {
		if *f.value <= 0 {
			*f.value = f.byDef
		}
	}
	return c
}

// Advisor asks a model. It may be used concurrently.
type Advisor struct {
	cfg     Config
	model   chat.Model
	prompts struct{ scope, expand, answer, summary *prompt.Prompt }
}

// New returns an advisor over a model.
func New(cfg Config, model chat.Model) (*Advisor, error) {
	a := &Advisor{cfg: cfg.complete(), model: model}
	for _, p := range []struct {
		name string
		to   **prompt.Prompt
	}{
		{"scope", &a.prompts.scope}, {"expand", &a.prompts.expand}, {"answer", &a.prompts.answer}, {"summary", &a.prompts.summary},
	} {
		var err error
		if *p.to, err = prompt.Read(promptFiles, "prompts/"+p.name+".md"); err != nil {
			return nil, fmt.Errorf("find data: %w", err)
		}
	}
	return a, nil
}

// Question is what is asked, with the conversation that it stands in.
type Question struct {
	Text     string
	Language lang.Language // of the answer
	// History are earlier messages, oldest first.
	History []string
	// Person is what is known of the asker, a line each; empty: nothing.
	Person []string
	// Today is the day on which it is asked, as "2006-01-02"; empty: not told.
	Today string
	// Session groups requests for the endpoint's cache; empty: none.
	Session string
}

// languageName names a language in prompts.
func languageName(l lang.Language) string { return l.Pick("English", "Chinese") }
