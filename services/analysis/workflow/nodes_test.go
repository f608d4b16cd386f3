package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
)

// others are the other services: they understand "visits" and "by clinic", find a table for
// everything, and write and run whatever they are told, unless a test says otherwise.
type others struct {
	discover func(text string) (Found, error)
	write    func(s plan.Step, reason string) (Written, error)
	execute  func(s plan.Step, w Written) (Result, error)
	rows     func(t Table) ([][]any, error)
	parse    error

	asked   []string // texts that tables were looked for
	reasons []string // why statements were written
	tried   []Tried  // what was told of before the last one
	calls   []string // idempotency ids, in order
}

func (o *others) Parse(_ context.Context, _ Query, text string) (plan.Parsed, error) {
	var out plan.Parsed
	for _, word := range []struct{ text, kind string }{{"visits", "metric"}, {"by clinic", "dimension"}, {"Oslo", "value"}} {
		if strings.Contains(text, word.text) {
			out.Spans = append(out.Spans, plan.Span{Text: word.text, Kind: word.kind})
			text = strings.ReplaceAll(text, word.text, "")
		}
	}
	out.NotUnderstood = strings.Fields(text)
	return out, o.parse
}

func (o *others) Metrics(context.Context, Query) ([]plan.Metric, error) { return nil, nil }
func (o *others) Adds(context.Context, Query, string) (plan.Adds, string, error) {
	return plan.AddsUp, "visits", nil
}
func (o *others) Writes(context.Context, Query, string) (bool, error) { return true, nil }

func (o *others) Estimate(context.Context, Query, []plan.Step) []plan.Cost { return nil }

func (o *others) Chart(context.Context, Query, Table) Chart { return Chart{} }

func (o *others) Rows(_ context.Context, _ Query, t Table) ([][]any, error) {
	if o.rows != nil {
		return o.rows(t)
	}
	return nil, errors.New("there are no more rows")
}

func (o *others) Discover(_ context.Context, _ Query, text string) (Found, error) {
	o.asked = append(o.asked, text)
	if o.discover != nil {
		return o.discover(text)
	}
	return Found{Tables: []Document{{Name: "eu.care.visit"}}}, nil
}

func (o *others) Write(ctx context.Context, _ Query, s plan.Step, tried []Tried) (Written, error) {
	reason := ""
	if len(tried) > 0 {
		reason = tried[len(tried)-1].Reason
	}
	o.tried = tried
	o.reasons, o.calls = append(o.reasons, reason), append(o.calls, run.From(ctx).ToolCallID)
	if o.write != nil {
		return o.write(s, reason)
	}
	return Written{SQL: fmt.Sprint("SELECT ", len(o.reasons)), Said: Said{Change: s.Kind == plan.ExplainChange}}, nil
}

func (o *others) Execute(ctx context.Context, _ Query, s plan.Step, w Written) (Result, error) {
	o.calls = append(o.calls, run.From(ctx).ToolCallID)
	if o.execute != nil {
		return o.execute(s, w)
	}
	return Result{Answer: s.ID, SQL: []string{w.SQL}}, nil
}

func made(t *testing.T, o *others, writes Writes) *Workflow {
	t.Helper()
	said, err := words.New()
	require.NoError(t, err)
	rules, err := plan.NewRules()
	require.NoError(t, err)
	if writes == nil {
		writes = func(*State) (*Report, error) { return &Report{Title: "Visits"}, nil }
	}
	w, err := New(o, rules, said, writes, Python{}, nil)
	require.NoError(t, err)
	return w
}

var today = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func asking(question string) *State {
	return &State{ID: "ana_1", Status: run.StatusRunning, Query: Query{Question: question, Language: lang.English, Now: today}}
}

// to takes a state from its beginning, or where it stands, to its end or to where it waits.
func to(t *testing.T, w *Workflow, s *State) {
	t.Helper()
	require.NoError(t, w.Run(t.Context(), s, func(context.Context, *State) error { return nil }))
}

