package fixsql

import (
	"fmt"
	"time"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/services/fixsql/llm"
)

// Values of Strategy.
const (
	StrategyRules = "rules"
	StrategyLLM   = "llm"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// DefaultSource is asked where a request names no source.
	DefaultSource string `koanf:"default_source"`
	// Strategy is rules, or llm: a model is asked for what rules leave, and what it
	// answers is taken where it changes only what is wrong.
	Strategy string `koanf:"strategy"`
	// ExplainTimeout bounds how long an engine may take to explain a repaired statement;
	// past it the statement counts as checked against the catalog alone.
	ExplainTimeout time.Duration `koanf:"explain_timeout"`
	// TermsTimeout bounds how long the semantic layer's terms may take to come; past it the
	// catalog alone counts.
	TermsTimeout time.Duration `koanf:"terms_timeout"`
	// Model bounds what a model is told.
	Model llm.Config `koanf:",squash"`
	// MaxRounds bounds how often a statement is checked again after a repair: a
	// repair may uncover an error that the first one hid.
	MaxRounds int `koanf:"max_rounds"`
	// MaxChanges bounds the changes of one repair.
	MaxChanges int `koanf:"max_changes"`
	// MaxDiagnostics bounds the errors that one answer lists.
	MaxDiagnostics int `koanf:"max_diagnostics"`
	// MaxSuggestions bounds the candidates of one diagnostic.
	MaxSuggestions int `koanf:"max_suggestions"`
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	if c.DefaultSource == "" {
		c.DefaultSource = "demo"
	}
	switch c.Strategy {
	case "":
		c.Strategy = StrategyRules
	case StrategyRules, StrategyLLM:
	default:
		return c, fmt.Errorf("fixsql.strategy is %q: use rules or llm", c.Strategy)
	}
	if c.ExplainTimeout == 0 {
		c.ExplainTimeout = 5 * time.Second
	}
	if c.ExplainTimeout < 0 {
		return c, fmt.Errorf("fixsql.explain_timeout is %s: it has to be above 0", c.ExplainTimeout)
	}
	if c.TermsTimeout == 0 {
		c.TermsTimeout = 2 * time.Second
	}
	if c.TermsTimeout < 0 {
		return c, fmt.Errorf("fixsql.terms_timeout is %s: it has to be above 0", c.TermsTimeout)
	}
	var err error
	if c.Model, err = c.Model.Complete(); err != nil {
		return c, err
	}
	for _, limit := range []struct {
		key       string
		value     *int
		otherwise int
	}{
		{"max_rounds", &c.MaxRounds, 8},
		{"max_changes", &c.MaxChanges, 200},
		{"max_diagnostics", &c.MaxDiagnostics, 100},
		{"max_suggestions", &c.MaxSuggestions, 5},
	} {
		if *limit.value == 0 {
			*limit.value = limit.otherwise
		}
		if *limit.value < 1 {
			return c, fmt.Errorf("fixsql.%s is %d: it has to be at least 1", limit.key, *limit.value)
		}
	}
	return c, nil
}

// Deps are what the service works with.
type Deps struct {
	// Catalog is findata's: what it does not describe, the asker may not read.
	Catalog findatav1.CatalogServiceClient
	// ChatBI has the engine explain a repaired statement; nil: none does.
	ChatBI chatbiv1.ChatBIServiceClient
	// Text2SQL tells the terms of the semantic layer; nil: there are none.
	Text2SQL text2sqlv1.Text2SQLServiceClient
	// Model is asked with strategy llm; nil: there is none, and rules alone repair.
	Model chat.Model
	// ModelBudget is what one request may spend on it.
	ModelBudget budget.Limits
}
