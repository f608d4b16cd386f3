package examples

import (
	"testing"

	"github.com/dibrain/dibrain/pkg/store/small/smalltest"
)

// opener opens one more handle on the same examples, as another process would.
type opener func(most int) *Store

// overKinds runs a test over each kind of store; place makes one that is empty.
func overKinds(t *testing.T, test func(t *testing.T, place func(*testing.T) opener)) {
	smalltest.OverKinds(t, func(t *testing.T, place smalltest.Place) {
		test(t, func(t *testing.T) opener {
			open := place(t, Tables)
			return func(most int) *Store { return NewStore(open(), most) }
		})
	})
}
