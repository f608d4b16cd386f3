// Package model lets a chat model write LogQL for a question. What it writes is read,
// checked against the grammar and the labels that are known, and repaired by it once;
// nothing it says gets further than a query that the guard would take from anybody.
package model

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify/guard"
	"github.com/dibrain/dibrain/services/logify/rules"
)

//go:embed prompts
var prompts embed.FS

// Config of a writer. Zero values mean the defaults.
type Config struct {
	// Range is how far back is looked where the question says nothing of time: an
	// hour. MaxRange is the most: 32 days.
	Range, MaxRange time.Duration
	// Limits bound what the model is told of the logs.
	Limits rules.OutlineLimits
}

func (c Config) complete() Config {
	if c.Range == 0 {
		c.Range = time.Hour
	}
	if c.MaxRange == 0 {
		c.MaxRange = 32 * 24 * time.Hour
	}
	for _, d := range []struct {
		value     *int
		otherwise int
	}{{&c.Limits.Labels, 30}, {&c.Limits.Values, 20}, {&c.Limits.Lines, 40}, {&c.Limits.Text, 300}} {
		if *d.value == 0 {
			*d.value = d.otherwise
		}
	}
	return c
}

// Writer asks a model for queries. It may be used concurrently.
type Writer struct {
	config Config
	model  llm.Model
	rules  *rules.Generator
	prompt *prompt.Prompt
}

// New returns a writer.
func New(c Config, m llm.Model, g *rules.Generator) (*Writer, error) {
	p, err := prompt.Read(prompts, "prompts/logql.md")
	if err != nil {
		return nil, err
	}
	return &Writer{config: c.complete(), model: m, rules: g, prompt: p}, nil
}

// form is the form of the model's answer.
type form struct {
	Answered bool   `json:"answered"`
	LogQL    string `json:"logql" doc:"the query alone; empty where answered is false" verbatim:"true"`
}

// maxQuery bounds the bytes of a query that a model writes.
const maxQuery = 8 << 10

// Write returns the query for a question; nil where the model says that no stream can
// be chosen. step is the span for each of which the question wants a number, 0: none.
// Faults are those of llm.Ask.
func (w *Writer) Write(ctx context.Context, question string, step time.Duration, now time.Time, k *rules.Known) (logql.Expr, error) {
	o := w.rules.Outline(question, now, k, w.config.Limits)
	spans := ""
	if step > 0 {
		spans = logql.FormatDuration(step)
	}
	request, err := w.prompt.Request(map[string]any{"Step": spans,
		"Labels": labelsText(o), "Lines": linesText(o), "Question": strings.ToValidUTF8(question, " "), "Now": now.Format("Monday 2006-01-02 15:04 MST"),
		"Range": logql.FormatDuration(w.config.Range), "MaxRange": logql.FormatDuration(w.config.MaxRange),
	})
	if err != nil {
		return nil, err
	}
	var read logql.Expr
	_, err = llm.Ask(ctx, w.model, request, func(f *form) []string {
		if !f.Answered {
			read = nil
			return nil
		}
		var wrong []string
		read, wrong = check(f.LogQL, k, w.config.MaxRange)
		return wrong
	})
	if err != nil {
		return nil, err
	}
	return read, nil
}

// check reads a query and says what is wrong with it, in words that a model can act on.
func check(text string, k *rules.Known, most time.Duration) (logql.Expr, []string) {
	if len(text) > maxQuery {
		return nil, []string{fmt.Sprintf("logql has %d bytes: at most %d", len(text), maxQuery)}
	}
	e, err := guard.Read(text)
	if err != nil {
		return nil, []string{err.Error()}
	}
	var wrong []string
	logql.Ranges(e, func(r *logql.RangeAgg) {
		if r.Range+r.Offset > most {
			wrong = append(wrong, "the range and offset look back further than "+logql.FormatDuration(most))
		}
	})
	logql.Logs(e, func(l *logql.LogExpr) {
		for _, m := range l.Matchers {
			wrong = append(wrong, unknown(m, k)...)
		}
	})
	return e, wrong
}

// unknown says what of a matcher is not known.
func unknown(m logql.Matcher, k *rules.Known) []string {
	at := slices.IndexFunc(k.Labels, func(l rules.Label) bool { return l.Name == m.Label })
	if at < 0 {
		var names []string
		for _, l := range k.Labels[:min(len(k.Labels), 30)] {
			names = append(names, l.Name)
		}
		return []string{fmt.Sprintf("no stream has the label %s: the labels are %s; what stands in lines is filtered or extracted after the braces", m.Label, strings.Join(names, ", "))}
	}
	if m.Op != logql.Equal && m.Op != logql.Match {
		return nil // what is shut out need not be there
	}
	selects, err := logql.Selects([]logql.Matcher{m})
	if err != nil {
		return []string{err.Error()}
	}
	values := k.Labels[at].Values
	if slices.ContainsFunc(values, func(v string) bool { return selects(map[string]string{m.Label: v}) }) {
		return nil
	}
	return []string{fmt.Sprintf("no stream has %s: the values of %s are %s", logql.Print(&logql.LogExpr{Matchers: []logql.Matcher{m}}), m.Label, strings.Join(values[:min(len(values), 20)], ", "))}
}

func labelsText(o rules.Outline) string {
	var b strings.Builder
	for _, l := range o.Labels {
		fmt.Fprintf(&b, "%s: %s", l.Name, strings.Join(l.Values, ", "))
		if l.More > 0 {
			fmt.Fprintf(&b, " and %d more", l.More)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func linesText(o rules.Outline) string {
	var b strings.Builder
	for _, l := range o.Lines {
		fmt.Fprintf(&b, "%s: %s\n", l.Streams, l.Text)
	}
	return b.String()
}
