package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// generator writes SQL over tables.
type generator struct {
	*desk
	rules team.Generator
}

// written is the form of the model's answer.
type written struct {
	Outcome     string       `json:"outcome" enum:"sql|ask|cannot" doc:"what can be done"`
	Understood  string       `json:"understood" doc:"what is asked for, as one full sentence"`
	Columns     []string     `json:"columns" doc:"what each column of the result shows, in order; empty where there is no SQL" optional:"true"`
	Candidates  []writtenSQL `json:"candidates" doc:"the best first; empty where there is no SQL" max:"3" optional:"true"`
	Assumptions []string     `json:"assumptions" doc:"what the reader should know that the question did not say; mostly empty" optional:"true"`
	Question    string       `json:"question" doc:"to the person, with outcome ask; else empty" optional:"true"`
	Options     []string     `json:"options" doc:"2 to 4 readings in words, with outcome ask; else empty" max:"4" optional:"true"`
	Missing     string       `json:"missing" doc:"what the tables lack, with outcome cannot; else empty" optional:"true"`
}

type writtenSQL struct {
	SQL    string `json:"sql" doc:"one Presto SQL query" verbatim:"true"`
	Reason string `json:"reason" doc:"which reading it takes, in a short sentence" optional:"true"`
}

// check says what an answer lacks.
func (w *written) check() []string {
	switch {
	case w.Outcome == outcomeSQL && !slices.ContainsFunc(w.Candidates, func(c writtenSQL) bool { return statement(c.SQL) != "" }):
		return []string{"outcome is sql and candidates has no statement"}
	case w.Outcome == outcomeAsk && (strings.TrimSpace(w.Question) == "" || len(w.Options) < 2):
		return []string{"outcome is ask and there is no question with at least two options"}
	case w.Outcome == outcomeCannot && strings.TrimSpace(w.Missing) == "":
		return []string{"outcome is cannot and missing is empty"}
	}
	return nil
}

const (
	outcomeSQL    = "sql"
	outcomeAsk    = "ask"
	outcomeCannot = "cannot"
)

// Generate implements team.Generator. What the rules read from the question goes
// along as one more candidate: it costs nothing, and where both agree the answer
// is surer.
func (g generator) Generate(ctx context.Context, b *team.Board) (team.Draft, error) {
	if b.Reading.Settled && !team.Found(b.Task.Tried, b.Reading.SQL) {
		return g.rules.Generate(ctx, b)
	}
	req, err := g.prompts.sql.Request(map[string]any{
		"Language": language(b.Task.Language), "Today": b.Task.Now.Format(time.DateOnly), "Tables": g.schema(&b.Task, readTables(b.Reading)),
		"Terms": terms(b.Task.Terms), "Rules": rules(b.Task.Rules), "Examples": g.examples(b.Task.Examples),
		"Person": person(b.Task.Person), "Learned": learned(b.Learned), "Chosen": chosen(b.Task.Chosen), "Question": lang.Shorten(b.Task.Question, maxQuestion), "ShowBasis": b.Task.ShowBasis,
	})
	if err != nil {
		return team.Draft{}, err
	}
	req.CacheKey = b.Task.Session
	answer, err := chat.Ask(ctx, g.model, req, (*written).check)
	if err != nil {
		return team.Draft{}, err
	}
	return draft(b, &answer), nil
}

func draft(b *team.Board, w *written) team.Draft {
	if second, ok := secondView(b, w); ok {
		return second
	}
	d := team.Draft{By: team.ByModel, Restatement: text(w.Understood)}
	switch w.Outcome {
	case outcomeAsk:
		d.Outcome, d.Question = pipeline.Asked, text(w.Question)
		for _, o := range w.Options {
			d.Options = append(d.Options, team.SayOption(text(o)))
		}
		return d
	case outcomeCannot:
		d.Outcome, d.Reason = pipeline.Abstained, text(w.Missing)
		return d
	}
	d.Outcome = pipeline.Answered
	var assumptions []string
	for _, a := range w.Assumptions {
		if a = text(a); a != "" {
			assumptions = append(assumptions, a)
		}
	}
	for _, c := range w.Candidates {
		if sql := statement(c.SQL); sql != "" && !team.Found(b.Task.Tried, sql) {
			d.Candidates = append(d.Candidates, team.Candidate{
				SQL: sql, Reason: text(c.Reason), By: team.ByModel, Confidence: confidenceWritten, Assumptions: assumptions,
			})
		}
	}
	if b.Reading.Outcome == pipeline.Answered {
		own := team.Candidates(&b.Reading.Result)[0]
		if !team.Found(b.Learned, own.SQL) {
			d.Candidates = append(d.Candidates, own)
		}
	}
	return d
}

