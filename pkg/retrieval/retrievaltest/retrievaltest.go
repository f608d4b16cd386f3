// Package retrievaltest holds what every lexical.Index and every vector.Index has
// to do, as tests that a back end runs on itself: the embedded ones always, those
// on a server where a variable of the environment names one (test/servers starts
// them).
package retrievaltest

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
)

// Server returns the address that a variable of the environment names, or skips
// the test and says how to start the server.
func Server(t testing.TB, variable, script string) string {
	t.Helper()
	address := os.Getenv(variable)
	if address == "" {
		t.Skipf("%s is not set: start the server with test/servers/%s and set it", variable, script)
	}
	return address
}

// Document is a document of a test: its words by field, and its labels.
type Document struct {
	lexical.Labels
	Name, Text string
}

// Weights of the fields of Document.
func Weights() lexical.Config {
	return lexical.Config{Fields: map[string]lexical.Field{"name": {Weight: 3, B: 0.5}, "text": {Weight: 1, B: 0.5}}}
}

// Documents turns documents into what an index is built of.
func Documents(t testing.TB, list []Document) *lexical.Documents {
	t.Helper()
	docs, err := lexical.NewDocuments([]string{"name", "text"}, 0)
	require.NoError(t, err)
	intern := func(text string) (ids []int32) {
		for _, w := range strings.Fields(text) {
			ids = append(ids, docs.Intern(w))
		}
		return ids
	}
	for _, d := range list {
		docs.Add(d.Labels, [][]int32{intern(d.Name), intern(d.Text)})
	}
	return docs
}

// terms of a query with weight 1 each.
func terms(text string) []lexical.Term {
	var list []lexical.Term
	for _, w := range strings.Fields(text) {
		list = append(list, lexical.Term{Text: w, Weight: 1})
	}
	return list
}

// together runs do in several goroutines at once and waits for them.
func together(do func(worker int)) {
	const workers = 8
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() { do(w) })
	}
	done.Wait()
}

func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
