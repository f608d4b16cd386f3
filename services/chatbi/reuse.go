package chatbi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// reuseKey names the rows that a statement gives: statements of one owner and one key give
// the same. It is made of the tree of the approved statement, which has the row filters and masks of
// the policy in it as they are for this owner now, of the version of the data, and of the
// limits. Empty: the rows may be others the next time. That is so of a remote engine,
// which does not tell the version of its data, and of what depends on the moment, on chance
// or on the session.
func (s *Service) reuseKey(name string, x *engine, approved guard.Approved, limits LimitConfig) string {
	if s.config().Store.NoReuse || x.Kind() != string(source.EngineDuckDB) || x.generation == nil || !repeatable(approved) {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d %d %s",
		name, x.generation.Generation, limits.MaxRows, limits.MaxBytes, printer.Format(approved.Statement())))
	return hex.EncodeToString(sum[:])
}

// repeatable reports that nothing in a statement but its tables decides about its rows.
func repeatable(approved guard.Approved) bool {
	same := true
	tree.Walk(approved.Statement(), func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Special, *tree.Sampled:
			same = false
		case *tree.Call:
			name := n.Name.Key()
			_, known := resolve.FunctionKind(name)
			same = same && known && !resolve.FunctionIsRandom(name) && !ofTheSession(name)
		}
		return same
	})
	return same
}

// ofTheSession reports that the value of a function that is written as a call is that of
// the moment or of the session.
func ofTheSession(name string) bool {
	return name == "now" || name == "current_timezone" || name == "current_groups"
}