// oneStep is a state whose one step is at work, with tries behind it.
func oneStep(kind plan.Kind, tries int) *State {
	s := asking("visits")
	s.Plan = plan.Plan{Version: 1, Steps: []plan.Step{{ID: "s1", Kind: kind, Instruction: "visits"}, {ID: "report", Kind: plan.Report, Instruction: "write", Inputs: []string{"s1"}}}}
	s.Current, s.SQLCount = "s1", tries
	return s
}

func TestAnAnalysisRunsFromEndToEnd(t *testing.T) {
	t.Parallel()
	o := &others{}
	w := made(t, o, nil)
	s := asking("compare visits by clinic of this month and last")
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.Equal(t, "Visits", s.Report.Title)
	require.Equal(t, "compare visits by clinic of this month and last", s.Canonical)
	require.Equal(t, []string{"compare visits by clinic of this month and last", "visits clinic", "visits"}, []string{o.asked[0], o.asked[1], o.asked[2]})
	require.Empty(t, s.Current)
	var order []string
	for _, r := range s.Results {
		order = append(order, r.Step)
		require.Equal(t, StepDone, r.Status, r.Step)
	}
	require.Equal(t, []string{"s1", "s2", "s3", "s4", "report"}, order)
	require.Equal(t, 1, s.Results[0].Tries)
	require.Equal(t, "s1", s.Results[0].Answer)
	// Writing and running are one try and have one id; each step has its own.
	require.Len(t, o.calls, 8)
	seen := map[string]bool{}
	for i := 0; i < len(o.calls); i += 2 {
		require.Equal(t, o.calls[i], o.calls[i+1])
		require.False(t, seen[o.calls[i]])
		require.True(t, strings.HasPrefix(o.calls[i], run.PrefixCall))
		seen[o.calls[i]] = true
	}
}

// TestTheIDOfATryIsTheSameAfterARestart, and another one for whatever is another try.
func TestTheIDOfATryIsTheSameAfterARestart(t *testing.T) {
	t.Parallel()
	one := oneStep(plan.SQL, 1)
	require.Equal(t, callID(one), callID(oneStep(plan.SQL, 1)))
	for name, change := range map[string]func(*State){
		"analysis": func(s *State) { s.ID = "ana_2" }, "version": func(s *State) { s.Plan.Version++ }, "step": func(s *State) { s.Current = "s2" }, "try": func(s *State) { s.SQLCount++ },
	} {
		other := oneStep(plan.SQL, 1)
		change(other)
		require.NotEqual(t, callID(one), callID(other), name)
	}
}

// TestWhatEndsAnAnalysisInWords: what cannot be analysed ends it as failed, with the reason.
func TestWhatEndsAnAnalysisInWords(t *testing.T) {
	t.Parallel()
	none := func(found Found, err error) *others {
		return &others{discover: func(string) (Found, error) { return found, err }}
	}
	for name, c := range map[string]struct {
		question string
		o        *others
		says     []string
		node     string
	}{
		"nothing of the data":    {"sing a song", &others{}, []string{"nothing to analyse"}, IntentRecognition},
		"no table":               {"compare visits", none(Found{}, nil), []string{"No table that you may read fits"}, SchemaRecall},
		"no table, with why":     {"compare visits", none(Found{Reason: "the mart is closed", Nearest: []string{"a", "b", "c", "d", "e", "f"}}, nil), []string{"the mart is closed", "Nearest: a, b, c, d, e."}, SchemaRecall},
		"no table, by a service": {"compare visits", none(Found{}, &CannotError{Reason: "the index is being made"}), []string{"the index is being made"}, SchemaRecall},
		"no figure":              {"compare Oslo of this month and last", &others{}, []string{"names no figure that"}, Feasibility},
		"two are lacking":        {"top and bottom of Oslo", &others{}, []string{"names no figure that", "; ", "by what to group"}, Feasibility},
	} {
		s := asking(c.question)
		to(t, made(t, c.o, nil), s)
		require.Equal(t, run.StatusFailed, s.Status, name)
		for _, text := range c.says {
			require.Contains(t, s.Error, text, name)
		}
		require.Equal(t, s.Error, s.Message, name)
		require.Equal(t, c.node, s.Node, name)
		require.Equal(t, c.node == IntentRecognition, s.Irrelevant, name)
		require.Nil(t, s.Report, name)
	}
}

