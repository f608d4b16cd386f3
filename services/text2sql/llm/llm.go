// Package llm has the members of the team that ask a model: team.Members over any
// endpoint of pkg/llm. One call is enough for an answer; further ones are made
// where the answer is wrong or in doubt: a repair, a choice between candidates
// whose results differ, and the check of the SQL against the question where that
// is switched on.
//
// What a model says is input to be checked: ids that do not exist are mistakes
// that it is told, SQL goes through the guard as anybody's. Errors that
// pkg/llm.FallBack knows mean that the member's rules go on. Prompts are files
// (prompts/), with versions.
package llm

import (
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	sqlparser "github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

//go:embed prompts
var promptFiles embed.FS

// Config bounds what a model is sent. The zero value of a field means its default.
type Config struct {
	// MaxTables of which it is told the columns.
	MaxTables int `koanf:"model_tables"`
	// MaxSchemaTokens bounds what it is told of tables; columns and samples are left
	// out to fit, then tables.
	MaxSchemaTokens int `koanf:"model_schema_tokens"`
	// MaxExamples of approved queries.
	MaxExamples int `koanf:"model_examples"`
	// MaxLayerItems bounds the metrics, and the dimensions, of a written layer.
	MaxLayerItems int `koanf:"model_layer_items"`
	// Samples tells it stored values of columns, where the asker may see them.
	Samples string `koanf:"model_samples"`
	// Personal tells it stored values of columns with data of persons, too: names,
	// addresses and what else the catalog marks as such.
	Personal string `koanf:"model_personal"`
	// SelfCheck has it compare the SQL with the question once more.
	SelfCheck bool `koanf:"model_self_check"`
}

// Values of Samples and Personal.
const (
	SamplesOn  = "on"
	SamplesOff = "off"
)

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	for _, f := range []struct {
		key        string
		value      *int
		byDef, max int
	}{
		{"model_tables", &c.MaxTables, 25, 200}, {"model_schema_tokens", &c.MaxSchemaTokens, 8000, 1_000_000},
		{"model_examples", &c.MaxExamples, 3, 20}, {"model_layer_items", &c.MaxLayerItems, 40, 500},
	} {
		if *f.value == 0 {
			*f.value = f.byDef
		}
		if *f.value < 1 || *f.value > f.max {
			return c, fmt.Errorf("text2sql.%s is %d: it has to be from 1 to %d", f.key, *f.value, f.max)
		}
	}
	switch c.Samples {
	case "":
		c.Samples = SamplesOn
	case SamplesOn, SamplesOff:
	default:
		return c, fmt.Errorf("text2sql.model_samples is %q: use on or off", c.Samples)
	}
	switch c.Personal {
	case "":
		c.Personal = SamplesOff
	case SamplesOn, SamplesOff:
	default:
		return c, fmt.Errorf("text2sql.model_personal is %q: use on or off", c.Personal)
	}
	return c, nil
}

// desk is what the members share.
type desk struct {
	cfg     Config
	model   chat.Model
	prompts struct{ sql, intent, repair, judge, check, plan *prompt.Prompt }
}

// New returns members that ask a model. rules are those that they build on.
func New(cfg Config, model chat.Model, p *pipeline.Pipeline, rules team.Members) (*team.Members, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	evaluator, ok := rules.Evaluator.(team.RulesEvaluator)
	if model == nil || p == nil || !ok {
		return nil, errors.New("text2sql: a model, a pipeline and the members by rules are needed")
	}
	d := &desk{cfg: cfg, model: model}
	for _, f := range []struct {
		name string
		to   **prompt.Prompt
	}{
		{"sql", &d.prompts.sql}, {"intent", &d.prompts.intent}, {"repair", &d.prompts.repair},
		{"judge", &d.prompts.judge}, {"check", &d.prompts.check}, {"plan", &d.prompts.plan},
	} {
		if *f.to, err = prompt.Read(promptFiles, "prompts/"+f.name+".md"); err != nil {
			return nil, fmt.Errorf("text2sql: %w", err)
		}
	}
	return &team.Members{
		Planner: planner{d, rules.Planner}, Parser: parser{d, p, rules.Parser},
		Generator: generator{d, rules.Generator}, Evaluator: judge{d, evaluator},
	}, nil
}

// Bounds of single texts, in characters.
const (
	maxText     = 300  // a description, a definition, a reason
	maxQuestion = 2000 // the question
	maxTold     = 600  // what is wrong with a statement
)

// text puts a text of a catalog, a person or a model on one line of bounded
// length.
func text(s string) string { return lang.Shorten(lang.OneLine(s), maxText) }

func language(l lang.Language) string { return l.Pick("English", "Chinese") }

// statement takes a fence and a semicolon off what a model wrote as SQL, and the one query
// out of several statements.
func statement(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		if _, after, found := strings.Cut(rest, "\n"); found {
			rest = after
		}
		s = strings.TrimSuffix(strings.TrimSpace(rest), "```")
	}
	s = strings.TrimRight(strings.TrimSpace(s), "; \n\t")
	if parts := sqlparser.Split(s); len(parts) > 1 {
		if query, one := onlyQuery(s, parts); one {
			return query
		}
	}
	return s
}

// onlyQuery is the one query among several statements, such as after a USE or SET.
func onlyQuery(s string, parts []sqlparser.Part) (query string, one bool) {
	n := 0
	for _, p := range parts {
		if text := strings.TrimSpace(s[p.Start:p.End]); beginsQuery(text) {
			query, n = text, n+1
		}
	}
	return query, n == 1
}
