package printer

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

//go:embed words.txt
var wordsFile string

var words = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(wordsFile) {
		if w := strings.TrimSpace(line); w != "" && w[0] != '#' {
			set[w] = true
		}
	}
	return set
})

// Ident returns a name as Presto reads it, in double quotes where it needs them.
func Ident(name string) string {
	if plain(name) && !words()[strings.ToLower(name)] {
		return name
	}
	return Quote(name)
}

// Quote returns a name in double quotes.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// String returns a varchar literal.
func String(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func plain(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

func (p *printer) ident(id *tree.Ident) {
	if id.Quoted {
		p.write(Quote(id.Name))
		return
	}
	p.write(Ident(id.Name))
}

func (p *printer) dotted(parts []*tree.Ident) {
	for i, part := range parts {
		if i > 0 {
			p.write(".")
		}
		p.node(part)
	}
}

// function writes a function's name: words such as trim are no names there.
func (p *printer) function(n *tree.Name) {
	if len(n.Parts) == 1 && !n.Parts[0].Quoted && plain(n.Parts[0].Name) {
		p.write(n.Parts[0].Name)
		return
	}
	p.node(n)
}

func (p *printer) columns(ids []*tree.Ident) {
	if len(ids) > 0 {
		p.write(" (")
		list(p, ids)
		p.write(")")
	}
}
