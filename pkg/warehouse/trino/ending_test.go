package trino_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
)

// TestCloseEndsStatementsOnTheServer closes an engine while somebody holds a result
// whose rest nobody reads, and while another waits for the first rows.
func TestCloseEndsStatementsOnTheServer(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(f *fake, w http.ResponseWriter, n int) { write(w, f.page("[[1]]", true)) })
	e := open(t, f.config())
	rows, err := e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	_, _, deleted := f.counts()
	require.Equal(t, 1, deleted, "the server was told before Close returned")
	require.NoError(t, rows.Close())
	_, _, deleted = f.counts()
	require.Equal(t, 1, deleted)

	_, err = e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
	require.Equal(t, "SHUTTING_DOWN", fault.ReasonOf(err))
	posts, _, _ := f.counts()
	require.Equal(t, 1, posts, "nothing new is sent")
}

// notes is a journal of what an engine says about its statements.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) into(c *trino.Config) {
	add := func(text string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.all = append(n.all, text)
	}
	c.Began = func(id, user string) { add("began " + id + " of " + user) }
	c.Ended = func(id string) { add("ended " + id) }
}

// TestJournal: a statement that has more to come is noted until it has ended, on
// whichever way; one whose end the server did not confirm stays noted.
func TestJournal(t *testing.T) {
	t.Parallel()
	more := func(f *fake, w http.ResponseWriter, n int) { write(w, f.page("[[1]]", n < 3)) }
	// The driver reads ahead: what is left before its end must have none.
	endless := func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", true)) }
	for name, c := range map[string]struct {
		answer func(*fake, http.ResponseWriter, int)
		read   bool
		refuse int // status of a DELETE; 0: it is obeyed
		want   []string
	}{
		"read to its end":      {more, true, 0, []string{"began q1 of someone", "ended q1"}},
		"left":                 {endless, false, 0, []string{"began q1 of someone", "ended q1"}},
		"gone before":          {endless, false, http.StatusNotFound, []string{"began q1 of someone", "ended q1"}},
		"the server is unwell": {endless, false, http.StatusBadGateway, []string{"began q1 of someone"}},
		"over with one answer": {func(f *fake, w http.ResponseWriter, _ int) { write(w, f.page("[[1]]", false)) }, true, 0, []string{"ended q1"}},
		"it fails on the way": {func(f *fake, w http.ResponseWriter, n int) {
			if n == 0 {
				write(w, f.page("", true))
				return
			}
			write(w, f.failed("USER_ERROR", "DIVISION_BY_ZERO"))
		}, false, 0, []string{"began q1 of someone", "ended q1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, c.answer)
			f.refuse = c.refuse
			config, n := f.config(), &notes{}
			config.Connection.Impersonate = true
			n.into(&config)
			e := open(t, config)
			rows, err := e.Query(t.Context(), someone(), approve(t, "someone", "select 1 as n", resolve.Scope{}), warehouse.Options{})
			if err == nil && c.read {
				all(t, rows)
			}
			if err == nil {
				require.NoError(t, rows.Close())
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			require.Equal(t, c.want, n.all)
		})
	}
}

// TestEndQuery ends statements of a process that is gone.
func TestEndQuery(t *testing.T) {
	t.Parallel()
	const id = "20300102_030405_00001_abcde"
	for name, c := range map[string]struct {
		impersonate bool
		user        string
		statuses    map[string]int // by user
		asked       []string       // users, in order
		fails       bool
	}{
		"as its user":               {true, "ann", nil, []string{"ann"}, false},
		"not found is fine":         {true, "ann", map[string]int{"ann": 404}, []string{"ann"}, false},
		"the service may":           {true, "ann", map[string]int{"ann": 403}, []string{"ann", "svc"}, false},
		"nobody may":                {true, "ann", map[string]int{"ann": 403, "svc": 403}, []string{"ann", "svc"}, true},
		"the server is unwell":      {true, "ann", map[string]int{"ann": 503}, []string{"ann"}, true},
		"nobody is impersonated":    {false, "ann", nil, []string{"svc"}, false},
		"a name that no header has": {true, "安", nil, []string{"svc"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if r.Method+" "+r.URL.Path != "DELETE /v1/query/"+id {
					t.Errorf("%s %s", r.Method, r.URL.Path)
				}
				user := r.Header.Get("X-Trino-User")
				asked = append(asked, user)
				status := c.statuses[user]
				if status == 0 {
					status = http.StatusNoContent
				}
				w.WriteHeader(status)
			}))
			t.Cleanup(server.Close)
			config := (&fake{Server: server}).config()
			config.Connection.Impersonate = c.impersonate
			err := open(t, config).EndQuery(t.Context(), id, c.user)
			require.Equal(t, c.fails, err != nil, err)
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, c.asked, asked)
		})
	}
}

func TestEndQueryTakesNamesOnly(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(*fake, http.ResponseWriter, int) {})
	for _, id := range []string{"", "../statement/x", "a/b", "a?b", "a%2fb"} {
		require.Equal(t, "QUERY_ID", fault.ReasonOf(open(t, f.config()).EndQuery(t.Context(), id, "ann")), id)
	}
	_, _, deleted := f.counts()
	require.Zero(t, deleted)
}
