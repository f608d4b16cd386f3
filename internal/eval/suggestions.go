package eval

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/pkg/demo"
)

// Suggestions is the suite of what answers suggest to ask next: questions over the demo
// warehouse are asked through the router, and each line that is printed under an answer is
// typed back. A line holds where it runs and gives the SQL that it promised.
type Suggestions struct{}

// Name implements Suite.
func (Suggestions) Name() string { return "suggestions" }

// DefaultData implements suiteWithData.
func (Suggestions) DefaultData() string { return Demo{}.DefaultData() }

// suggestionQuestions is how many of the demo's questions are asked: their answers print
// somewhat more than a hundred lines.
const suggestionQuestions = 80

type suggestionsRun struct {
	demoRun

	router routerv1.RouterServiceClient
}

// Open implements Suite.
func (Suggestions) Open(ctx context.Context, opt Options) (Run, error) {
	questions, err := readDemoQuestions(opt)
	if err != nil {
		return nil, err
	}
	questions = slices.DeleteFunc(questions, func(q demoQuestion) bool { return !q.answerable() })
	slices.SortStableFunc(questions, func(a, b demoQuestion) int { return strings.Compare(lot(a.ID), lot(b.ID)) })
	r := &suggestionsRun{demoRun: demoRun{questions: questions[:min(len(questions), suggestionQuestions)]}}
	if err := r.start(ctx, opt); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.router = routerv1.NewRouterServiceClient(r.local.Conn())
	return r, nil
}

// lot orders questions as if by chance, always the same way.
func lot(id string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return fmt.Sprintf("%016x", h.Sum64())
}

// said is a turn of a talk.
type said struct {
	session string
	sql     string // that ran, or was written
	rows    bool
	next    []string
	promise []string // SQL of next; empty: none is promised
}

func (r *suggestionsRun) say(ctx context.Context, text, session string) (said, error) {
	answer, err := r.router.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{
		Question: text, SessionId: session, Source: demo.Name, UserContext: &commonv1.UserContext{TimeZone: "UTC"},
	}}, grpc.WaitForReady(true))
	if err != nil {
		return said{}, fmt.Errorf("ask the router: %w", err)
	}
	a := answer.GetAnswer()
	out := said{session: a.GetSessionId()}
	for _, call := range a.GetToolCalls() {
		if g := call.GetGenerateSql(); g != nil {
			if list := g.GetCandidates(); len(list) > 0 {
				out.sql = list[0].GetSql()
			}
			for _, s := range g.GetSuggestions() {
				out.next, out.promise = append(out.next, s.GetFollowUp()), append(out.promise, s.GetSql())
			}
		}
		out.rows = out.rows || call.GetExecute().GetPage() != nil || call.GetExplainChange() != nil
	}
	return out, nil
}

// Answer implements Run. The score is the part of the lines under an answer that hold.
func (r *suggestionsRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	item := Item{ID: q.ID, Question: q.Question, Detail: map[string]any{}}
	began := time.Now()
	first, err := r.say(ctx, q.Question, "")
	if err != nil {
		return item, err
	}
	item.Prediction = first.next
	holds, kept := 0, 0
	var failed []string
	for j, line := range first.next {
		at := first
		if j > 0 { // each line stands under the answer itself
			if at, err = r.say(ctx, q.Question, ""); err != nil {
				return item, err
			}
		}
		got, err := r.say(ctx, line, at.session)
		if err != nil {
			return item, err
		}
		ok := got.rows && (first.promise[j] == "" || first.promise[j] == got.sql)
		holds += count(ok)
		all := first.promise[j] == "" || keepsValues(first.sql, got.sql)
		kept += count(ok && all)
		if !ok || !all {
			failed = append(failed, line)
		}
	}
	item.Milliseconds = milliseconds(time.Since(began))
	item.Detail["lines"], item.Detail["holds"], item.Detail["kept"], item.Detail["failed"] = len(first.next), holds, kept, failed
	item.Score = share(kept, max(1, len(first.next)))
	return item, nil
}

// compared are the texts and days that a statement compares with, and the countries of its tables.
var compared = regexp.MustCompile(`'[^']*'`)

// keepsValues reports whether all that one statement compares with is compared with in another,
// too: as a value, or as the country that a table is of.
func keepsValues(before, after string) bool {
	for _, v := range compared.FindAllString(before, -1) {
		country := "__" + strings.ToLower(strings.Trim(v, "'")) + "_"
		if !strings.Contains(after, v) && !strings.Contains(after, country) {
			return false
		}
	}
	return true
}

// Metrics implements Run.
func (r *suggestionsRun) Metrics(items []Item) (map[string]float64, []string) {
	lines, holds, kept, none := 0, 0, 0, 0
	for _, it := range items {
		n, _ := it.Detail["lines"].(int)
		h, _ := it.Detail["holds"].(int)
		k, _ := it.Detail["kept"].(int)
		lines, holds, kept, none = lines+n, holds+h, kept+k, none+count(n == 0)
	}
	return map[string]float64{"n": float64(len(items)), "lines": float64(lines), "holds": share(holds, lines), "kept": share(kept, lines)},
		[]string{fmt.Sprintf("%d answers suggest nothing or were not given", none)}
}