// TestWhatIsBrokenEndsTheStretch: an error of a service that says nothing on the question
// goes to whoever runs the analysis.
func TestWhatIsBrokenEndsTheStretch(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for name, o := range map[string]*others{
		"parse":    {parse: away},
		"evidence": {discover: func(string) (Found, error) { return Found{}, away }},
		"tables": {discover: func(text string) (Found, error) {
			if strings.HasPrefix(text, "compare") { // the question as it is
				return Found{}, nil
			}
			return Found{}, away
		}},
	} {
		err := made(t, o, nil).Run(t.Context(), asking("compare visits"), func(context.Context, *State) error { return nil })
		require.ErrorIs(t, err, away, name)
	}
	err := made(t, &others{}, nil).Run(t.Context(), asking("compare visits"), func(context.Context, *State) error { return away })
	require.ErrorIs(t, err, away, "what cannot be stored")
}

// TestWhatOthersFindIsBounded, however much they find.
func TestWhatOthersFindIsBounded(t *testing.T) {
	t.Parallel()
	columns := make([]string, maxColumns+1)
	var found Found
	for i := range maxEvidence + 1 {
		found.Evidence = append(found.Evidence, Evidence{Kind: "term", Name: fmt.Sprint(i), Text: strings.Repeat("é", maxText)})
	}
	for i := range maxTables + 5 {
		found.Tables = append(found.Tables, Document{Name: fmt.Sprint("t", i), Columns: columns})
	}
	o := &others{discover: func(string) (Found, error) { return found, nil }}
	w := made(t, o, nil)
	s := asking("compare visits")
	s.Query.Tables = []string{"mine", "t1"}
	require.NoError(t, w.recallEvidence(t.Context(), s))
	require.Len(t, s.Evidence, maxEvidence)
	require.LessOrEqual(t, len(s.Evidence[0].Text), maxText)
	s.Expanded = make([]string, maxQueries+2)
	o.asked = nil
	require.NoError(t, w.recallSchema(t.Context(), s))
	require.Len(t, o.asked, maxQueries)
	require.Len(t, s.Tables, maxTables)
	var names []string
	for _, table := range s.Tables {
		names = append(names, table.Name)
	}
	require.Equal(t, []string{"mine", "t1", "t0", "t2", "t3", "t4", "t5", "t6", "t7", "t8"}, names, "those that were named first, and each once")
	require.Len(t, s.Tables[2].Columns, maxColumns)
	s.Query.Tables = make([]string, maxTables+1)
	require.NoError(t, w.recallSchema(t.Context(), s))
	require.Len(t, s.Tables, maxTables)
	// Where nothing is to be looked for but the question, it is that.
	o.asked, s.Expanded, s.Canonical = nil, nil, "visits"
	require.NoError(t, w.recallSchema(t.Context(), s))
	require.Equal(t, []string{"visits"}, o.asked)
}

// TestRelationsAreThoseOfTheCatalog, told with their tables.
func TestRelationsAreThoseOfTheCatalog(t *testing.T) {
	t.Parallel()
	w := made(t, &others{}, nil)
	s := asking("visits")
	s.Tables = []Document{{Name: "visit", References: []string{"clinic -> care.clinic(id)", "day -> care.day(id)"}}, {Name: "clinic"}}
	require.NoError(t, w.relate(t.Context(), s))
	require.Equal(t, []string{"visit: clinic -> care.clinic(id)", "visit: day -> care.day(id)"}, s.Relations)
	require.Equal(t, 1, s.RelationTries)
	s.Tables = s.Tables[1:]
	require.NoError(t, w.relate(t.Context(), s))
	require.Equal(t, []string{"Each table is read by itself."}, s.Relations)
	require.Equal(t, 2, s.RelationTries)
}

