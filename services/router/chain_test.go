package router

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// TestHowFarALookUpGoes: as many calls as the bound, and not one more.
func TestHowFarALookUpGoes(t *testing.T) {
	t.Parallel()
	for n, fits := range map[int]bool{1: true, maxChain: true, maxChain + 1: false} {
		var one turn
		for i := range n {
			c := made(fmt.Sprint("call_", i), tools.FixSQL, &chatbiv1.ExecuteResult{})
			if i+1 < n {
				c.SourceID = fmt.Sprint("call_", i+1)
			}
			one.calls = append(one.calls, c)
		}
		chain, err := (&Service{}).chain(t.Context(), &one, "call_0")
		if fits {
			require.NoError(t, err)
			require.Len(t, chain, n)
			continue
		}
		require.Equal(t, reasonChainSteps, fault.ReasonOf(err))
		require.ErrorContains(t, err, "More than 64 tool calls stand behind call_0")
	}
	circle := turn{calls: []*call{made("a", tools.FixSQL, &chatbiv1.ExecuteResult{}), made("b", tools.FixSQL, &chatbiv1.ExecuteResult{})}}
	circle.calls[0].SourceID, circle.calls[1].SourceID = "b", "a"
	_, err := (&Service{}).chain(t.Context(), &circle, "b")
	require.Equal(t, reasonCycle, fault.ReasonOf(err))
}

// oneCall is a store of one call, or of an error.
type oneCall struct {
	Store
	call store.ToolCall
	err  error
}

func (s oneCall) ToolCall(context.Context, run.Principal, string) (store.ToolCall, error) {
	return s.call, s.err
}

// TestWhoseOutputIsTakenForACalls: that of the same tool in the same session which ended
// well, and nobody else's; where the store does not answer, nothing is called.
func TestWhoseOutputIsTakenForACalls(t *testing.T) {
	t.Parallel()
	set, err := tools.New()
	require.NoError(t, err)
	ended := made("call_1", tools.Execute, &chatbiv1.ExecuteResult{Answer: "before"})
	require.NoError(t, ended.pack())
	ended.SessionID, ended.Status = "ses_1", run.StatusSucceeded
	for name, c := range map[string]struct {
		change func(*oneCall)
		taken  bool
		reason string
	}{
		"the same":        {func(*oneCall) {}, true, ""},
		"another session": {func(s *oneCall) { s.call.SessionID = "ses_2" }, false, store.ReasonIDTaken},
		"another tool":    {func(s *oneCall) { s.call.ToolName = tools.FixSQL }, false, store.ReasonIDTaken},
		"one that failed": {func(s *oneCall) { s.call.Status = run.StatusFailed }, false, ""},
		"none":            {func(s *oneCall) { s.err = store.ToolCallUnknown("call_1") }, false, ""},
		"no answer":       {func(s *oneCall) { s.err = errors.New("away") }, false, "INTERNAL"},
	} {
		have := oneCall{call: ended.ToolCall}
		c.change(&have)
		one := &turn{}
		one.session.ID = "ses_1"
		out, taken, err := (&Service{deps: Deps{Store: have}, tools: set}).storedOutput(t.Context(), one, made("call_1", tools.Execute, nil))
		require.Equal(t, c.taken, taken, name)
		require.Equal(t, c.reason != "", err != nil, name)
		if c.reason == store.ReasonIDTaken {
			require.Equal(t, c.reason, fault.ReasonOf(err), name)
		}
		if c.taken {
			require.Equal(t, "before", out.(*chatbiv1.ExecuteResult).GetAnswer())
		} else {
			require.Nil(t, out, name)
		}
	}
}

// TestWordsThatEndATurn: what came of a turn that no tool ended.
func TestWordsThatEndATurn(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]run.Outcome{
		words.OutOfScope: run.OutcomeRefused, words.Unsafe: run.OutcomeRefused, words.ArgumentsRefused: run.OutcomeRefused,
		words.AskForMore: run.OutcomeAsked, words.NarrowDown: run.OutcomeAsked, words.Declined: run.OutcomeAnswered, words.NotRun: run.OutcomeAnswered, words.ShowSQL: run.OutcomeAnswered,
	} {
		require.Equal(t, want, (&turn{say: key, text: "x"}).outcome(), key)
	}
	require.Equal(t, run.OutcomeAsked, (&turn{}).outcome(), "for more")
	require.Equal(t, run.OutcomeAnswered, (&turn{text: "Hello."}).outcome())
	require.Equal(t, run.OutcomeAsked, (&turn{say: words.NotRun, question: &commonv1.Question{}}).outcome(), "a question comes first")
	require.Equal(t, run.OutcomeFailed, (&turn{failure: errors.New("x"), question: &commonv1.Question{}}).outcome())
}

// TestWarningsAreToldOnce: those of the same code and the same words.
func TestWarningsAreToldOnce(t *testing.T) {
	t.Parallel()
	of := func(code, message string) *commonv1.Warning { return &commonv1.Warning{Code: code, Message: message} }
	late, later, other := of("LATE", "a is late"), of("LATE", "b is late"), of("OTHER", "a is late")
	require.Equal(t, []*commonv1.Warning{late, later, other}, addWarnings([]*commonv1.Warning{late}, []*commonv1.Warning{of("LATE", "a is late"), later, other, later}))
}

// TestWhyThereIsNoSQL: the reason, the words that were not understood where the reason does
// not say them, and the tables that were seen.
func TestWhyThereIsNoSQL(t *testing.T) {
	t.Parallel()
	book, err := words.Open()
	require.NoError(t, err)
	s := &Service{words: book}
	found := &findatav1.DiscoverResult{}
	for i := range maxTablesNamed + 1 {
		found.RelatedTables = append(found.RelatedTables, candidate(fmt.Sprintf("t%02d", i), i == 0))
	}
	for _, c := range []struct {
		reason    string
		words     []string
		has, lack string
	}{
		{"no metric fits", []string{"zenlux", "quib"}, "zenlux, quib", "zenlux, quib, "},
		{"nobody knows zenlux", []string{"zenlux", "quib"}, "nobody knows zenlux", "quib"},
		{"no metric fits", nil, "no metric fits", "zenlux"},
	} {
		one := &turn{calls: []*call{made("1", tools.DataDiscovery, found)}}
		text := s.sqlText(one, &text2sqlv1.GenerateResult{AbstainedReason: c.reason, NotUnderstood: c.words})
		require.Contains(t, text, c.reason)
		require.Contains(t, text, c.has)
		require.NotContains(t, text, c.lack)
		require.Contains(t, text, "t01, ")
		require.Contains(t, text, "t10")
		require.NotContains(t, text, "t00", "a table that the asker may not read")
		require.Empty(t, one.asked, "nothing to run is offered")
	}
}
