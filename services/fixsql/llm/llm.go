// Package llm asks a model to repair what rules left of a statement. It is told the
// mistakes by class and place, the smallest excerpt of the schema, and that it may change
// nothing else. What it answers is checked by repair.Propose: it has to be one valid query
// that differs from the statement in what was wrong alone. It is told once what is wrong
// with its answer. Prompts are files (prompts/), with versions.
package llm

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
)

//go:embed prompts
var promptFiles embed.FS

// Config bounds what a model is sent. The zero value of a field means its default.
type Config struct {
	// MaxTables that a model is told of.
	MaxTables int `koanf:"model_tables"`
	// MaxColumns of one table that a model is told of: those that the statement names, or
	// nearly names, come first.
	MaxColumns int `koanf:"model_columns"`
	// MaxStatement is the most bytes of a statement that is sent to a model.
	MaxStatement int `koanf:"model_statement_bytes"`
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	for _, f := range []struct {
		key        string
		value      *int
		byDef, max int
	}{{"model_tables", &c.MaxTables, 12, 200}, {"model_columns", &c.MaxColumns, 40, 2000}, {"model_statement_bytes", &c.MaxStatement, 16384, 1 << 20}} {
		if *f.value == 0 {
			*f.value = f.byDef
		}
		if *f.value < 1 || *f.value > f.max {
			return c, fmt.Errorf("fixsql.%s is %d: it has to be from 1 to %d", f.key, *f.value, f.max)
		}
	}
	return c, nil
}

// Repairer asks a model. It may be used concurrently.
type Repairer struct {
	cfg    Config
	model  chat.Model
	prompt *prompt.Prompt
}

// New returns a Repairer.
func New(cfg Config, model chat.Model) (*Repairer, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	if model == nil {
		return nil, errors.New("fixsql: a model is needed")
	}
	p, err := prompt.Read(promptFiles, "prompts/repair.md")
	if err != nil {
		return nil, fmt.Errorf("fixsql: %w", err)
	}
	return &Repairer{cfg: cfg, model: model, prompt: p}, nil
}

// answer is the form of the model's answer.
type answer struct {
	Why string `json:"why" doc:"what was wrong, in a short sentence"`
	SQL string `json:"sql" doc:"the whole statement; empty where nothing in the tables is meant" verbatim:"true"`
}

// Left is what rules left.
type Left struct {
	Result   repair.Result
	Question string // that the statement should answer; empty: unknown
	Tables   []catalog.Table
	Language lang.Language
}

// Repair asks the model. changed is false where it gave nothing that can be used; the
// Result is then the one that was left, and why says what the model said of it. Errors are
// those of the model, or of o.Scopes.
func (r *Repairer) Repair(ctx context.Context, left Left, o repair.Options) (res repair.Result, why string, changed bool, err error) {
	was := left.Result
	if len(was.Text) > r.cfg.MaxStatement {
		return was, "", false, nil
	}
	req, err := r.prompt.Request(map[string]any{
		"Language": left.Language.Pick("English", "Chinese"), "Tables": strings.Join(r.schema(was.Text, left.Tables), "\n"),
		"Question": lang.Shorten(left.Question, maxQuestion), "Mistakes": strings.Join(mistakes(was), "\n"), "SQL": was.Text,
	})
	if err != nil {
		return was, "", false, err
	}
	res = was
	var failed error
	said, err := chat.Ask(ctx, r.model, req, func(a *answer) []string {
		if strings.TrimSpace(a.SQL) == "" {
			return nil
		}
		proposed, problems, err := repair.Propose(ctx, was, a.SQL, a.Why, o)
		if failed = err; err != nil {
			return nil
		}
		res = proposed
		return problems
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return was, "", false, err
	}
	return res, said.Why, res.Text != was.Text, nil
}

// maxQuestion bounds the question that a model is told, in characters.
const maxQuestion = 2000

// mistakes are what is wrong, one a line.
func mistakes(r repair.Result) []string {
	if r.Unread != nil {
		return []string{"SYNTAX_ERROR: " + r.Unread.Error()}
	}
	const most = 20
	var out []string
	for _, d := range r.Remaining[:min(len(r.Remaining), most)] {
		out = append(out, fmt.Sprintf("%s at line %d, column %d: %s", d.Code, d.Line, d.Column, d.Message))
	}
	return out
}

// schema are tables with their columns, types and keys, one a line: those that share most
// words with the statement.
func (r *Repairer) schema(sql string, tables []catalog.Table) []string {
	said := map[string]bool{}
	for _, w := range parser.Words(sql) {
		word := strings.ToLower(strings.Trim(sql[w.Start:w.End], `"'`))
		said[word] = true
		for _, part := range strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '.' || r == ' ' }) {
			said[part] = true
		}
	}
	weigh := func(name string) int {
		name = strings.ToLower(name)
		if said[name] {
			return 3
		}
		n := 0
		for _, part := range strings.Split(name, "_") {
			if said[part] {
				n = 1
			}
		}
		return n
	}
	weight := make(map[string]int, len(tables))
	for _, t := range tables {
		w := 4 * weigh(t.Name.Table)
		for _, c := range t.Columns {
			w += weigh(c.Name)
		}
		weight[t.Name.Key()] = w
	}
	sorted := slices.Clone(tables)
	slices.SortStableFunc(sorted, func(a, b catalog.Table) int { return cmp.Compare(weight[b.Name.Key()], weight[a.Name.Key()]) })
	var out []string
	for _, t := range sorted[:min(len(sorted), r.cfg.MaxTables)] {
		columns := slices.Clone(t.Columns)
		slices.SortStableFunc(columns, func(a, b catalog.Column) int { return cmp.Compare(weigh(b.Name), weigh(a.Name)) })
		var parts []string
		for _, c := range columns[:min(len(columns), r.cfg.MaxColumns)] {
			text := c.Name + " " + c.Type
			if c.PrimaryKey {
				text += " key"
			}
			parts = append(parts, text)
		}
		line := t.Name.String() + "(" + strings.Join(parts, ", ") + ")"
		for _, k := range t.ForeignKeys {
			line += fmt.Sprintf("; %s -> %s(%s)", strings.Join(k.Columns, ", "), k.RefTable, strings.Join(k.RefColumns, ", "))
		}
		out = append(out, line)
	}
	return out
}
