package policy

import (
	"strconv"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Option says how a policy tells the time.
type Option func(*moment)

// moment is the clock that the policy's own conditions read. It is the server's:
// the "now" of a run comes from its caller, who could say any day, and an engine's
// session may have the asker's zone.
type moment struct {
	clock func() time.Time
	zone  *time.Location
}

// WithClock takes the time for current_date and its like from clock; the wall clock
// is the default.
func WithClock(clock func() time.Time) Option {
	return func(m *moment) {
		if clock != nil {
			m.clock = clock
		}
	}
}

// InZone takes the days of the policy to begin and end in zone; UTC is the default.
func InZone(zone *time.Location) Option {
	return func(m *moment) {
		if zone != nil {
			m.zone = zone
		}
	}
}

func momentOf(options []Option) moment {
	m := moment{clock: time.Now, zone: time.UTC}
	for _, o := range options {
		o(&m)
	}
	return m
}

func (m moment) now() time.Time { return m.clock().In(m.zone) }

// timed returns an expression with literals in the place of all that tells the
// time, so that no engine, session or run has a say in it.
func timed(x tree.Expr, now time.Time) tree.Expr {
	literal, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		switch n := n.(type) {
		case *tree.Special:
			if literal := timeOf(n, now); literal != nil {
				return literal
			}
		case *tree.Call:
			switch key := n.Name.Key(); {
			case len(n.Args) > 0:
			case key == "now":
				return timeOf(&tree.Special{Name: "CURRENT_TIMESTAMP"}, now)
			case key == "current_timezone":
				return tree.Str(now.Location().String())
			}
		}
		return n
	})
	if err != nil { // an expression stands wherever one stood
		return &tree.Null{}
	}
	return literal
}

// timeOf is the literal for a function of the time; nil for another one.
func timeOf(s *tree.Special, now time.Time) tree.Expr {
	digits := 3 // Presto's default
	if n, ok := s.Precision.(*tree.Number); ok {
		if p, err := strconv.Atoi(n.Text); err == nil {
			digits = p
		}
	}
	// More digits than the clock has are zeros; a cast would round, and the
	// future is not now.
	clock := now.Format("15:04:05.000000000") + "000"
	clock = clock[:len("15:04:05.")+min(max(digits, 0), 12)]
	if digits == 0 {
		clock = clock[:len("15:04:05")]
	}
	offset, utc := now.Format("-07:00"), "UTC"
	if _, seconds := now.Zone(); seconds != 0 {
		utc = offset
	}
	switch s.Name {
	case "CURRENT_DATE":
		return tree.Date(now)
	case "CURRENT_TIMESTAMP":
		return tree.TypedLit("timestamp", now.Format(time.DateOnly)+" "+clock+" "+utc)
	case "LOCALTIMESTAMP":
		return tree.TypedLit("timestamp", now.Format(time.DateOnly)+" "+clock)
	case "CURRENT_TIME":
		return tree.TypedLit("time", clock+offset)
	case "LOCALTIME":
		return tree.TypedLit("time", clock)
	}
	return nil
}
