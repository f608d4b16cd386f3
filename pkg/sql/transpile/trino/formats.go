package trino

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

//go:embed formats.tsv
var formatsFile string

// formatTable is formats.tsv: the parts of a pattern by language.
var formatTable = sync.OnceValue(func() map[string]map[string]string {
	table := map[string]map[string]string{}
	for line := range strings.Lines(formatsFile) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cells) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		if table[cells[0]] == nil {
			table[cells[0]] = map[string]string{}
		}
		table[cells[0]][cells[1]] = cells[2]
	}
	return table
})

// longestPart is the length of the longest part of a pattern.
const longestPart = 7

// patternLanguage is the language of a function's patterns.
func patternLanguage(function string) string {
	switch function {
	case "to_char", "to_date", "to_timestamp":
		return "postgres"
	}
	return "strftime"
}

// format writes a date pattern in the language of Presto's function.
func (t *translator) format(x *node, pattern, language string) {
	out, ok := convertFormat(pattern, language)
	if !ok {
		t.no(x.lo, "the date pattern "+printer.String(pattern))
		return
	}
	if language == "postgres" && strings.Contains(pattern, "Month") && !strings.Contains(pattern, "MMonth") {
		t.warn("format", x.lo, "Month is filled up with blanks in PostgreSQL")
	}
	t.write(printer.String(out), x.lo)
}

// convertFormat turns a pattern into MySQL's language, a Java one into Joda's.
func convertFormat(pattern, language string) (string, bool) {
	parts := formatTable()[language]
	var b strings.Builder
	for i := 0; i < len(pattern); {
		if quoted := quotedPart(pattern[i:], language); quoted > 0 {
			text := pattern[i : i+quoted]
			if language == "postgres" {
				text = strings.ReplaceAll(strings.Trim(text, `"`), "%", "%%")
			}
			b.WriteString(text)
			i += quoted
			continue
		}
		length := min(longestPart, len(pattern)-i)
		for ; length > 0; length-- {
			to, ok := parts[pattern[i:i+length]]
			if !ok {
				continue
			}
			if to == "-" {
				return "", false
			}
			b.WriteString(to)
			break
		}
		if length == 0 {
			c := pattern[i]
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
			if letter && language == "postgres" && c != 'T' {
				return "", false
			}
			b.WriteByte(c)
			length = 1
		}
		i += length
	}
	return b.String(), true
}

// quotedPart is the length of a text in quotes at the beginning of a pattern.
func quotedPart(pattern, language string) int {
	quote := byte('"')
	switch language {
	case "java":
		quote = '\''
	case "strftime":
		return 0
	}
	if pattern[0] != quote {
		return 0
	}
	if n := strings.IndexByte(pattern[1:], quote); n >= 0 {
		return n + 2
	}
	return 0
}
