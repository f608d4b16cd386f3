package decide

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed wrappers.yaml
var wrappersYAML []byte

// wrappers cut the wish for a SQL off a request.
type wrappers struct {
	start, end []expression
}

func readWrappers(raw []byte) (wrappers, error) {
	var file struct {
		Start []string `yaml:"start"`
		End   []string `yaml:"end"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return wrappers{}, fmt.Errorf("wrappers: %w", err)
	}
	var w wrappers
	var problems []error
	compile := func(texts []string, before, after string) (out []expression) {
		for _, t := range texts {
			re, err := compile(before + t + after)
			problems = append(problems, err)
			out = append(out, re)
		}
		return out
	}
	w.start, w.end = compile(file.Start, `(?i)^(?:`, `)`), compile(file.End, `(?i)(?:`, `)$`)
	return w, errors.Join(problems...)
}

// minSubject is the shortest subject, in bytes: what is left of "the SQL" is
// none.
const minSubject = 4

// subject returns what a request is about. A request that is nothing but wrapping
// is returned as it is.
func (w wrappers) subject(text string) string {
	whole := strings.TrimRight(strings.TrimSpace(text), "?？.。!！ ")
	left, lower := whole, strings.ToLower(whole)
	for cut := true; cut; {
		cut = false
		for _, re := range w.start {
			if !re.mayFit(lower) {
				continue
			}
			if m := re.FindStringIndex(left); m != nil && m[1] > 0 && len(left)-m[1] >= minSubject {
				left, cut = strings.TrimSpace(left[m[1]:]), true
			}
		}
		for _, re := range w.end {
			if !re.mayFit(lower) {
				continue
			}
			if m := re.FindStringIndex(left); m != nil && m[0] < len(left) && m[0] >= minSubject {
				left, cut = strings.TrimSpace(left[:m[0]]), true
			}
		}
	}
	if left == whole {
		return text
	}
	return left
}
