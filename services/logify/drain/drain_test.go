package drain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/logify/drain"
)

func texts(m *drain.Miner) []string {
	var out []string
	for _, t := range m.Templates() {
		out = append(out, t.Text())
	}
	return out
}

func TestLinesOfOneStatementShareATemplate(t *testing.T) {
	t.Parallel()
	m := drain.New(drain.Config{})
	for _, line := range []string{
		"order 17 shipped to Lima in 3 days", "order 18 shipped to Oslo in 4 days", "order 19 shipped to Rome in 2 days",
		"payment of user=ann refused: card expired", "payment of user=b2 refused: card expired",
		"cache warm",
	} {
		m.Add("shop", line)
	}
	require.Equal(t, []string{"order <*> shipped to <*> in <*> days", "payment of <*> refused: card expired", "cache warm"}, texts(m))
	first := m.Templates()[0]
	require.Equal(t, 3, first.Count)
	require.Equal(t, []string{"order", "shipped to", "in", "days"}, first.Runs())
	require.Equal(t, []string{"Lima", "Oslo", "Rome"}, first.Words[4].Values)
	require.Equal(t, []string{"shop"}, first.Streams)
}

func TestNamesStayWhereValuesVary(t *testing.T) {
	t.Parallel()
	m := drain.New(drain.Config{})
	m.Add("a", "resized disk=12GB, (id=77)  done")
	m.Add("b", "resized disk=13GB, (id=78)  done")
	require.Equal(t, []string{"resized disk=<*>, (id=<*>) done"}, texts(m))
	require.Equal(t, []string{"resized disk=", ", (id=", ")", "done"}, m.Templates()[0].Runs(), "two spaces are no text of a run")
	require.Equal(t, []string{"a", "b"}, m.Templates()[0].Streams)
}

func TestMinerIsBounded(t *testing.T) {
	t.Parallel()
	m := drain.New(drain.Config{MaxTemplates: 3, MaxWords: 5, MaxValues: 2})
	for i := range 50 {
		m.Add("s", strings.Repeat(fmt.Sprintf("w%c ", 'a'+i%26), 2+i%26))
	}
	require.Len(t, m.Templates(), 3)
	require.Nil(t, m.Add("s", "nothing like it"))
	require.Nil(t, m.Add("s", "  "))
	for _, template := range m.Templates() {
		require.LessOrEqual(t, len(template.Words), 5)
	}
}

func TestWordsWrittenToValuesStayWords(t *testing.T) {
	t.Parallel()
	m := drain.New(drain.Config{})
	for _, line := range []string{
		"10.0.0.1:50010:Failed to send job 1", "10.0.0.2:50010:Failed to send job 2",
		"attached disk-ready:7 to host-1", "attached disk-ready:8 to host-2",
		"fetched http://a.example/1 in 3 ms", "fetched http://a.example/2 in 4 ms",
	} {
		m.Add("shop", line)
	}
	require.Equal(t, []string{"<*>:Failed to send job <*>", "attached disk-ready:<*> to <*>", "fetched <*> in <*> ms"}, texts(m))
	require.Equal(t, []string{":Failed to send job"}, m.Templates()[0].Runs())
}
