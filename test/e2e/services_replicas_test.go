package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
)

// pair are two processes of one target that share a database and nothing else.
type pair struct {
	t          *testing.T
	one, other grpc.ClientConnInterface
	killOne    func()
}

// twoOf starts them, each with a folder and sources of its own.
func twoOf(t *testing.T, target string, env ...string) pair {
	t.Helper()
	dsn := postgrestest.DSN(t)
	p := pair{t: t}
	for i := range 2 {
		c := &cluster{t: t, dataDir: freshDemo(t), processes: map[string]*process{}}
		address := freeAddress(t)
		c.start(target, address, append(env[:len(env):len(env)], "DIBRAIN_STORE_KIND=postgres", "DIBRAIN_STORE_DSN="+dsn, "DIBRAIN_REPLICAS=2", "DIBRAIN_LIMITS_REQUESTS_PER_SECOND=0")...)
		if i == 0 {
			p.one, p.killOne = dial(t, address), func() { c.kill(c.processes[target]) }
		} else {
			p.other = dial(t, address)
		}
		t.Cleanup(func() { // the database has it all
			for _, file := range []string{"text2sql/examples.db", "findata/findata.db", "findata/curated", "knowledge/expert.db"} {
				require.NoFileExists(t, filepath.Join(c.dataDir, file))
				require.NoDirExists(t, filepath.Join(c.dataDir, file))
			}
			_, err := os.Stat(c.dataDir)
			require.NoError(t, err)
		})
	}
	return p
}

// killInTheMiddle writes at one process, again and again, kills it meanwhile, and returns what
// it had acknowledged.
func (p pair) killInTheMiddle(write func(ctx context.Context, n int) error) (acknowledged []int) {
	p.t.Helper()
	const most, before = 5000, 20 // it is killed after so many
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	reached, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for n := range most {
			if write(ctx, n) != nil {
				return
			}
			if acknowledged = append(acknowledged, n); len(acknowledged) == before {
				close(reached)
			}
		}
	}()
	select {
	case <-reached:
	case <-done:
	}
	p.killOne()
	cancel() // its connection would wait for another process
	<-done
	require.GreaterOrEqual(p.t, len(acknowledged), before)
	return acknowledged
}

// rest starts the services that those of a pair call, and returns settings that name them.
func rest(t *testing.T) []string {
	t.Helper()
	c := &cluster{t: t, dataDir: freshDemo(t), router: freeAddress(t), processes: map[string]*process{}}
	key := "DIBRAIN_AUTH_HOP_KEY=kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
	c.start("findata,text2sql,fixsql,chatbi", c.router, key, "DIBRAIN_LIMITS_REQUESTS_PER_SECOND=0")
	return []string{key, "DIBRAIN_FINDATA_ADDRESS=" + c.router, "DIBRAIN_TEXT2SQL_ADDRESS=" + c.router, "DIBRAIN_FIXSQL_ADDRESS=" + c.router, "DIBRAIN_CHATBI_ADDRESS=" + c.router}
}

// TestText2SQLsShareVerifiedQueries: what a curator approves at one answers at the other with
// the next question, and what one acknowledged before it was killed the other has.
func TestText2SQLsShareVerifiedQueries(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := twoOf(t, "text2sql", rest(t)...)
	one, other := text2sqlv1.NewText2SQLServiceClient(p.one), text2sqlv1.NewText2SQLServiceClient(p.other)
	const question, sql = "how many parcels were lost on the moon", "SELECT count(*) AS sellers FROM sg.mp_seller.dim_seller__reg_s0_live"
	ask := func(c text2sqlv1.Text2SQLServiceClient) *text2sqlv1.Verified {
		t.Helper()
		got, err := c.GenerateSQLUnary(t.Context(), &text2sqlv1.GenerateSQLUnaryRequest{Query: &text2sqlv1.GenerateQuery{UserQuestion: question}})
		require.NoError(t, err)
		return got.GetResult().GetVerified()
	}
	for _, c := range []text2sqlv1.Text2SQLServiceClient{one, other} {
		require.Nil(t, ask(c)) // and the verified queries of the source are held ready
	}
	proposed, err := one.AddExample(t.Context(), &text2sqlv1.AddExampleRequest{Question: question, Sql: sql, ProposeOnly: true})
	require.NoError(t, err)
	require.Nil(t, ask(other), "a proposal answers nothing")
	id := proposed.GetExample().GetExampleId()
	_, err = one.ApproveExample(t.Context(), &text2sqlv1.ApproveExampleRequest{ExampleId: id})
	require.NoError(t, err)
	for _, c := range []text2sqlv1.Text2SQLServiceClient{other, one} {
		require.Equal(t, id, ask(c).GetExampleId())
	}
	_, err = other.RemoveExample(t.Context(), &text2sqlv1.RemoveExampleRequest{ExampleId: id})
	require.NoError(t, err)
	require.Nil(t, ask(one), "removed at the other")

	asked := func(n int) string { return fmt.Sprintf("how many parcels were lost on moon number %d", n) }
	acknowledged := p.killInTheMiddle(func(ctx context.Context, n int) error {
		_, err := one.AddExample(ctx, &text2sqlv1.AddExampleRequest{Question: asked(n), Sql: sql})
		return err
	})
	var kept []string
	for token := ""; ; {
		list, err := other.ListExamples(t.Context(), &text2sqlv1.ListExamplesRequest{Status: "approved", PageSize: 500, PageToken: token})
		require.NoError(t, err)
		for _, e := range list.GetExamples() {
			kept = append(kept, e.GetQuestion())
		}
		if token = list.GetNextPageToken(); token == "" {
			break
		}
	}
	for _, n := range acknowledged {
		require.Contains(t, kept, asked(n))
	}
}

