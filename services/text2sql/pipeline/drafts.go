package pipeline

import (
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/parse"
)

// DraftSQL is a draft of the grammar with the SQL of its first reading that can be
// written, on one line; empty where none can.
type DraftSQL struct {
	Draft *parse.Draft
	SQL   string
}

// Drafts returns what the grammar reads in a question, best first. The weights of
// the grammar are fitted on it.
func (p *Pipeline) Drafts(in Input) []DraftSQL {
	items := p.items(in.Question, in.Schema, in.Now)
	var out []DraftSQL
	for _, d := range p.grammar.Read(items, p.lex) {
		x := DraftSQL{Draft: d}
		for _, r := range bind.Bind(d, in.Schema.layer) {
			if stmt, err := in.Schema.gen.Statement(&r.Intent); err == nil {
				x.SQL = printer.Print(stmt)
				break
			}
		}
		out = append(out, x)
	}
	return out
}
