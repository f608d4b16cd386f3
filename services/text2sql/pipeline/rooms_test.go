package pipeline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestRooms: what each room saw of a question is told: spans by what they may be, the rows
// of parts, the readings with what they cost and leave open, and the same answer as always.
func TestRooms(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	in := pipeline.Input{Question: "How many zenlux visits were there per species in 2024?", Schema: p.Prepare(clinic(), nil), Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)}
	rooms := p.Rooms(in)
	kinds := map[string]string{}
	for _, x := range rooms.Pieces {
		if kinds[x.Text] == "" {
			kinds[x.Text] = x.Kind
		}
	}
	require.Equal(t, "word", kinds["How many"])
	require.Equal(t, "unknown", kinds["zenlux"])
	require.Equal(t, "name", kinds["visits"])
	require.Equal(t, "name", kinds["species"])
	require.Equal(t, "period", kinds["in 2024"])
	require.NotEmpty(t, rooms.Rows)
	require.NotEmpty(t, rooms.Readings)
	require.Equal(t, []string{"zenlux"}, rooms.Readings[0].Unread)
	require.Contains(t, rooms.Readings[0].SQL, "GROUP BY")
	require.Contains(t, rooms.Demands, pipeline.RoomsDemand{Name: "of each of many", Word: "per"})
	require.Equal(t, p.Answer(in).Outcome, rooms.Answer.Outcome)
	for i := 1; i < len(rooms.Readings); i++ {
		require.GreaterOrEqual(t, rooms.Readings[i].Cost, rooms.Readings[i-1].Cost)
	}

	in.Question = "How many visits were there per species in 2024?"
	known := p.Rooms(in)
	require.Empty(t, known.Readings[0].Unread)
	require.Equal(t, p.Answer(in).SQL, known.Answer.SQL)
}