// TestFindDatasShareWhatPeopleSaid: preferences, feedback and decisions of curators.
func TestFindDatasShareWhatPeopleSaid(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := twoOf(t, "findata")
	one, other := findatav1.NewFindDataServiceClient(p.one), findatav1.NewFindDataServiceClient(p.other)
	preferences := func(c findatav1.FindDataServiceClient) *findatav1.GetPreferencesResponse {
		t.Helper()
		got, err := c.GetPreferences(t.Context(), &findatav1.GetPreferencesRequest{})
		require.NoError(t, err)
		return got
	}
	require.Empty(t, preferences(other).GetPreferences().GetRegion()) // and held ready
	_, err := one.SetPreferences(t.Context(), &findatav1.SetPreferencesRequest{Preferences: &findatav1.Preferences{Region: "SG"}})
	require.NoError(t, err)
	require.Equal(t, "SG", preferences(other).GetPreferences().GetRegion())

	const table = "sg.mp_seller.dim_seller__reg_s0_live"
	judge := func(ctx context.Context, kind findatav1.FeedbackKind) error {
		_, err := one.Feedback(ctx, &findatav1.FeedbackRequest{Question: "orders", Tables: []string{table}, Kind: kind})
		return err
	}
	require.NoError(t, judge(t.Context(), findatav1.FeedbackKind_FEEDBACK_KIND_REJECTED))
	queue, err := other.ListReview(t.Context(), &findatav1.ListReviewRequest{})
	require.NoError(t, err)
	at := slices.IndexFunc(queue.GetEntries(), func(e *findatav1.ReviewEntry) bool { return e.GetQuestion() == "orders" })
	require.GreaterOrEqual(t, at, 0, "%v", queue)
	resolve := func(c findatav1.FindDataServiceClient, dry bool) string {
		t.Helper()
		got, err := c.ResolveReview(t.Context(), &findatav1.ResolveReviewRequest{Id: queue.GetEntries()[at].GetId(), DryRun: dry,
			Resolution: &findatav1.ResolveReviewRequest_Synonym{Synonym: &findatav1.ReviewSynonym{Words: []string{"orders", "moon parcels"}}}})
		require.NoError(t, err)
		return got.GetDiff()
	}
	require.Contains(t, resolve(one, true), "moon parcels")
	require.Contains(t, resolve(other, false), "moon parcels")
	require.Empty(t, resolve(one, true), "the other has it already")
	queue, err = one.ListReview(t.Context(), &findatav1.ListReviewRequest{})
	require.NoError(t, err)
	require.False(t, slices.ContainsFunc(queue.GetEntries(), func(e *findatav1.ReviewEntry) bool { return e.GetQuestion() == "orders" }))

	acknowledged := p.killInTheMiddle(func(ctx context.Context, _ int) error {
		return judge(ctx, findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED)
	})
	got := preferences(other)
	require.Equal(t, []string{table}, got.GetLearned().GetTables(), "what was said at one is learned from at the other")
	require.GreaterOrEqual(t, got.GetUse().GetJudged(), int64(len(acknowledged)+1))
}

// TestKnowledgesShareSessions: a follow-up at the other process is read with what came before.
func TestKnowledgesShareSessions(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := twoOf(t, "knowledge")
	one, other := knowledgev1.NewKnowledgeServiceClient(p.one), knowledgev1.NewKnowledgeServiceClient(p.other)
	turn := func(ctx context.Context, c knowledgev1.KnowledgeServiceClient, question, session string) (*knowledgev1.ExpertAnswer, error) {
		got, err := c.AskExpertUnary(ctx, &knowledgev1.AskExpertUnaryRequest{Query: &knowledgev1.ExpertQuery{UserQuestion: question, SessionId: session}})
		return got.GetAnswer(), err
	}
	const first = "how do I make a backup?"
	goesOn := func(session string) {
		t.Helper()
		a, err := turn(t.Context(), other, "and how long does it take?", session)
		require.NoError(t, err)
		require.Contains(t, a.GetAnswer().GetSearchedAs(), first)
	}
	begun, err := turn(t.Context(), one, first, "")
	require.NoError(t, err)
	goesOn(begun.GetSessionId())
	acknowledged := p.killInTheMiddle(func(ctx context.Context, n int) error {
		_, err := turn(ctx, one, first, fmt.Sprint("talk ", n))
		return err
	})
	for _, n := range acknowledged[max(0, len(acknowledged)-25):] {
		goesOn(fmt.Sprint("talk ", n))
	}
}
