// Package prompt reads prompts from files and fills them in. A prompt is a
// text/template with a head of YAML between two lines "---":
//
//	---
//	id: findata.scope
//	version: 3
//	role: fast
//	use: rank
//	max_answer_tokens: 300
//	---
//	{{define "system"}}…{{end}}
//	{{define "user"}}…{{end}}
//
// Whoever changes the text raises the version: it is in the spans, and answers
// recorded for another text are not found. What people or a catalog wrote goes in
// through {{fence "label" .Text}} alone, which marks it as data.
package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/llm"
)

// Asker lists what is known of who asks, "department: Marketing", as every prompt tells it;
// what is empty is left out.
func Asker(background, department, email, country string) []string {
	var facts []string
	for _, known := range []struct{ name, value string }{{"background", background}, {"department", department}, {"e-mail", email}, {"country", country}} {
		if known.value != "" {
			facts = append(facts, known.name+": "+known.value)
		}
	}
	return facts
}

// Prompt is a prompt that has been read. It may be used concurrently.
type Prompt struct {
	head     head
	template *template.Template
}

type head struct {
	ID              string   `yaml:"id"`
	Version         int      `yaml:"version"`
	Role            llm.Role `yaml:"role"`
	Use             llm.Use  `yaml:"use"`
	MaxAnswerTokens int      `yaml:"max_answer_tokens"`
}

// Names of the parts of a prompt.
const (
	partSystem = "system"
	partUser   = "user"
)

// Read reads the prompt in a file.
func Read(files fs.FS, name string) (*Prompt, error) {
	raw, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("read a prompt: %w", err)
	}
	p, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("prompt %s: %w", name, err)
	}
	return p, nil
}

func parse(raw []byte) (*Prompt, error) {
	text, ok := bytes.CutPrefix(raw, []byte("---\n"))
	if !ok {
		return nil, errors.New("there is no head: the first line has to be ---")
	}
	top, body, ok := bytes.Cut(text, []byte("\n---\n"))
	if !ok {
		return nil, errors.New("the head has no end: a line ---")
	}
	p := &Prompt{}
	dec := yaml.NewDecoder(bytes.NewReader(top))
	dec.KnownFields(true)
	if err := dec.Decode(&p.head); err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	if p.head.ID == "" || p.head.Version < 1 {
		return nil, errors.New("the head needs an id and a version from 1 on")
	}
	switch p.head.Role {
	case llm.Standard, llm.Fast, llm.Reasoning:
	default:
		return nil, fmt.Errorf("role %q: use fast or reasoning, or leave it out", p.head.Role)
	}
	if !p.head.Use.IsKnown() {
		return nil, fmt.Errorf("use %q: take one that llm.sampling has, or leave it out", p.head.Use)
	}
	var err error
	p.template, err = template.New(p.head.ID).Option("missingkey=error").Funcs(template.FuncMap{"fence": Fence}).Parse(string(body))
	if err != nil {
		return nil, err
	}
	for _, part := range []string{partSystem, partUser} {
		if p.template.Lookup(part) == nil {
			return nil, fmt.Errorf("part %q is missing", part)
		}
	}
	return p, nil
}

// Name returns "ID@VERSION".
func (p *Prompt) Name() string { return fmt.Sprintf("%s@%d", p.head.ID, p.head.Version) }

// Request fills the prompt in and returns a request of two messages.
func (p *Prompt) Request(data any) (llm.Request, error) {
	r := llm.Request{Prompt: p.Name(), Role: p.head.Role, Use: p.head.Use, MaxAnswerTokens: p.head.MaxAnswerTokens}
	for _, part := range []struct {
		name    string
		speaker llm.Speaker
	}{{partSystem, llm.System}, {partUser, llm.User}} {
		var b strings.Builder
		if err := p.template.ExecuteTemplate(&b, part.name, data); err != nil {
			return r, fmt.Errorf("fill in prompt %s: %w", p.Name(), err)
		}
		r.Messages = append(r.Messages, llm.Message{Speaker: part.speaker, Text: strings.TrimSpace(b.String())})
	}
	return r, nil
}

// tag is what a model may take for the begin or the end of a fence. Names have digits
// and marks too (</passage_1>), and an end may have words after its name.
var tag = regexp.MustCompile(`(?i)<(\s*/?\s*[a-z_][a-z0-9_.:-]*\s*/?\s*|\s*/\s*[a-z_][a-z0-9_.:-]*\s[^<>]*)>`)

// Fence marks a text as data: between <label> and </label>. What looks like a tag
// in the text itself loses its brackets, so that no text ends its fence.
func Fence(label, text string) string {
	text = tag.ReplaceAllString(text, "‹$1›")
	return "<" + label + ">\n" + strings.TrimSpace(text) + "\n</" + label + ">"
}
