package chinese_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// TestFacts counts what makes a Chinese question harder to be sure of.
func TestFacts(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive(shop()), lex)
	for question, want := range map[string]map[string]float64{
		"卖家的姓名":            {"zh/clauses": 1, "zh/owners": 1, "zh/length": 0.5},
		"来自法国的卖家的姓名。":      {"zh/clauses": 1, "zh/conditions": 1, "zh/owners": 1, "zh/values": 1, "zh/length": 1},
		"列出卖家的姓名和国家，按年龄降序": {"zh/clauses": 2, "zh/heads": 1, "zh/owners": 1, "zh/length": 1.5},
		"没有灯的卖家？":          {"zh/clauses": 1, "zh/conditions": 1, "zh/denials": 1, "zh/length": 0.6},
		"灯最多的卖家":           {"zh/clauses": 1, "zh/conditions": 1, "zh/superlatives": 1, "zh/length": 0.6},
	} {
		items := chinese.Order(index.Cover(index.Gloss(token.Split(question, lex.Chinese().Dictionary()))), lex, index)
		got := chinese.Facts(question, items)
		delete(got, "zh/weak") // how well a translation fits is the lexicon's matter
		delete(got, "zh/twofold")
		require.InDeltaMapValues(t, want, got, 1e-9, question)
	}
}

func TestFactsOfNames(t *testing.T) {
	t.Parallel()
	column := func(id, table string, score float64) link.ColumnMatch {
		return link.ColumnMatch{Dim: &semantic.Dimension{ID: id, Table: table}, Score: score}
	}
	for _, c := range []struct {
		name string
		item link.Item
		fact string
	}{
		{"sure", link.Item{Columns: []link.ColumnMatch{column("a", "t", 0.95)}}, ""},
		{"unsure", link.Item{Columns: []link.ColumnMatch{column("a", "t", 0.94)}}, "zh/weak"},
		{"a table", link.Item{Tables: []link.TableMatch{{Score: 0.5}}}, "zh/weak"},
		{"two of one table", link.Item{Columns: []link.ColumnMatch{column("a", "t", 1), column("b", "t", 0.96)}}, "zh/twofold"},
		{"one fits far worse", link.Item{Columns: []link.ColumnMatch{column("a", "t", 1), column("b", "t", 0.94)}}, ""},
		{"of two tables", link.Item{Columns: []link.ColumnMatch{column("a", "t", 1), column("b", "u", 1)}}, ""},
		{"a value by its translation", link.Item{Text: "法国", Values: []link.ValueMatch{{Value: "France"}}}, "zh/values"},
		{"a value as it is stored", link.Item{Text: "France", Values: []link.ValueMatch{{Value: "France"}}}, ""},
		{"nothing", link.Item{Text: "x"}, "zh/unread"},
	} {
		got := chinese.Facts("", []*link.Item{&c.item})
		delete(got, "zh/clauses")
		delete(got, "zh/length")
		want := map[string]float64{}
		if c.fact != "" {
			want[c.fact] = 1
		}
		require.Equal(t, want, got, c.name)
	}
}
