package guard

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
)

// Limits of a query.
type Limits struct {
	// Range is the most time that lines are looked for in, with offsets.
	Range time.Duration
	// Steps is the most times at which a metric is computed.
	Steps int
}

// Read parses and checks a query; the fault names the first mistake.
func Read(text string) (logql.Expr, error) {
	e, err := logql.Parse(text)
	if err != nil {
		reason := "LOGQL_INVALID"
		if wrong, is := err.(*logql.Error); is && wrong.NotSupported != "" { //nolint:errorlint // Parse gives it as it is
			reason = "LOGQL_NOT_SUPPORTED"
		}
		return nil, fault.Invalid("logql", reason, "The query cannot be read: %s.", err)
	}
	if wrong := logql.Check(text, e); len(wrong) > 0 {
		reason := "LOGQL_INVALID"
		if wrong[0].NotSupported != "" {
			reason = "LOGQL_NOT_SUPPORTED"
		}
		return nil, fault.Invalid("logql", reason, "The query is wrong: %s.", wrong[0])
	}
	return e, nil
}

// Approve returns the query as it may run: with the restriction of the streams in
// every selector, within the limits. The tree that it was given stays as it is.
func Approve(e logql.Expr, streams []logql.Matcher, w logql.Window, l Limits) (logql.Expr, error) {
	approved, err := logql.Parse(logql.Print(e)) // a copy
	if err != nil {
		return nil, fmt.Errorf("a printed query cannot be read: %w", err)
	}
	span := w.To.Sub(w.From)
	if span > l.Range {
		return nil, tooLong(span, l.Range)
	}
	before := time.Duration(0) // a metric that is computed once looks back from the end
	if w.Step > 0 {
		before = span
		if n := span/w.Step + 1; n > time.Duration(l.Steps) {
			return nil, fault.New(codes.ResourceExhausted, "LOGS_TOO_MANY_STEPS", fmt.Sprintf(
				"The query would be computed at %d times: at most %d are (logify.max_steps). Ask for less time, or for longer steps.", n, l.Steps))
		}
	}
	logql.Ranges(approved, func(r *logql.RangeAgg) {
		if span := before + max(r.Range+r.Offset, r.Range); span > l.Range && err == nil {
			err = tooLong(span, l.Range)
		}
	})
	if err != nil {
		return nil, err
	}
	logql.Logs(approved, func(e *logql.LogExpr) {
		for _, m := range streams {
			if !slices.ContainsFunc(e.Matchers, func(have logql.Matcher) bool {
				return have.Label == m.Label && have.Op == m.Op && have.Value == m.Value
			}) {
				e.Matchers = append(e.Matchers, m)
			}
		}
	})
	return approved, nil
}

func tooLong(span, most time.Duration) error {
	return fault.New(codes.ResourceExhausted, "LOGS_RANGE_TOO_LONG", fmt.Sprintf(
		"The query looks back %s: at most %s may be searched (logify.max_range). Ask for less time.", logql.FormatDuration(span), logql.FormatDuration(most)))
}
