package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// TestAPeriodHasTheEndThatIsSaid: of two ranges that end yesterday, the one that goes on has no
// last day, and the day that is over has.
func TestAPeriodHasTheEndThatIsSaid(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "loans"}, RowCount: 50, Columns: []catalog.Column{
		{Name: "loan_id", Type: "bigint", PrimaryKey: true}, {Name: "lent_on", Type: "date"},
	}}}, nil)
	for question, want := range map[string]token.Period{
		"loans on 2026-11-23":    {First: "2026-11-23", Last: "2026-11-23"},
		"loans since 2026-11-23": {First: "2026-11-23"},
	} {
		var found []token.Period
		for _, one := range p.periods(token.Split(question, p.lex.Chinese().Dictionary()), question, s, time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)) {
			if one.Period != nil {
				found = append(found, *one.Period)
			}
		}
		require.Equal(t, []token.Period{want}, found, question)
	}
}