// TestAFollowUpStandsOnTheQuestionBefore, the newest one, and says what it took over.
func TestAFollowUpStandsOnTheQuestionBefore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		question string
		earlier  []Earlier
		metrics  []string
		says     []string
	}{
		"of its own":         {"compare visits of this month and last", []Earlier{{Question: "compare fees"}}, []string{"visits"}, []string{"visits"}},
		"of what was before": {"hmm", []Earlier{{Question: "compare fees"}, {Question: "compare visits by clinic of this month and last"}}, []string{"visits"}, []string{"visits"}},
		"of nothing":         {"hmm", nil, nil, nil},
	} {
		w := made(t, &others{}, nil)
		s := asking(c.question)
		s.Query.Earlier = c.earlier
		require.NoError(t, w.recognise(t.Context(), s))
		require.Equal(t, c.metrics, s.Request.Metrics, name)
		require.Equal(t, c.metrics == nil, s.Irrelevant, name)
		if s.Irrelevant {
			continue
		}
		require.NoError(t, w.enhance(t.Context(), s))
		for _, text := range c.says {
			require.Contains(t, s.Canonical, text, name)
			require.Contains(t, s.Message, s.Canonical, name)
		}
	}
	s := asking("  ")
	require.NoError(t, made(t, &others{}, nil).enhance(t.Context(), s))
	require.Equal(t, run.StatusFailed, s.Status)
	require.Contains(t, s.Error, "Nothing is left of the question")
}

// TestHowAStepFails: what another try will not change is told at once; the rest is written
// again for the reason that it failed for, and nobody reads what is not written for them.
func TestHowAStepFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		ends   bool
		reason string
	}{
		"cannot":            {&CannotError{Reason: " no such figure "}, true, "no such figure"},
		"wrapped":           {fmt.Errorf("write: %w", &CannotError{Reason: "no such figure"}), true, "no such figure"},
		"invalid":           {status.Error(codes.InvalidArgument, "too long"), true, "too long"},
		"not allowed":       {status.Error(codes.PermissionDenied, "not yours"), true, "not yours"},
		"unknown":           {status.Error(codes.NotFound, "no such source"), true, "no such source"},
		"not now":           {status.Error(codes.FailedPrecondition, "no engine"), true, "no engine"},
		"not made":          {status.Error(codes.Unimplemented, "no such call"), true, "no such call"},
		"too much":          {status.Error(codes.ResourceExhausted, "too large"), true, "too large"},
		"of the engine":     {status.Error(codes.Aborted, "out of spoons"), false, "out of spoons"},
		"away":              {status.Error(codes.Unavailable, "try again"), false, "try again"},
		"too slow":          {status.Error(codes.DeadlineExceeded, "took too long"), false, "took too long"},
		"inside":            {status.Error(codes.Internal, "nil pointer at 0x0"), false, "something went wrong inside"},
		"of no kind":        {errors.New("dial tcp 10.0.0.7"), false, "something went wrong inside"},
		"a fault, as it is": {fault.New(codes.Aborted, "BUSY", "The engine is busy."), false, "The engine is busy."},
	} {
		w := made(t, &others{}, nil)
		s := oneStep(plan.SQL, 3)
		require.NoError(t, w.stumbled(t.Context(), s, c.err), name)
		if c.ends {
			require.Equal(t, []Result{{Step: "s1", Status: StepUnanswered, Problem: c.reason, Tries: 3}}, s.Results, name)
			require.Contains(t, s.Message, "Step s1 cannot be answered: "+c.reason, name)
			continue
		}
		require.Empty(t, s.Results, name)
		require.Contains(t, s.Reason, c.reason, name)
		require.NotContains(t, s.Reason, "0x0", name)
		require.NotContains(t, s.Reason, "10.0.0.7", name)
		require.Contains(t, s.Message, "is tried again: "+s.Reason, name)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled by a person")
	cancel(cause)
	require.ErrorIs(t, made(t, &others{}, nil).stumbled(ctx, oneStep(plan.SQL, 1), status.Error(codes.Internal, "x")), cause)
}