// secondView is what the rules read, where the model refuses a question or asks back and
// they are sure: a weak model does both with plain questions. The reader is told.
func secondView(b *team.Board, w *written) (team.Draft, bool) {
	if w.Outcome == outcomeSQL || b.Reading.Outcome != pipeline.Answered || b.Reading.Confidence < team.SurelyRead || b.Task.Chosen != "" || len(b.Learned) > 0 {
		return team.Draft{}, false
	}
	b.WarnRulesAnswer(text(cmp.Or(w.Missing, w.Question)))
	return team.Draft{
		By: team.ByRules, Outcome: pipeline.Answered, Restatement: b.Reading.Restatement, Candidates: team.Candidates(&b.Reading.Result)[:1],
	}, true
}

// sqlField is a statement in an answer that is not JSON as a whole: cut off, with a comma
// too many, with quotes of another kind around other texts.
var sqlField = regexp.MustCompile(`"(?:sql|query|SQL)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// fenced is a statement between fences.
var fenced = regexp.MustCompile("(?is)```(?:sql|presto|trino)?\\s*\n?((?:select|with)\\b.*?)```")

// FromText implements chat.Salvager: the statement of an answer that is not of the form
// that was asked for. What it says is checked like any other.
func (w *written) FromText(answer string) bool {
	sql := ""
	if m := sqlField.FindStringSubmatch(answer); m != nil {
		if json.Unmarshal([]byte(strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", "").Replace(m[1])), &sql) != nil {
			return false
		}
	} else if m := fenced.FindStringSubmatch(answer); m != nil {
		sql = m[1]
	} else if bare := strings.TrimSpace(answer); beginsQuery(bare) {
		sql = bare
	}
	if sql = statement(sql); !beginsQuery(sql) {
		return false
	}
	*w = written{Outcome: outcomeSQL, Candidates: []writtenSQL{{SQL: sql}}}
	return true
}

// beginsQuery reports a text whose first word begins a query.
func beginsQuery(s string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(s, "( \n\t"), " ")
	first, _, _ = strings.Cut(first, "\n")
	return strings.EqualFold(first, "select") || strings.EqualFold(first, "with")
}

// readTables are the tables that the rules read, or would.
func readTables(r *team.Reading) []string {
	names := slices.Clone(r.Reads)
	if r.Statement != nil {
		names = append(names, tools.TableNames(r.Statement)...)
	}
	return names
}

// person is what is known of the asker, a line each.
func person(facts []string) string {
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = text(f)
	}
	return strings.Join(lines, "\n")
}

func terms(list []catalog.Term) string {
	var lines []string
	for _, t := range list {
		line := "- " + text(t.Term)
		if len(t.Synonyms) > 0 {
			line += " (" + text(strings.Join(t.Synonyms, ", ")) + ")"
		}
		lines = append(lines, line+": "+text(t.Definition))
	}
	return strings.Join(lines, "\n")
}

func rules(list []catalog.Rule) string {
	var lines []string
	for _, r := range list {
		lines = append(lines, "- "+text(r.Text))
	}
	return strings.Join(lines, "\n")
}

func (g generator) examples(list []team.Example) string {
	var lines []string
	for _, e := range list[:min(len(list), g.cfg.MaxExamples)] {
		lines = append(lines, "question: "+text(e.Question)+"\nsql: "+lang.Shorten(lang.OneLine(e.SQL), maxQuestion))
	}
	return strings.Join(lines, "\n\n")
}

// learned tells what was tried before and why it failed, the last ones.
func learned(list []team.Finding) string {
	const most = 3
	var lines []string
	for _, f := range list[max(0, len(list)-most):] {
		lines = append(lines, fmt.Sprintf("sql: %s\nproblem: %s: %s", lang.Shorten(lang.OneLine(f.SQL), maxQuestion), f.Class, lang.Shorten(f.Message, maxTold)))
	}
	return strings.Join(lines, "\n\n")
}

// chosen is the reading that the person chose when asked before, in words.
func chosen(option string) string {
	said, _ := team.Said(option)
	return text(said)
}
