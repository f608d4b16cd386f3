package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// oneAnswer is a router that has one answer, and notes what it was asked.
type oneAnswer struct {
	routerv1.RouterServiceClient
	answer *routerv1.Answer
	asked  []*routerv1.Turn
}

type oneEvent struct {
	grpc.ServerStreamingClient[routerv1.ChatResponse]
	events []*routerv1.ChatResponse
}

func (o *oneEvent) Recv() (*routerv1.ChatResponse, error) {
	if len(o.events) == 0 {
		return nil, io.EOF
	}
	e := o.events[0]
	o.events = o.events[1:]
	return e, nil
}

func (r *oneAnswer) Chat(_ context.Context, q *routerv1.ChatRequest, _ ...grpc.CallOption) (grpc.ServerStreamingClient[routerv1.ChatResponse], error) {
	r.asked = append(r.asked, q.GetTurn())
	return &oneEvent{events: []*routerv1.ChatResponse{{Event: &routerv1.ChatResponse_Answer{Answer: r.answer}}}}, nil
}

// TestAKeyChoosesAReading: at a terminal the key of an option takes it, in the session of
// the question; any other key leaves the question, as does a pipe.
func TestAKeyChoosesAReading(t *testing.T) {
	t.Parallel()
	asks := func(language commonv1.Language) *routerv1.Answer {
		return &routerv1.Answer{AskHuman: true, SessionId: "ses_7", Language: language, Outcome: routerv1.Outcome_OUTCOME_ASKED, Question: &commonv1.Question{Options: []*commonv1.Option{
			{Id: "reading:a", Label: "number of loans"}, {Id: "reading:b", Label: "number of books"},
		}}}
	}
	for name, c := range map[string]struct {
		key      rune
		tty      bool
		language commonv1.Language
		chosen   string
		hint     string
	}{
		"a key":          {key: '2', tty: true, chosen: "reading:b", hint: "press 1–2"},
		"in Chinese":     {key: '1', tty: true, language: commonv1.Language_LANGUAGE_ZH, chosen: "reading:a", hint: "按 1–2 选择"},
		"another key":    {key: 'q', tty: true, hint: "press 1–2"},
		"no such option": {key: '3', tty: true, hint: "press 1–2"},
		"no character":   {key: 0, tty: true, hint: "press 1–2"},
		"a pipe":         {key: '1'},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			f := &Factory{
				IO:     &IO{Out: &out, Err: &out, IsTTY: c.tty, InTTY: c.tty, Width: func() int { return 80 }, Key: func() (rune, error) { return c.key, nil }},
				Getenv: func(string) string { return "" },
			}
			router := &oneAnswer{answer: &routerv1.Answer{Text: "Number of books is 12.", Outcome: routerv1.Outcome_OUTCOME_ANSWERED}}
			o := &askOptions{turnFlags: turnFlags{limit: 10}}
			o.table.format = "table"
			first := &routerv1.Turn{Question: "how many?", Source: "library", UserContext: &commonv1.UserContext{TimeZone: "Asia/Shanghai"}}
			a, err := choose(t.Context(), f, &services{Router: router}, o, first, asks(c.language))
			require.NoError(t, err)
			require.Contains(t, out.String(), c.hint)
			if c.chosen == "" {
				require.Empty(t, router.asked)
				require.True(t, a.GetAskHuman(), "the question stays: its exit code is that of a question")
				return
			}
			require.Len(t, router.asked, 1)
			require.Equal(t, c.chosen, router.asked[0].GetChosenOptionId())
			require.Equal(t, "ses_7", router.asked[0].GetSessionId())
			require.Equal(t, "Asia/Shanghai", router.asked[0].GetUserContext().GetTimeZone(), "a choice is made where the question was asked")
			require.Contains(t, out.String(), "Number of books is 12.")
			require.False(t, a.GetAskHuman())
		})
	}
}

// askingFinder is find data that asks back until it is answered.
type askingFinder struct {
	findatav1.FindDataServiceClient
	asked []*findatav1.DiscoverQuery
}

func (a *askingFinder) DiscoverUnary(_ context.Context, r *findatav1.DiscoverUnaryRequest, _ ...grpc.CallOption) (*findatav1.DiscoverUnaryResponse, error) {
	q := proto.CloneOf(r.GetQuery())
	a.asked = append(a.asked, q)
	if q.GetChosenOptionId() == "" && q.GetClarificationReply() == "" {
		return &findatav1.DiscoverUnaryResponse{Result: &findatav1.DiscoverResult{Question: &commonv1.Question{Text: "Which one?", Options: []*commonv1.Option{
			{Id: "mart:Order", Label: "Order"}, {Id: "mart:User", Label: "User"},
		}}}}, nil
	}
	return &findatav1.DiscoverUnaryResponse{Result: &findatav1.DiscoverResult{Answer: "tables of it"}}, nil
}

// TestWhatFindAsksBackIsAnswered: at a terminal by the key of an option, elsewhere by
// --reply; what nobody answers is left as it is.
func TestWhatFindAsksBackIsAnswered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key          rune
		tty          bool
		reply        string
		asked        int
		chosen, said string
	}{
		"a key":       {key: '2', tty: true, asked: 2, chosen: "mart:User"},
		"another key": {key: 'q', tty: true, asked: 1},
		"a pipe":      {key: '2', asked: 1},
		"--reply":     {reply: "the first", asked: 1, said: "the first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			f := &Factory{
				IO:     &IO{Out: &out, Err: &out, IsTTY: c.tty, InTTY: c.tty, Width: func() int { return 80 }, Key: func() (rune, error) { return c.key, nil }},
				Getenv: func(string) string { return "" },
			}
			finder := &askingFinder{}
			o := &findOptions{reply: c.reply}
			o.table.format = "table"
			result, err := discoverTables(t.Context(), f, &services{FindData: finder}, o, &findatav1.DiscoverQuery{UserQuery: "buyers", ClarificationReply: o.reply})
			require.NoError(t, err)
			require.Len(t, finder.asked, c.asked)
			last := finder.asked[c.asked-1]
			require.Equal(t, c.chosen, last.GetChosenOptionId())
			require.Equal(t, c.said, last.GetClarificationReply())
			require.Equal(t, c.chosen != "" || c.said != "", result.GetAnswer() == "tables of it")
			require.Equal(t, c.reply == "", strings.Contains(out.String(), "Which one?"))
		})
	}
}
