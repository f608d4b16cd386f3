package knowledge_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/knowledge"
)

const twoProducts = "collections: [{name: desk, path: desk, product: Desk}, {name: disk, path: disk, product: Disk}]"

func (l *library) fillDesk() {
	l.write("desk/a.md", "# Desk\n\n## Parking permits\nA parking permit is issued within five days.\n\n## Price of a permit for parking\nIt costs ten euros.\n\n## Badges\nA lost badge is replaced in the morning.\n\n## Price of a badge\nA new badge costs two euros.\n")
	l.write("disk/a.md", "# Disk\n\n## Backups\nA backup is made at night.\n\n## Price of a backup\nBackups cost one euro.\n")
}

func (l *library) turn(p run.Principal, in knowledge.Turn) knowledge.Turned {
	l.t.Helper()
	in.Language = lang.English
	a, err := l.service.AskExpert(l.t.Context(), p, in)
	require.NoError(l.t, err)
	return a
}

func TestTheExpertRemembersItsSession(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, twoProducts)
	l.fillDesk()
	first := l.turn(alice, knowledge.Turn{Question: "how long does a parking permit take?"})
	require.True(t, strings.HasPrefix(first.SessionID, "exp_"))
	require.Contains(t, first.Text, "five days")
	require.Empty(t, first.SearchedAs)
	second := l.turn(alice, knowledge.Turn{Question: "and what does it cost?", SessionID: first.SessionID})
	require.Contains(t, second.Text, "ten euros")
	require.Equal(t, "and what does it cost? (how long does a parking permit take?)", second.SearchedAs)
	third := l.turn(alice, knowledge.Turn{Question: "I lost my badge, when is it replaced?", SessionID: first.SessionID})
	require.Contains(t, third.Text, "in the morning", "a question that names its subject goes first by that")
	require.Contains(t, l.turn(alice, knowledge.Turn{Question: "what does one cost?", SessionID: first.SessionID}).Text, "two euros")

	bob := run.Principal{ID: "bob"}
	require.NotContains(t, l.turn(bob, knowledge.Turn{Question: "and what does it cost?", SessionID: first.SessionID}).SearchedAs, "parking",
		"the same id of somebody else is another session")
	l.pass(31 * 24 * time.Hour)
	require.Empty(t, l.turn(alice, knowledge.Turn{Question: "and what does it cost?", SessionID: first.SessionID}).SearchedAs, "it is no longer kept")
}

func TestTheExpertStaysWithItsProduct(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, twoProducts, func(c *knowledge.Config, _ *knowledge.Deps) { c.MaxSessions = 2 })
	l.fillDesk()
	first := l.turn(alice, knowledge.Turn{Question: "when is a backup made?", Product: "disk", SessionID: "s1"})
	require.Contains(t, first.Text, "at night")
	second := l.turn(alice, knowledge.Turn{Question: "what is the price?", SessionID: "s1"})
	require.Contains(t, second.Text, "one euro")
	require.Equal(t, "disk", second.Product)
	other := l.turn(alice, knowledge.Turn{Question: "what is the price of a badge?", Product: "Desk", SessionID: "s1"})
	require.Contains(t, other.Text, "two euros")
	_, err := l.service.AskExpert(t.Context(), alice, knowledge.Turn{Question: "price?", Product: "Fax", SessionID: "s1"})
	require.Equal(t, "PRODUCT_UNKNOWN", fault.ReasonOf(err))
	_, err = l.service.AskExpert(t.Context(), alice, knowledge.Turn{Question: " "})
	require.Equal(t, "QUESTION_EMPTY", fault.ReasonOf(err))

	for _, id := range []string{"s2", "s3"} {
		l.pass(time.Second)
		l.turn(alice, knowledge.Turn{Question: "what is the price of a badge?", SessionID: id})
	}
	require.Empty(t, l.turn(alice, knowledge.Turn{Question: "and then?", SessionID: "s1"}).Product, "the oldest session made room")
}

// talk is a conversation about this project's documents: each turn with the documents
// that answer it, and a piece of the section's heading where it has to be that one.
type talk struct {
	Turns []struct {
		Q string
		D []string
		S string
	}
}

func TestTalksWithPronouns(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "collections: []", func(c *knowledge.Config, _ *knowledge.Deps) { c.HideOwnDocs = false })
	file, err := os.Open("testdata/talks.jsonl")
	require.NoError(t, err)
	defer file.Close()
	right, all := 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var said talk
		require.NoError(t, json.Unmarshal(lines.Bytes(), &said))
		session := ""
		for n, turn := range said.Turns {
			a, err := l.service.AskExpert(t.Context(), alice, knowledge.Turn{Question: turn.Q, Language: lang.Detect(turn.Q), SessionID: session})
			require.NoError(t, err)
			session = a.SessionID
			if n == 0 {
				continue
			}
			all++
			if a.Answered && slices.Contains(turn.D, a.Citations[0].Document) && strings.Contains(a.Citations[0].Section, turn.S) {
				right++
				continue
			}
			where := "declined"
			if a.Answered {
				where = a.Citations[0].Document + ", " + a.Citations[0].Section
			}
			t.Logf("%s (after %s): %s", turn.Q, said.Turns[n-1].Q, where)
		}
	}
	t.Logf("right passage in %d of %d later turns", right, all)
	require.GreaterOrEqual(t, float64(right), 0.85*float64(all))
}
