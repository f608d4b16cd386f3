package facts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/rank"
	"github.com/dibrain/dibrain/services/text2sql/rank/facts"
)

func boats() *semantic.Layer {
	return semantic.Derive([]catalog.Table{{Name: catalog.Name{Table: "boat"}, Columns: []catalog.Column{
		{Name: "boat_id", Type: "integer", PrimaryKey: true}, {Name: "harbour", Type: "varchar"}, {Name: "length", Type: "double"},
	}}})
}

func word(text string, tags ...lexicon.Tag) *link.Item {
	return &link.Item{From: 1, To: 2, Text: text, Tags: tags}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	length := intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: "boat.length"}}
	count := intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: "boat"}}
	more := intent.Cond{Op: intent.Gt, Left: &length, Values: []intent.Literal{{Text: "9", Number: true}}}
	number := &link.Item{From: 2, To: 3, Text: "9", Number: "9"}
	cases := []struct {
		name  string
		items []*link.Item
		in    intent.Intent
		want  rank.Features
		not   []string
	}{
		{"a superlative without an order is lost", []*link.Item{word("most", lexicon.Tag{Name: "super", Arg: "max"})},
			intent.Intent{Entity: "boat", Select: []intent.Output{length}}, rank.Features{"lost/super": 1, "lost/all": 1}, []string{"lost/comparison"}},
		{"one that picks is not", []*link.Item{word("most", lexicon.Tag{Name: "super", Arg: "max"})},
			intent.Intent{Entity: "boat", Select: []intent.Output{length}, OrderBy: []intent.Order{{By: length, Desc: true}}, Limit: 1}, rank.Features{"mark/pick": 1, "said/super": 1}, []string{"lost/super", "unasked/pick"}},
		{"a comparison that became an equality", []*link.Item{word("after", lexicon.Tag{Name: "after"}), number},
			intent.Intent{Entity: "boat", Select: []intent.Output{length}, Filters: []intent.Cond{{Op: intent.Eq, Left: &length, Values: more.Values}}}, rank.Features{"lost/after": 1, "lost/comparison": 1}, []string{"left/number"}},
		{"nobody asked for a count", nil, intent.Intent{Entity: "boat", Select: []intent.Output{count}}, rank.Features{"unasked/count": 1}, nil},
		{"a number that is compared with is not left over", []*link.Item{word("over", lexicon.Tag{Name: "cmp", Arg: ">"}), number},
			intent.Intent{Entity: "boat", Select: []intent.Output{length}, Filters: []intent.Cond{more}}, rank.Features{"sql/filters": 1}, []string{"left/number", "lost/cmp"}},
		{"a number without a use is", []*link.Item{number}, intent.Intent{Entity: "boat", Select: []intent.Output{length}}, rank.Features{"left/number": 1, "left/all": 1, "left/share": 1}, nil},
		{"unknown words by kind", []*link.Item{word("tractor"), word("Xanadu"), word("painted")},
			intent.Intent{Entity: "boat", Select: []intent.Output{length}}, rank.Features{"left/word": 1, "left/name": 1, "left/verb": 1, "left/all": 3}, nil},
		{"order by text", nil, intent.Intent{Entity: "boat", Select: []intent.Output{length}, OrderBy: []intent.Order{{By: intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: "boat.harbour"}}}}}, rank.Features{"sql/order_by_text": 1, "unasked/order": 1}, nil},
	}
	d, err := facts.New()
	require.NoError(t, err)
	layer := boats()
	bound := bind.NewLayer(layer, plan.New([]string{"boat"}, layer.Joins))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := d.Of(c.items, &bind.Reading{Intent: c.in, Draft: &parse.Draft{}, Facts: map[string]float64{"slot/least": 0.5}}, bound)
			require.InDelta(t, 0.5, f["slot/least"], 0, "what binding knows")
			for name, v := range c.want {
				require.InDelta(t, v, f[name], 1e-9, "%s in %v", name, f)
			}
			for _, name := range c.not {
				require.Zero(t, f[name], name)
			}
		})
	}
}
