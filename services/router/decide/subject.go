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

// wrappers cut the wish for a SQL, or for tables, off a request.
type wrappers struct {
	start, end []expression
}

// readWrappers returns what is said around a request for SQL, and around one for tables.
func readWrappers(raw []byte) (sql, tables wrappers, err error) {
	var file struct {
		Start       []string `yaml:"start"`
		End         []string `yaml:"end"`
		TablesStart []string `yaml:"tables_start"`
		TablesEnd   []string `yaml:"tables_end"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return wrappers{}, wrappers{}, fmt.Errorf("wrappers: %w", err)
	}
	var problems []error
	compile := func(texts []string, before, after string) (out []expression) {
		for _, t := range texts {
			re, err := compile(before + t + after)
			problems = append(problems, err)
			out = append(out, re)
		}
		return out
	}
	both := func(start, end []string) wrappers {
		return wrappers{start: compile(start, `(?i)^(?:`, `)`), end: compile(end, `(?i)(?:`, `)$`)}
	}
	sql, tables = both(file.Start, file.End), both(file.TablesStart, file.TablesEnd)
	return sql, tables, errors.Join(problems...)
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