// TestASQLIsWrittenForTheReasonThatTheLastOneFailed, at most ten times, and the same one is
// not run twice.
func TestASQLIsWrittenForTheReasonThatTheLastOneFailed(t *testing.T) {
	t.Parallel()
	o := &others{execute: func(plan.Step, Written) (Result, error) {
		return Result{}, status.Error(codes.Aborted, "out of spoons")
	}}
	s := oneStep(plan.SQL, 0)
	s.Next = SQLGenerate
	to(t, made(t, o, nil), s)
	require.Len(t, o.reasons, MaxSQLTries)
	require.Equal(t, []string{"", "out of spoons"}, o.reasons[:2])
	require.Len(t, o.tried, MaxSQLTries-1)
	require.Equal(t, Tried{SQL: "SELECT 9", Reason: "out of spoons"}, o.tried[MaxSQLTries-2])
	require.Equal(t, run.StatusFailed, s.Status)
	require.Contains(t, s.Error, "step s1 failed 10 times, last: out of spoons")

	o = &others{
		write:   func(plan.Step, string) (Written, error) { return Written{SQL: "SELECT 1", Opaque: []byte("a")}, nil },
		execute: o.execute,
	}
	s = oneStep(plan.SQL, 0)
	s.Next = SQLGenerate
	to(t, made(t, o, nil), s)
	require.Len(t, o.reasons, 2)
	require.Equal(t, run.StatusFailed, s.Status)
	require.Equal(t, StepUnanswered, s.Results[0].Status)
	require.Contains(t, s.Error, "No step could be answered. out of spoons (the same SQL came again)")

	// The same text with another meaning for the engine is another statement.
	tries := 0
	o = &others{
		write: func(plan.Step, string) (Written, error) {
			tries++
			return Written{SQL: "SELECT 1", Opaque: []byte{byte(tries)}}, nil
		},
		execute: func(s plan.Step, _ Written) (Result, error) {
			if tries < 3 {
				return Result{}, status.Error(codes.Aborted, "out of spoons")
			}
			return Result{Answer: "7"}, nil
		},
	}
	s = oneStep(plan.SQL, 0)
	s.Next = SQLGenerate
	to(t, made(t, o, nil), s)
	require.Equal(t, run.StatusSucceeded, s.Status)
	require.Equal(t, 3, s.Results[0].Tries)
}

// TestAStatementSaysWhatItsStepAsks, as far as its writer tells what it says.
func TestAStatementSaysWhatItsStepAsks(t *testing.T) {
	t.Parallel()
	w := made(t, &others{}, nil)
	for name, c := range map[string]struct {
		kind    plan.Kind
		expects plan.Shape
		said    Said
		says    string // "": nothing is against it
	}{
		"words left":                     {plan.SQL, "", Said{NotUnderstood: []string{"purple", "elephants"}}, "not in it: purple, elephants"},
		"a change":                       {plan.ExplainChange, plan.Change, Said{Change: true}, ""},
		"no change":                      {plan.ExplainChange, plan.Change, Said{Known: true}, "does not look into a change"},
		"words left of a change":         {plan.ExplainChange, plan.Change, Said{Change: true, NotUnderstood: []string{"x"}}, "not in it: x"},
		"a series":                       {plan.SQL, plan.Series, Said{Known: true, ByTime: true}, ""},
		"a series by category too":       {plan.SQL, plan.Series, Said{Known: true, ByTime: true, ByCategory: true}, ""},
		"no series":                      {plan.SQL, plan.Series, Said{Known: true, ByCategory: true}, "not by day, week or month"},
		"categories":                     {plan.SQL, plan.Categories, Said{Known: true, ByCategory: true}, ""},
		"no categories":                  {plan.SQL, plan.Categories, Said{Known: true, ByTime: true}, "not by category"},
		"figures":                        {plan.SQL, plan.Figures, Said{Known: true}, ""},
		"figures by time":                {plan.SQL, plan.Figures, Said{Known: true, ByTime: true}, "one row of figures"},
		"figures by category":            {plan.SQL, plan.Figures, Said{Known: true, ByCategory: true}, "one row of figures"},
		"nothing is known":               {plan.SQL, plan.Figures, Said{ByTime: true}, ""},
		"nothing in particular is asked": {plan.SQL, "", Said{Known: true, ByTime: true}, ""},
	} {
		s := oneStep(c.kind, 1)
		s.Plan.Steps[0].Expects = c.expects
		s.Written = &Written{SQL: "SELECT 1", Said: c.said}
		require.NoError(t, w.compareWithStep(t.Context(), s))
		require.Equal(t, c.says == "", s.Verdict, name)
		require.Empty(t, s.Results, name)
		if c.says != "" {
			require.Contains(t, s.Reason, c.says, name)
			require.Contains(t, s.Message, s.Reason, name)
		}
	}
	s := oneStep(plan.SQL, 4)
	s.Query.OnlySQL, s.Written = true, &Written{SQL: "SELECT 1"}
	require.NoError(t, w.compareWithStep(t.Context(), s))
	require.Equal(t, []Result{{Step: "s1", Status: StepDone, SQL: []string{"SELECT 1"}, Tries: 4}}, s.Results)
}

