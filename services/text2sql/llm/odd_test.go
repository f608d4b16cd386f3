package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/llm"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// TestWhatIsHardlyMeantGoesBack: rows that no condition joins, columns that tell different
// things apart, a comparison with NULL and a column in single quotes are told once; where
// the model keeps to them, there is no answer.
func TestWhatIsHardlyMeantGoesBack(t *testing.T) {
	t.Parallel()
	for class, bad := range map[string]string{
		team.ClassUnjoined:     "SELECT b.spot FROM eu.garden.plants p, eu.garden.beds b WHERE p.kind = 'Fern' ORDER BY p.height_cm DESC LIMIT 1",
		team.ClassApart:        "SELECT b.spot FROM eu.garden.plants p JOIN eu.garden.beds b ON p.plant_id = b.bed_id WHERE p.kind = 'Fern' ORDER BY p.height_cm DESC LIMIT 1",
		team.ClassNullCompared: "SELECT count(*) FROM eu.garden.plants WHERE kind = NULL",
		team.ClassNameAsText:   "SELECT 'kind', count(*) FROM eu.garden.plants GROUP BY 'kind'",
	} {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llm.Config{}, writes(bad), says(object{"why": "joined by the bed", "sql": rightSQL}))
			d.task.Question = unreadable
			out := d.answer(t)
			require.Equal(t, pipeline.Answered, out.Outcome, out.Reason)
			require.Equal(t, rightSQL, out.SQL)
			require.Empty(t, out.Warnings)
			require.Equal(t, 2, d.calls())
			require.Contains(t, d.server.Requests()[1].Raw, class)

			same := says(object{"why": "it is right", "sql": bad})
			d = newDesk(t, llm.Config{}, writes(bad), same, same, same, same, same, same)
			d.task.Question = unreadable
			out = d.answer(t)
			require.NotEqual(t, pipeline.Answered, out.Outcome)
			require.NotEmpty(t, out.Reason)
		})
	}
}
