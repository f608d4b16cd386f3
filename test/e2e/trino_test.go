//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// ingestTPCH makes the source wh of tpch.tiny in a new data directory.
func ingestTPCH(t *testing.T, c source.TrinoConnection) (dataDir string) {
	t.Helper()
	dataDir = filepath.Join(t.TempDir(), "data")
	args := []string{"ingest", "trino", c.URL, "--name", "wh", "--catalog", "tpch", "--schema", "tiny", "--user", c.User, "--data-dir", dataDir}
	if c.PasswordFile != "" {
		args = append(args, "--password-file", c.PasswordFile, "--ca-file", c.CAFile, "--impersonate")
	}
	got := command(t, "", nil, args...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "8 tables")
	return dataDir
}

// TestTwoPrincipalsOnTrino asks the same as two people. The service signs in as
// itself, and Trino's own rules give each of them their rows.
func TestTwoPrincipalsOnTrino(t *testing.T) {
	t.Parallel()
	connection := trinotest.Secure(t)
	topologies(t, func(t *testing.T, start func(*testing.T, string, ...string) *cluster) {
		tokens := filepath.Join(t.TempDir(), "tokens.yaml")
		entries, secrets := "tokens:\n", map[string]string{}
		for _, who := range []string{"alice", "bob"} {
			token, entry := newToken(t, who)
			secrets[who] = token
			entries += entry
		}
		require.NoError(t, os.WriteFile(tokens, []byte(entries), 0o600))
		c := start(t, ingestTPCH(t, connection), "DIBRAIN_AUTH_MODE=token", "DIBRAIN_AUTH_TOKEN_FILE="+tokens, "DIBRAIN_SOURCE=wh")
		client := c.client()
		ask := func(who, question string) *routerv1.Answer {
			t.Helper()
			ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets[who]), time.Minute)
			defer cancel()
			response, err := client.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: question, Source: "wh"}})
			require.NoError(t, err)
			return response.GetAnswer()
		}
		count := func(who, question string) int {
			t.Helper()
			page := executed(t, ask(who, question)).GetPage()
			require.Len(t, page.GetRows(), 1)
			return int(number(t, page.GetRows()[0].GetValues()[0]))
		}
		text, _ := trinotest.Value(t, "SELECT CAST(count(*) AS varchar) FROM tpch.tiny.customer WHERE nationkey = 7")
		bobs, err := strconv.Atoi(text)
		require.NoError(t, err)
		for range 2 { // whoever asks first
			require.Equal(t, bobs, count("bob", "How many customers are there?"))
			require.Equal(t, 1500, count("alice", "How many customers are there?"))
			require.Equal(t, 1500, count("alice", "有多少customer？"))
		}

		phone := func(who string) string {
			t.Helper()
			page := executed(t, ask(who, "Run this SQL: SELECT phone FROM tpch.tiny.customer WHERE nationkey = 7 ORDER BY custkey LIMIT 1")).GetPage()
			return page.GetRows()[0].GetValues()[0].GetStringValue()
		}
		whole, masked := phone("alice"), phone("bob")
		require.NotContains(t, whole, "*")
		require.Equal(t, "***"+whole[len(whole)-4:], masked)

		denied := ask("bob", "Run this SQL: SELECT acctbal FROM tpch.tiny.customer LIMIT 1")
		calls := denied.GetToolCalls()
		require.Empty(t, calls[len(calls)-1].GetExecute().GetPage().GetRows())
		require.Contains(t, strings.ToLower(denied.String()), "access denied")
		require.NotContains(t, denied.String(), connection.PasswordFile)
	})
}

// running returns the statement with a marker in it that runs on the server.
func running(t *testing.T, marker string) (id string, ok bool) {
	t.Helper()
	return trinotest.Value(t, "SELECT query_id FROM system.runtime.queries WHERE source = 'dibrain' AND state = 'RUNNING' AND query LIKE '%"+marker+"%'")
}