// TestPythonIsToldAsNotComputed: there is nothing to run it.
func TestPythonIsToldAsNotComputed(t *testing.T) {
	t.Parallel()
	s := oneStep(plan.Python, 0)
	s.Next = PythonGenerate
	to(t, made(t, &others{}, nil), s)
	require.Equal(t, StepUnanswered, s.Results[0].Status)
	require.Contains(t, s.Results[0].Problem, "computed in Python")
	require.Equal(t, 1, s.PythonTries)
	require.Equal(t, run.StatusFailed, s.Status, "it was the only step")
}

// TestWhatAReportNeeds: a step that was answered, and a report that agrees with the results.
func TestWhatAReportNeeds(t *testing.T) {
	t.Parallel()
	answered, not := Result{Step: "s1", Status: StepDone}, Result{Step: "s2", Status: StepUnanswered, Problem: "no table"}
	third := Result{Step: "s3", Status: StepUnanswered, Problem: "no table"}
	wrong := errors.New("a number is no cell")
	for name, c := range map[string]struct {
		results []Result
		err     error
		status  run.Status
		says    string
	}{
		"all":         {[]Result{answered}, nil, run.StatusSucceeded, ""},
		"some":        {[]Result{not, answered}, nil, run.StatusSucceeded, ""},
		"none":        {[]Result{not, third}, nil, run.StatusFailed, "No step could be answered. no table"},
		"disagreeing": {[]Result{answered}, wrong, run.StatusFailed, "held back: a number is no cell"},
	} {
		s := oneStep(plan.SQL, 1)
		s.Results, s.Current = c.results, "report"
		w := made(t, &others{}, func(*State) (*Report, error) { return &Report{Title: "Visits"}, c.err })
		require.NoError(t, w.report(t.Context(), s), name)
		require.Equal(t, c.status, s.Status, name)
		require.Equal(t, c.says, strings.TrimPrefix(s.Error, "The report was "), name)
		require.Equal(t, c.status == run.StatusSucceeded, s.Report != nil, name)
		if s.Report != nil {
			require.Equal(t, Result{Step: "report", Status: StepDone}, s.Results[len(s.Results)-1], name)
			require.Empty(t, s.Current)
		}
	}
}

// TestAPersonsWord: a plan waits once it is made, an approval runs the version that it is
// of, a rejection makes another one, and an edit asks again.
func TestAPersonsWord(t *testing.T) {
	t.Parallel()
	w := made(t, &others{}, nil)
	s := asking("compare visits of this month and last")
	s.Query.Review = true
	to(t, w, s)
	require.Equal(t, []any{run.StatusWaiting, Waiting, HumanFeedback, "Shall this plan run?", 1}, []any{s.Status, s.Human, s.Next, s.Message, s.Plan.Version})
	to(t, w, s)
	require.Equal(t, run.StatusWaiting, s.Status, "nobody has said anything")

	s.Human, s.Feedback = Rejected, []string{"by clinic"}
	to(t, w, s)
	require.Equal(t, []any{run.StatusWaiting, 2, "by clinic"}, []any{s.Status, s.Plan.Version, s.Feedback[0]})
	require.Equal(t, "clinic", s.Request.Dimension)
	s.Human, s.Feedback = Rejected, append(s.Feedback, "sing")
	to(t, w, s)
	require.Equal(t, []any{run.StatusWaiting, 2, []string{"by clinic"}}, []any{s.Status, s.Plan.Version, s.Feedback})
	require.Contains(t, s.Asked, "Nothing in your words was understood")
	require.Equal(t, "clinic", s.Request.Dimension, "what was said before stays")
	s.Human, s.Feedback, s.Asked = Rejected, append(s.Feedback, "by clinic"), ""
	to(t, w, s)
	require.Equal(t, []any{run.StatusWaiting, 2, []string{"by clinic"}}, []any{s.Status, s.Plan.Version, s.Feedback})
	require.Contains(t, s.Asked, "the plan is as it was", "words that change nothing are told as such")

	s.Human, s.Plan.Version = Edited, 3
	to(t, w, s)
	require.Equal(t, []any{run.StatusWaiting, "Shall this plan run?"}, []any{s.Status, s.Asked})
	s.Human = Approved
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.Equal(t, 3, s.Approved)
	require.Empty(t, s.Asked)
}

