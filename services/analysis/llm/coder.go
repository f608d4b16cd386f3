// Package llm lets a chat model write the programs of an analysis. What it writes runs in
// the sandbox and nowhere else, and what that prints is checked as anybody's.
package llm

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

//go:embed prompts
var prompts embed.FS

// Coder writes programs. It may be used concurrently.
type Coder struct {
	model  chat.Model
	limits budget.Limits
	python func(context.Context) (sandbox.Interpreter, error)
	prompt *prompt.Prompt
}

// New returns a Coder that asks a model for programs for an interpreter, which python says: it
// may be another machine's.
func New(model chat.Model, limits budget.Limits, python func(context.Context) (sandbox.Interpreter, error)) (*Coder, error) {
	p, err := prompt.Read(prompts, "prompts/python.md")
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	return &Coder{model: model, limits: limits, python: python, prompt: p}, nil
}

// form is the form of the model's answer.
type form struct {
	Program string `json:"program" doc:"the Python program alone" verbatim:"true"`
}

// Bounds of what a model is told and of what it may write.
const (
	maxProgram = 64 << 10 // bytes
	maxText    = 2000     // characters of an instruction or a problem
	maxColumns = 100      // of a file
)

// Code implements workflow.Coder. The model is told of names and types of columns, and of
// no row. Faults are those of llm.Ask.
func (c *Coder) Code(ctx context.Context, _ lang.Language, instruction string, inputs []workflow.Input, before, problem string) (string, error) {
	python, err := c.python(ctx)
	if err != nil {
		return "", err
	}
	request, err := c.prompt.Request(map[string]any{
		"Version": python.Version, "Packages": packages(python), "Files": files(inputs), "Instruction": lang.Shorten(instruction, maxText),
		"Parquet": python.Packages["pyarrow"] != "", "Before": before, "Problem": lang.Shorten(problem, maxText),
	})
	if err != nil {
		return "", fmt.Errorf("fill in the prompt for a program: %w", err)
	}
	f, err := chat.Ask(budget.Ensure(ctx, c.limits), c.model, request, func(f *form) []string {
		f.Program = unfenced(f.Program)
		if strings.TrimSpace(f.Program) == "" || len(f.Program) > maxProgram {
			return []string{fmt.Sprintf("program has %d bytes: write 1 to %d", len(f.Program), maxProgram)}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return f.Program, nil
}

// packages are those of the interpreter, with versions.
func packages(python sandbox.Interpreter) string {
	var out []string
	for _, name := range sandbox.Packages() {
		if version := python.Packages[name]; version != "" {
			out = append(out, name+" "+version)
		}
	}
	return strings.Join(out, ", ")
}

// files says what there is to read.
func files(inputs []workflow.Input) string {
	var out strings.Builder
	for _, in := range inputs {
		fmt.Fprintf(&out, "%s (%s; %d rows): ", in.File, lang.Shorten(lang.OneLine(in.Title), 200), in.Rows)
		columns := make([]string, 0, len(in.Columns))
		for _, column := range in.Columns[:min(len(in.Columns), maxColumns)] {
			text := column.Name + " " + column.Type
			if column.Unit != "" {
				text += " in " + column.Unit
			}
			columns = append(columns, lang.Shorten(lang.OneLine(text), 120))
		}
		out.WriteString(strings.Join(columns, ", ") + "\n")
	}
	return out.String()
}

// unfenced takes off a fence that a model put around a program.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	inner, fenced := strings.CutPrefix(text, "```")
	if !fenced {
		return text
	}
	_, inner, _ = strings.Cut(inner, "\n") // the name of the language
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
}