// TestInterruptedAskEndsTheStatementOnTrino holds that after Ctrl-C nothing goes
// on at the server's expense.
func TestInterruptedAskEndsTheStatementOnTrino(t *testing.T) {
	t.Parallel()
	dir := ingestTPCH(t, trinotest.Plain(t))
	marker := "interrupted " + strconv.Itoa(os.Getpid())
	statement := "SELECT count(*) AS n FROM tpch.tiny.lineitem AS a CROSS JOIN tpch.tiny.lineitem AS b WHERE a.comment || b.comment LIKE '%" + marker + "'"
	var id string
	var signalled time.Time
	got := interrupted(t, os.Interrupt, func() (ok bool) {
		id, ok = running(t, marker)
		signalled = time.Now()
		return ok
	}, "ask", "--data-dir", dir, "--source", "wh", "Run this SQL: "+statement)
	require.Equal(t, 130, got.code, got.err)
	require.Equal(t, "Cancelled.\n", got.err)
	var state string
	require.Eventually(t, func() bool {
		state, _ = trinotest.Value(t, `SELECT state || ' ' || coalesce(error_code, '') || ' ' || coalesce(to_iso8601("end"), '')
			FROM system.runtime.queries WHERE query_id = '`+id+"'")
		return strings.HasPrefix(state, "FAILED")
	}, 10*time.Second, 10*time.Millisecond)
	fields := strings.Fields(state)
	require.Len(t, fields, 3, state)
	require.Equal(t, "USER_CANCELED", fields[1])
	ended, err := time.Parse(time.RFC3339, fields[2])
	require.NoError(t, err)
	require.Less(t, ended.Sub(signalled), time.Second, "the statement went on at the server's expense")
}

// TestTimeLimitOnTrino says in words what a statement that takes too long came to.
func TestTimeLimitOnTrino(t *testing.T) {
	t.Parallel()
	dir := ingestTPCH(t, trinotest.Plain(t))
	statement := "SELECT count(*) AS n FROM tpch.tiny.lineitem AS a CROSS JOIN tpch.tiny.lineitem AS b WHERE a.comment || b.comment LIKE '%too long'"
	got := command(t, "", []string{"DIBRAIN_CHATBI_LIMITS_TIMEOUT=1s"}, "ask", "--data-dir", dir, "--source", "wh", "Run this SQL: "+statement)
	require.Contains(t, got.out, "took longer than 1s")
	require.NotContains(t, got.out+got.err, "context deadline")
}

// TestRunIDsLeadToTrinoAndBack: what Trino shows as the tag of a statement is a run
// that `runs show` knows, whose tree names the statement on the server; the
// product's own statements are few and came to their end.
func TestRunIDsLeadToTrinoAndBack(t *testing.T) {
	t.Parallel()
	c := trinotest.Plain(t)
	dir := ingestTPCH(t, c)
	for name, question := range map[string]string{
		"written by hand": "Run this SQL: SELECT count(*) AS n FROM tpch.tiny.nation",
		"written for it":  "How many customers are there per nation?",
	} {
		asked := command(t, "", nil, "ask", "--json", "--data-dir", dir, "--source", "wh", question)
		require.Zero(t, asked.code, asked.out+asked.err)
		var response routerv1.AskResponse
		require.NoError(t, protojson.Unmarshal([]byte(asked.out), &response))
		id := response.GetAnswer().GetRunId()
		shown := command(t, "", nil, "runs", "show", "--json", "--data-dir", dir, id)
		require.Zero(t, shown.code, shown.err)

		var own []string
		named := false
		for _, q := range tagged(t, c.URL, id) {
			require.Equal(t, "FINISHED", q.State, q.Query)
			named = named || strings.Contains(shown.out, q.QueryID)
			own = append(own, q.Query)
		}
		t.Logf("%s: %d statements on the server: %q", name, len(own), own)
		require.NotEmpty(t, own, "%s: Trino shows the run", name)
		require.True(t, named, "%s: the run tree names the statement", name)
		require.LessOrEqual(t, len(own), 4, name)
	}
}

