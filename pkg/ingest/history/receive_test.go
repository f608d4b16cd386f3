package history_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/history"
)

// completed is what the HTTP event listener of Trino posts when a query has ended, as
// its own serialisation writes it: absent values as null, moments as text.
const completed = `{"metadata":{"queryId":"20261120_100000_00007_abcde","transactionId":"0e5c4d0e-26c5-4f0e-9a2e-1f4a2f8d7a11",
"encoding":"json+zstd","query":"SELECT o.day, count(*) AS parcels FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.city = 4711 GROUP BY o.day",
"updateType":null,"preparedQuery":null,"queryState":"FINISHED",
"tables":[{"catalog":"hive","schema":"sg_mart","table":"orders","authorization":"ann","filters":[],"columns":[{"column":"customer_id","mask":null},{"column":"day","mask":null}],"directlyReferenced":true,"viewText":null,"referenceChain":[]},
{"catalog":"hive","schema":"sg_mart","table":"customer","authorization":"ann","filters":[],"columns":[{"column":"city","mask":null},{"column":"id","mask":null}],"directlyReferenced":true,"viewText":null,"referenceChain":[]}],
"routines":[],"uri":"http://trino:8080/v1/query/20261120_100000_00007_abcde","plan":null,"jsonPlan":null,"payload":null},
"statistics":{"cpuTime":0.021,"failedCpuTime":0.0,"wallTime":0.2,"queuedTime":0.001,"totalRows":3,"completedSplits":4,"complete":true,"operatorSummaries":[]},
"context":{"user":"ann","originalUser":"ann","originalRoles":[],"principal":"ann","enabledRoles":[],"groups":[],"traceToken":null,"remoteClientAddress":"127.0.0.1","userAgent":"StatementClientV1/476","clientInfo":"{\"dashboard\": \"Courier load 2026\"}","source":"superset","clientTags":[],"clientCapabilities":["PATH"],"timezone":"UTC","catalog":"hive","schema":"sg_mart","resourceGroupId":["global"],"sessionProperties":{},"resourceEstimates":{},"serverAddress":"127.0.0.1","serverVersion":"476","environment":"test","queryType":"SELECT","retryPolicy":"NONE"},
"ioMetadata":{"inputs":[{"catalogName":"hive","schema":"sg_mart","table":"orders","columns":[{"name":"day","type":"bigint"}],"connectorInfo":null,"physicalInputBytes":10,"physicalInputRows":3}],"output":null},
"errorCode":null,"failureInfo":null,"warnings":[],
"createTime":"2026-11-20T10:00:00.123Z","executionStartTime":"2026-11-20T10:00:00.200Z","endTime":"2026-11-20T10:00:00.400Z"}`

// created is what is posted when a query begins.
const created = `{"createTime":"2026-11-20T10:00:00.123Z","context":{"user":"ann"},"metadata":{"queryId":"20261120_100000_00007_abcde","query":"SELECT 1","queryState":"QUEUED","tables":[]}}`

func post(t *testing.T, url, body, token string) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	q.Header.Set("Content-Type", "application/json")
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer
}

func TestReceive(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	r := history.NewReceiver(s, "wh", history.ReceiverOptions{Token: "sesame", Options: history.Options{MaxEvent: 10_000}})
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	require.Equal(t, http.StatusUnauthorized, post(t, server.URL, completed, "").StatusCode)
	require.Equal(t, http.StatusUnauthorized, post(t, server.URL, completed, "sesam").StatusCode)
	require.Equal(t, http.StatusBadRequest, post(t, server.URL, "SELECT 1", "sesame").StatusCode)
	require.Equal(t, http.StatusRequestEntityTooLarge, post(t, server.URL, strings.Repeat(" ", 10_001), "sesame").StatusCode)
	require.Equal(t, http.StatusNoContent, post(t, server.URL, created, "sesame").StatusCode)
	require.Zero(t, r.Pending(), "a query that begins tells nothing")

	again := strings.ReplaceAll(completed, "00007_abcde", "00008_abcde")
	require.Equal(t, http.StatusNoContent, post(t, server.URL, completed, "sesame").StatusCode)
	require.Equal(t, http.StatusNoContent, post(t, server.URL, "["+completed+","+again+"]", "sesame").StatusCode)
	require.Equal(t, 3, r.Pending())
	require.Nil(t, tableOf(t, s, "orders").Usage, "nothing is kept before it is counted")
	report, err := r.Flush(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, report.Queries)
	require.Equal(t, 1, report.Known, "one was posted twice, as a listener that tries again does")
	require.Zero(t, r.Pending())

	orders := tableOf(t, s, "orders").Usage
	require.Equal(t, "SELECT o.day, count(*) AS parcels FROM orders AS o JOIN customer AS c ON o.customer_id = c.id WHERE c.city = ? GROUP BY o.day", orders.Templates[0].SQL)
	require.EqualValues(t, 2, orders.Templates[0].Queries)
	var words []string
	for _, w := range orders.Words {
		words = append(words, w.Text)
	}
	require.ElementsMatch(t, []string{"courier", "load"}, words, "what is counted over both tables names no column of either")

	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	q.Header.Set("Authorization", "Bearer sesame")
	answer, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
}

// TestReceiverIsBounded: when too many wait, callers are told to come again, and the
// events are counted at once; when the receiver ends, what waits is counted.
func TestReceiverIsBounded(t *testing.T) {
	t.Parallel()
	s := warehouse(t)
	flushed := make(chan history.Report, 2)
	r := history.NewReceiver(s, "wh", history.ReceiverOptions{MaxPending: 2, FlushEvery: time.Hour, Flushed: func(r history.Report, err error) {
		if err == nil {
			flushed <- r
		}
	}})
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	event := func(id string) string { return strings.ReplaceAll(completed, "00007_abcde", id) }
	require.Equal(t, http.StatusNoContent, post(t, server.URL, event("a"), "").StatusCode)
	require.Equal(t, http.StatusNoContent, post(t, server.URL, event("b"), "").StatusCode)
	full := post(t, server.URL, event("c"), "")
	require.Equal(t, http.StatusServiceUnavailable, full.StatusCode)
	require.NotEmpty(t, full.Header.Get("Retry-After"))

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	require.Equal(t, 2, (<-flushed).Queries)
	require.Equal(t, http.StatusNoContent, post(t, server.URL, event("c"), "").StatusCode)
	stop()
	require.NoError(t, <-ended)
	require.Equal(t, 1, (<-flushed).Queries)
	require.EqualValues(t, 3, tableOf(t, s, "orders").QueryCount30d)
}

// TestWhatCannotBeCountedWaits: a source that is gone loses no event.
func TestWhatCannotBeCountedWaits(t *testing.T) {
	t.Parallel()
	r := history.NewReceiver(warehouse(t), "other", history.ReceiverOptions{})
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	require.Equal(t, http.StatusNoContent, post(t, server.URL, completed, "").StatusCode)
	_, err := r.Flush(t.Context())
	require.Error(t, err)
	require.Equal(t, 1, r.Pending())
}
