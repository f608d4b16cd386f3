package chatbi

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// unwell is an engine that complains.
type unwell struct {
	warehouse.Engine
	err error
}

func (u unwell) Health() error { return u.err }
func (unwell) Close() error    { return nil }

// TestReadyTellsOfLostPlaces: an engine that has lost places degrades the service,
// one without any leaves it not ready, whatever other engines say.
func TestReadyTellsOfLostPlaces(t *testing.T) {
	t.Parallel()
	lost := fault.New(codes.Unavailable, duckdb.ReasonPlacesLost, "1 of 4")
	stuck := fault.New(codes.Unavailable, duckdb.ReasonStuck, "4 of 4")
	for name, c := range map[string]struct {
		engines         []error
		ready, degraded bool
	}{
		"all well":               {[]error{nil, nil}, true, false},
		"a place lost":           {[]error{nil, lost}, false, true},
		"no place left":          {[]error{lost, stuck, lost}, false, false},
		"something else is said": {[]error{errors.New("odd")}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Service{engines: &engines{alive: map[*engine]bool{}}}
			for _, err := range c.engines {
				x := &engine{Engine: unwell{err: err}, generation: &source.Generation{Manifest: source.Manifest{Name: "demo"}}, ready: make(chan struct{})}
				close(x.ready)
				s.engines.alive[x] = true
			}
			err := s.Ready(t.Context())
			require.Equal(t, c.ready, err == nil)
			require.Equal(t, c.degraded, rpc.IsDegraded(err))
		})
	}
}
