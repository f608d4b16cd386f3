package repair

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed errors.tsv
var errorsFile string

// errorPattern is a line of errors.tsv.
type errorPattern struct {
	class   string
	pattern *regexp.Regexp
}

var errorPatterns = sync.OnceValue(func() []errorPattern {
	var out []errorPattern
	for line := range strings.Lines(errorsFile) {
		if class, pattern, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && line[0] != '#' {
			out = append(out, errorPattern{class, regexp.MustCompile("(?i)" + pattern)})
		}
	}
	return out
})

var errorWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z]+(_[A-Z]+)+`) })

// maxErrorText is how much of an error's text is looked at.
const maxErrorText = 4096

// ErrorClass is Trino's name for the error that a text of Trino, DuckDB, MySQL, Hive,
// Spark or PostgreSQL tells of; empty where it is not known.
func ErrorClass(text string) string {
	text = text[:min(len(text), maxErrorText)]
	if text == "" {
		return ""
	}
	for _, word := range errorWord().FindAllString(text, -1) {
		for _, p := range errorPatterns() {
			if word == p.class {
				return word
			}
		}
	}
	for _, p := range errorPatterns() {
		if p.pattern.MatchString(text) {
			return p.class
		}
	}
	return ""
}