// serverQuery is a statement as Trino tells of it.
type serverQuery struct {
	QueryID, State, Query string
	QueryStats            struct{ ElapsedTime string }
	Session               struct{ ClientTags []string }
}

// tagged are the statements of a run that the server knows.
func tagged(t *testing.T, url, run string) (of []serverQuery) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/query", nil)
	require.NoError(t, err)
	request.Header.Set("X-Trino-User", "admin")
	listed, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer listed.Body.Close()
	var all []serverQuery
	require.NoError(t, json.NewDecoder(listed.Body).Decode(&all))
	for _, q := range all {
		if slices.Contains(q.Session.ClientTags, run) {
			of = append(of, q)
		}
	}
	return of
}

// TestStatementsEndWithTheProcessOnTrino: a process that is told to stop ends its
// statement on the server; what one left that was killed is ended by the next.
func TestStatementsEndWithTheProcessOnTrino(t *testing.T) {
	t.Parallel()
	trinotest.Server(t)
	for name, signal := range map[string]syscall.Signal{"stopped": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ingestTPCH(t, trinotest.Plain(t))
			env := []string{"DIBRAIN_SOURCE=wh", "DIBRAIN_LIMITS_DRAIN_TIMEOUT=1s"}
			c := monolith(t, dir, env...)
			marker := name + " " + strconv.Itoa(os.Getpid())
			asked := make(chan struct{})
			go func() {
				defer close(asked)
				_, _ = c.client().Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "wh", Question: "Run this SQL: " +
					"SELECT count(*) AS n FROM tpch.tiny.lineitem AS a CROSS JOIN tpch.tiny.lineitem AS b WHERE a.comment || b.comment LIKE '%" + marker + "'"}})
			}()
			var id string
			require.Eventually(t, func() (ok bool) { id, ok = running(t, marker); return ok }, time.Minute, 50*time.Millisecond)
			state := func() string {
				text, _ := trinotest.Value(t, "SELECT state || ' ' || coalesce(error_code, '') FROM system.runtime.queries WHERE query_id = '"+id+"'")
				return text
			}
			p := c.processes["all"]
			require.NoError(t, p.cmd.Process.Signal(signal))
			<-p.exited
			<-asked
			if signal == syscall.SIGTERM {
				require.Equal(t, "FAILED USER_CANCELED", state(), "it was ended before the process was")
				return
			}
			require.Equal(t, "RUNNING ", state(), "nobody has told the server")
			begun := time.Now()
			c.start("all", c.router, env...)
			require.Eventually(t, func() bool { return strings.HasPrefix(state(), "FAILED ") }, 20*time.Second, 10*time.Millisecond)
			t.Logf("the next process ended it %s after it was started: %s", time.Since(begun).Round(10*time.Millisecond), state())
			require.Contains(t, "FAILED ADMINISTRATIVELY_KILLED FAILED USER_CANCELED", state())
			var notes []string
			require.Eventually(t, func() bool {
				notes, _ = filepath.Glob(filepath.Join(dir, "chatbi", "running", "*", "*.json"))
				return len(notes) == 0
			}, 10*time.Second, 10*time.Millisecond, "the journal still has %v", notes)
		})
	}
}

