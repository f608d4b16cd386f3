package parse_test

import (
	"testing"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

func BenchmarkRead(b *testing.B) {
	g, err := parse.NewGrammar()
	if err != nil {
		b.Fatal(err)
	}
	lex, err := lexicon.Load()
	if err != nil {
		b.Fatal(err)
	}
	index := link.NewIndex(semantic.Derive(nursery()), lex)
	for name, question := range map[string]string{
		"short": "How many plants are there for each colour?",
		"long": "For each city, show the name and area of the gardens that have more than 5 red plants taller than 3 " +
			"or a price between 5 and 10, and whose name contains \"rose\", ordered by area in descending order",
	} {
		items := index.Cover(index.Coordinate(token.Split(question, lex.Chinese().Dictionary())))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Read(items, lex)
			}
		})
	}
}
