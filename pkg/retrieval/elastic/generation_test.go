package elastic_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/elastic"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/retrievaltest"
)

// build makes a generation of one document a name and says how many documents
// were sent for it.
func build(t *testing.T, c *elastic.Client, source string, names ...string) (x *elastic.Index, sent int) {
	t.Helper()
	var list []retrievaltest.Document
	for _, n := range names {
		list = append(list, retrievaltest.Document{Name: n})
	}
	x, err := c.Build(t.Context(), source, retrievaltest.Weights(), retrievaltest.Documents(t, list), func(done, _ int) { sent = done })
	require.NoError(t, err)
	return x, sent
}

func found(t *testing.T, x lexical.Index, word string) int {
	t.Helper()
	hits, err := x.Search(t.Context(), lexical.Query{Terms: words(word), Limit: 10})
	require.NoError(t, err)
	return len(hits)
}

// get asks the server by itself.
func get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, retrievaltest.Server(t, variable, "elasticsearch-start")+path, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(content)
}

// A new generation is built beside the old one, which its readers go on with; the
// alias moves, the generation before the last is deleted, and content that is there
// is not sent again.
func TestGenerations(t *testing.T) {
	c := open(t)
	t.Cleanup(func() {
		for _, source := range []string{"shop", "shop_2"} {
			require.NoError(t, c.Remove(context.Background(), source))
		}
	})
	other, _ := build(t, c, "shop_2", "other")
	first, sent := build(t, c, "shop", "gmv", "order")
	require.Equal(t, 2, sent)
	again, sent := build(t, c, "shop", "gmv", "order")
	require.Equal(t, first.Name(), again.Name())
	require.Zero(t, sent, "the same content is not sent again")

	second, _ := build(t, c, "shop", "gmv", "parcel", "gmv")
	require.NotEqual(t, first.Name(), second.Name())
	require.Equal(t, 1, found(t, first, "order"), "readers of the old generation go on")
	require.Equal(t, 2, found(t, second, "gmv"))
	alias := second.Name()[:len(second.Name())-17]
	status, body := get(t, "/_alias/"+alias)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, second.Name())
	require.NotContains(t, body, first.Name(), "the alias stands for one generation")

	third, _ := build(t, c, "shop", "courier")
	status, _ = get(t, "/"+first.Name())
	require.Equal(t, http.StatusNotFound, status, "the generation before the last is gone")
	require.Equal(t, 1, found(t, second, "parcel"))
	_, err := first.Search(t.Context(), lexical.Query{Terms: words("order"), Limit: 1})
	require.Equal(t, remote.ReasonMissing, fault.ReasonOf(err))

	require.NoError(t, c.Remove(t.Context(), "shop"))
	_, err = third.Search(t.Context(), lexical.Query{Terms: words("courier"), Limit: 1})
	require.Equal(t, remote.ReasonMissing, fault.ReasonOf(err))
	require.Equal(t, 1, found(t, other, "other"), "a source whose name begins alike is left alone")
}
