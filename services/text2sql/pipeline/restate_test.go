package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// TestRestate says intents over tables in both languages, and none of which a part has no
// words.
func TestRestate(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	table := func(name string, columns ...catalog.Column) catalog.Table {
		return catalog.Table{Name: catalog.Name{Table: name}, Columns: columns}
	}
	schema := p.Prepare([]catalog.Table{
		table("branch", catalog.Column{Name: "branch_id", Type: "integer", PrimaryKey: true}, catalog.Column{Name: "name", Type: "varchar"}),
		table("loan", catalog.Column{Name: "loan_id", Type: "integer", PrimaryKey: true}, catalog.Column{Name: "name", Type: "varchar"},
			catalog.Column{Name: "loaned_on", Type: "date"}, catalog.Column{Name: "returned_on", Type: "date"}, catalog.Column{Name: "fine", Type: "double"}),
	}, nil)
	dim := func(id string) intent.Field { return intent.Field{Kind: intent.KindDimension, ID: id} }
	var (
		loans  = intent.Output{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: "loan"}}
		fine   = intent.Output{Field: dim("loan.fine")}
		total  = intent.Output{Agg: intent.AggSum, Field: dim("loan.fine")}
		branch = intent.Output{Field: dim("branch.name")}
		month  = intent.Field{Kind: intent.KindDimension, ID: "loan.loaned_on", Grain: "month"}
		day    = intent.Output{Field: dim("loan.loaned_on")}
	)
	date := func(text string) []intent.Literal { return []intent.Literal{{Text: text, Date: true}} }
	above := intent.Cond{Op: intent.Gt, Left: &fine, Values: []intent.Literal{{Text: "5", Number: true}}}
	for name, c := range map[string]struct {
		in     intent.Intent
		en, zh string // empty: it cannot be said
	}{
		"a count": {intent.Intent{Entity: "loan", Select: []intent.Output{loans}}, "number of loans", "loan数量"},
		"by a key and a name, and days": {intent.Intent{
			Entity: "loan", Select: []intent.Output{branch, loans}, GroupBy: []intent.Field{dim("branch.branch_id"), dim("branch.name")},
			Filters: []intent.Cond{{Op: intent.Ge, Left: &day, Values: date("2024-01-01")}, {Op: intent.Lt, Left: &day, Values: date("2025-01-01")}},
			OrderBy: []intent.Order{{By: loans, Desc: true}},
		}, "number of loans by name (branch); where loaned on 2024-01-01 to 2024-12-31", "按name（branch）统计的loan数量；条件：loaned on 2024-01-01 至 2024-12-31"},
		"two figures by month, the best of them": {intent.Intent{
			Entity: "loan", Select: []intent.Output{loans, total}, GroupBy: []intent.Field{month}, OrderBy: []intent.Order{{By: total, Desc: true}}, Limit: 3,
		}, "number of loans, total of fine by loaned on (month); the first 3 by total of fine, highest first", "按loaned on（月）统计的loan数量、fine合计；按fine合计排序的前 3 个，从高到低"},
		"a list": {intent.Intent{Entity: "loan", Select: []intent.Output{fine, day}, Filters: []intent.Cond{above}, OrderBy: []intent.Order{{By: day}}},
			"fine, loaned on of loan; where fine > 5; sorted by loaned on, lowest first", "fine、loaned on（loan）；条件：fine > 5；按loaned on排序，从低到高"},
		"two periods": {intent.Intent{
			Entity: "loan", Select: append([]intent.Output{branch, total}, total.Against()...), GroupBy: []intent.Field{dim("branch.name")},
			Time:    &intent.Time{By: "loan.loaned_on", From: "2024-01-01", To: "2024-07-01", Compare: &intent.Compare{From: "2023-01-01", To: "2023-07-01"}},
			OrderBy: []intent.Order{{By: total, Desc: true}},
		}, "total of fine by name (branch); loaned on from 2024-01-01 to 2024-06-30 compared with from 2023-01-01 to 2023-06-30", "按name（branch）统计的fine合计；loaned on：2024-01-01 至 2024-06-30，对比 2023-01-01 至 2023-06-30"},
		"what is not there": {intent.Intent{Entity: "branch", Select: []intent.Output{branch}, Filters: []intent.Cond{
			{Op: intent.NotExists, Sub: &intent.Intent{Entity: "loan", Filters: []intent.Cond{above}}},
		}}, "name of branch; without any loans where fine > 5", "name（branch）；没有相关的loan（fine > 5）"},
		"an or and a not": {intent.Intent{Entity: "loan", Select: []intent.Output{loans}, Filters: []intent.Cond{
			{Op: intent.Or, Args: []intent.Cond{above, {Op: intent.IsNull, Left: &intent.Output{Field: dim("loan.returned_on")}}}}, {Op: intent.Not, Args: []intent.Cond{above}},
		}}, "number of loans; where fine > 5 or returned on is missing and not (fine > 5)", "loan数量；条件：fine > 5 或 returned on为空，且非（fine > 5）"},
		"a part of the rows": {intent.Intent{Entity: "loan", Select: []intent.Output{{Agg: intent.AggRate, When: &above}}}, "share of the rows with fine > 5", "fine > 5的行所占的比例"},
		"a difference": {intent.Intent{Entity: "loan", Select: []intent.Output{{Agg: intent.AggAvg, Calc: &intent.Calc{Op: intent.Days, Left: day, Right: intent.Output{Field: dim("loan.returned_on")}}}}},
			"average of (days from loaned on to returned on)", "（从loaned on到returned on的天数）平均值"},
		"two sets":           {intent.Intent{Entity: "loan", Select: []intent.Output{day}, Set: &intent.Set{Op: "union"}}, "", ""},
		"a related having":   {intent.Intent{Entity: "branch", Select: []intent.Output{branch}, Filters: []intent.Cond{{Op: intent.Exists, Sub: &intent.Intent{Entity: "loan", Having: []intent.Cond{above}}}}}, "", ""},
		"compared with rows": {intent.Intent{Entity: "loan", Select: []intent.Output{loans}, Filters: []intent.Cond{{Op: intent.Gt, Left: &fine, Sub: &intent.Intent{Entity: "loan", Select: []intent.Output{total}}}}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for l, want := range map[lang.Language]string{lang.English: c.en, lang.Chinese: c.zh} {
				got, ok := p.restate(Input{Schema: schema, Language: l}, &c.in)
				require.Equal(t, want != "", ok, got)
				if ok {
					require.Equal(t, want, got)
				}
			}
		})
	}
}
