package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates/datestest"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

func chinese(s string) bool {
	for _, r := range s {
		if r > 0x2000 {
			return true
		}
	}
	return false
}

// The days of a question about a metric, of a change to one, and of a question over
// tables without metrics are those that the date reader says, on each of the todays.
func TestTodaysOfMetrics(t *testing.T) {
	t.Parallel()
	layer, err := semantic.Load("../../../pkg/semantic/testdata/shop")
	require.NoError(t, err)
	p := newPipeline(t)
	schema := p.Prepare(shopTables(), p.PrepareLayer(layer))
	for _, c := range datestest.Cases(t) {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			question, change := "GMV in Singapore "+c.Text, "and "+c.Text+"?"
			before := "GMV in Singapore the day before yesterday"
			if chinese(c.Text) {
				question, change, before = c.Text+"新加坡的成交额", c.Text+"呢", "前天新加坡的成交额"
			}
			want := []string{c.From, c.To}
			res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: c.Now})
			require.Equal(t, pipeline.Answered, res.Outcome, res.Reason)
			require.Equal(t, want, rangeOf(res.Intent), c.Why)
			require.Contains(t, res.SQL, "'"+c.From+"'")

			first := p.Answer(pipeline.Input{Question: before, Schema: schema, Now: c.Now})
			require.Equal(t, pipeline.Answered, first.Outcome, first.Reason)
			res = p.Answer(pipeline.Input{Question: before + ", " + change, FollowUp: change, Previous: first.Intent, Schema: schema, Now: c.Now})
			require.Equal(t, pipeline.Answered, res.Outcome, "%s: %s", change, res.Reason)
			require.NotEmpty(t, res.Changes)
			require.Equal(t, want, rangeOf(res.Intent), c.Why)
		})
	}
}

func rangeOf(in *intent.Intent) []string {
	if in == nil || in.Time == nil {
		return nil
	}
	return []string{in.Time.From, in.Time.To}
}

// nurseries is a table with Chinese names.
func nurseries() []catalog.Table {
	return []catalog.Table{{Name: catalog.Name{Table: "园丁"}, RowCount: 4, Columns: []catalog.Column{
		{Name: "编号", Type: "integer", PrimaryKey: true, Distinct: 4},
		{Name: "姓名", Type: "varchar", Distinct: 4, Samples: []string{"张三", "李四"}},
		{Name: "入职日期", Type: "date"},
	}}}
}

func TestTodaysOfTables(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	english, han := p.Prepare(gardens(), nil), p.Prepare(nurseries(), nil)
	for _, c := range datestest.Cases(t) {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			question, schema, column := "How many gardeners were hired "+c.Text+"?", english, "hired"
			if chinese(c.Text) {
				question, schema, column = "列出"+c.Text+"入职的园丁的姓名", han, `"入职日期"`
			}
			res := p.Answer(pipeline.Input{Question: question, Schema: schema, Now: c.Now})
			require.Contains(t, res.Draft, column+" >= DATE '"+c.From+"'", c.Why)
			if c.To != c.Now.Format(time.DateOnly) { // else it goes on, and has no end
				require.Contains(t, res.Draft, column+" < DATE '"+c.To+"'", c.Why)
			}
		})
	}
}