// TestAPlanThatDoesNotHoldTogetherIsMended, and told with its mistakes where it cannot be.
func TestAPlanThatDoesNotHoldTogetherIsMended(t *testing.T) {
	t.Parallel()
	w := made(t, &others{}, nil)
	s := oneStep(plan.SQL, 0)
	s.Plan.Steps = s.Plan.Steps[:1] // no report
	s.Next = PlanExecutor
	to(t, w, s)
	require.Equal(t, run.StatusSucceeded, s.Status, s.Error)
	require.Equal(t, []any{2, 1, 2}, []any{s.Plan.Version, s.Repairs, len(s.Plan.Steps)})

	s = oneStep("shell", 0)
	s.Next = PlanExecutor
	to(t, w, s)
	require.Equal(t, run.StatusFailed, s.Status)
	require.Equal(t, MaxPlanRepairs+1, s.Repairs)
	require.Contains(t, s.Error, `is of the kind "shell"`)
}

// TestAStepBeginsAnew: nothing of the step before counts for it.
func TestAStepBeginsAnew(t *testing.T) {
	t.Parallel()
	s := oneStep(plan.SQL, 9)
	s.Written, s.Reason, s.SQLEnd, s.Verdict, s.RunOK = &Written{}, "x", true, true, true
	s.PythonTries, s.PythonOK, s.PythonFallback, s.PythonOutput = 2, true, true, "x"
	s.Results = []Result{{Step: "s1", Status: StepDone}, {Step: "s0", Status: StepDone}}
	fresh := &State{}
	fresh.begin(plan.Step{ID: "s1", Kind: plan.SQL})
	s.begin(plan.Step{ID: "s1", Kind: plan.SQL})
	require.Equal(t, []Result{{Step: "s0", Status: StepDone}, {Step: "s1", Status: StepRunning}}, s.Results)
	fresh.Results, fresh.Plan, fresh.ID, fresh.Query, fresh.Status = s.Results, s.Plan, s.ID, s.Query, s.Status
	require.Equal(t, fresh, s)
}

// TestStoredNumbersAreExact: whole numbers come back as they were, whatever their size, and
// those of a column of fractions as fractions.
func TestStoredNumbersAreExact(t *testing.T) {
	t.Parallel()
	var table Table
	raw := `{"name": "result", "columns": [{"name": "n", "type": "bigint"}, {"name": "x", "type": "double"}, {"name": "d", "type": "decimal(20,2)"}],
		"rows": [[9007199254740993, 7, "1.20"], [null, 0.5, 3]]}`
	require.NoError(t, table.UnmarshalJSON([]byte(raw)))
	require.Equal(t, [][]any{{int64(9007199254740993), 7.0, "1.20"}, {nil, 0.5, int64(3)}}, table.Rows)
	require.Error(t, table.UnmarshalJSON([]byte(`{"rows": 7}`)))
	plain := Table{Columns: []Column{{Name: "n", Type: "bigint"}}, Rows: [][]any{{int64(1)}}, Truncated: true}.Result()
	require.Equal(t, "n", plain.Columns[0].Name)
	require.Equal(t, "bigint", plain.Columns[0].Type)
	require.True(t, plain.Truncated)
	require.Equal(t, [][]any{{int64(1)}}, plain.Rows)
}