// TestUnknownCostAsksOnTrino: of a table without statistics the server's plan has NaN
// for figures. The person is asked, by the router too, and a yes runs it.
func TestUnknownCostAsksOnTrino(t *testing.T) {
	t.Parallel()
	connection, schema := trinotest.Plain(t), trinotest.Schema(t, "hive")
	trinotest.Exec(t, "CREATE TABLE hive."+schema+".visit (visitor varchar, pages bigint)",
		"INSERT INTO hive."+schema+".visit VALUES ('ann', 3), ('bob', 4)", "CALL hive.system.drop_stats('"+schema+"', 'visit')")
	plan, _ := trinotest.Value(t, "EXPLAIN (TYPE IO, FORMAT JSON) SELECT sum(pages) FROM hive."+schema+".visit")
	require.Contains(t, plan, `"NaN"`, "this is what the test is about")

	dir := filepath.Join(t.TempDir(), "data")
	got := command(t, "", nil, "ingest", "trino", connection.URL, "--name", "wh", "--catalog", "hive", "--schema", schema, "--user", connection.User, "--data-dir", dir)
	require.Zero(t, got.code, got.err)
	c := monolith(t, dir, "DIBRAIN_SOURCE=wh")
	for question, want := range map[string]int{"Run this SQL: SELECT sum(pages) AS n FROM hive." + schema + ".visit": 7, "How many visits are there?": 2} {
		first := c.ask(&routerv1.Turn{Source: "wh", Question: question})
		require.Contains(t, first.GetText(), "is not known, and it may be much", question)
		require.NotContains(t, first.GetText(), "NaN")
		options := first.GetQuestion().GetOptions()
		require.NotEmpty(t, options, first.GetText())
		second := c.ask(&routerv1.Turn{Source: "wh", SessionId: first.GetSessionId(), Question: options[0].GetLabel(), ChosenOptionId: options[0].GetId()})
		page := executed(t, second).GetPage()
		require.Len(t, page.GetRows(), 1, second.GetText())
		require.EqualValues(t, want, number(t, page.GetRows()[0].GetValues()[0]), question)
	}
}

// TestOwnStatementsOnTrino: beside the statement itself the product asks the server for
// little, and the second time for nothing. The log tells what part of the answer's time
// its own statements take.
func TestOwnStatementsOnTrino(t *testing.T) {
	t.Parallel()
	connection, schema := trinotest.Plain(t), trinotest.Schema(t, "hive")
	trinotest.Exec(t, "CREATE TABLE hive."+schema+".visit (pages bigint, day date) WITH (partitioned_by = ARRAY['day'])",
		"INSERT INTO hive."+schema+".visit VALUES (3, DATE '2026-03-01'), (4, DATE '2026-03-02')")
	dir := filepath.Join(t.TempDir(), "data")
	got := command(t, "", nil, "ingest", "trino", connection.URL, "--name", "wh", "--catalog", "hive", "--schema", schema, "--user", connection.User, "--data-dir", dir)
	require.Zero(t, got.code, got.err)
	c := monolith(t, dir, "DIBRAIN_SOURCE=wh", "DIBRAIN_CHATBI_COST_ASK_ROWS=1") // so that the plan is asked for
	const marker = "sum_of_two"
	ask := func() (theirs, own int) {
		begun := time.Now()
		turn := &routerv1.Turn{Source: "wh", Question: "Run this SQL: SELECT sum(pages) AS " + marker + " FROM hive." + schema + ".visit WHERE day >= DATE '2026-03-02'"}
		answer := c.ask(turn)
		took := time.Since(begun)
		require.NotEmpty(t, executed(t, answer).GetPage().GetRows(), answer.GetText())
		var all, ours time.Duration
		for _, q := range tagged(t, connection.URL, answer.GetRunId()) {
			require.Equal(t, "FINISHED", q.State, q.Query)
			elapsed, err := time.ParseDuration(q.QueryStats.ElapsedTime)
			require.NoError(t, err, q.QueryStats.ElapsedTime)
			all += elapsed
			if strings.HasPrefix(q.Query, "SELECT") && strings.Contains(q.Query, marker) {
				theirs++
				continue
			}
			t.Logf("own: %s %s", elapsed, q.Query)
			own++
			ours += elapsed
		}
		t.Logf("answered in %s; on the server the statements took %s, of which %d of the product's own %s", took.Round(time.Millisecond), all, own, ours)
		return theirs, own
	}
	theirs, own := ask()
	require.Equal(t, 1, theirs, "the statement itself runs once")
	require.Positive(t, own, "both ends of the partitions are not in the catalog")
	require.LessOrEqual(t, own, 3, "a plan and both ends of the partitions")
	theirs, own = ask()
	require.Equal(t, 1, theirs)
	require.Zero(t, own, "what is known is not asked for again")
}
