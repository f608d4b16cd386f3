package llm

import (
	"regexp"
	"strings"

	chat "github.com/dibrain/dibrain/pkg/llm"
)

// identifier is a word that can only be a name: parts joined by points or
// underscores.
var identifier = regexp.MustCompile(`[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)+|[\p{L}\p{N}]*_[\p{L}\p{N}_]*`)

// ground holds the names that a model was told.
type ground map[string]bool

// groundOf collects the names in the messages of a request.
func groundOf(r chat.Request) ground {
	g := make(ground)
	for _, m := range r.Messages {
		g.add(m.Text)
	}
	return g
}

// add notes the names in a text, with what of them may stand alone: of
// region.schema.table also schema.table and each part.
func (g ground) add(text string) {
	for _, name := range identifier.FindAllString(text, -1) {
		parts := strings.Split(strings.ToLower(name), ".")
		for from := range parts {
			for to := from + 1; to <= len(parts); to++ {
				g[strings.Join(parts[from:to], ".")] = true
			}
		}
	}
}

// holds reports whether a name was told, whole or as a table and its column. A
// word with a point in it that nothing told begins like, as in "e.g.", is no name.
func (g ground) holds(name string) bool {
	name = strings.ToLower(name)
	first, _, dotted := strings.Cut(name, ".")
	if g[name] || dotted && !g[first] && !strings.Contains(name, "_") {
		return true
	}
	last := strings.LastIndexByte(name, '.')
	return last > 0 && g[name[:last]] && g[name[last+1:]]
}

// scrub takes from a text the names that the model was not told: it made them up,
// or repeats what it should not know. A line of a list that begins with one goes.
func (g ground) scrub(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		first := true
		drop := false
		line = identifier.ReplaceAllStringFunc(line, func(name string) string {
			known := g.holds(name)
			drop = drop || first && !known && isItem(line)
			first = false
			if known {
				return name
			}
			return "…"
		})
		if !drop {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func isItem(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "|")
}
