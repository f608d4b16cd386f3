// Package backend holds where logs come from: a Loki server (loki.go) or files
// (files.go). Both give labels, sample lines and results of queries, bounded.
package backend

import (
	"fmt"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
)

// Scope is as whom logs are asked for.
type Scope struct {
	// Tenant is sent to Loki (X-Scope-OrgID); empty: none is.
	Tenant string
	// Streams restricts what is seen: every stream has to pass all; empty: no
	// restriction.
	Streams []logql.Matcher
}

// Label is a label with known values, in order.
type Label struct {
	Name   string
	Values []string
}

// Limits bound what one call may cost.
type Limits struct {
	// Lines is the most lines that are read of files or sampled of Loki, Series the
	// most series of a result, Points the most numbers of one, Bytes the most bytes of one answer of Loki or of all
	// files.
	Lines, Series, Points int
	Bytes                 int64
	// Labels and Values bound labels, and the values of one.
	Labels, Values int
}

// bound refuses a result with too many numbers.
func (l Limits) bound(out *logql.Output) (*logql.Output, error) {
	if len(out.Points) > l.Points {
		return nil, fault.New(codes.ResourceExhausted, "LOGS_TOO_MANY_NUMBERS", fmt.Sprintf(
			"The result has %d numbers, at most %d are taken (logify.max_points): group by fewer labels, ask for less time or for longer steps.", len(out.Points), l.Points))
	}
	return out, nil
}

// Samples is how far back sample lines are looked for.
const Samples = 24 * time.Hour
