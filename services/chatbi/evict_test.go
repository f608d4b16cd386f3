package chatbi

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/duckdb"
)

// stillEngine is one that only closes and tells how it is.
type stillEngine struct {
	warehouse.Engine
	closed bool
	ill    error
}

func (e *stillEngine) Close() error  { e.closed = true; return nil }
func (e *stillEngine) Health() error { return e.ill }

// TestWhoMakesRoom: of the engines that nobody uses the one unused for longest is closed,
// one that is still opening never; where none is idle the call is to try again soon.
func TestWhoMakesRoom(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := newEngines(nil, nil, 3, time.Minute, func() time.Time { return now })
	still := map[string]*stillEngine{}
	for _, name := range []string{"a", "b", "c"} {
		x, opens, err := all.reserve(name, &source.Generation{Manifest: source.Manifest{Name: name, Generation: "1"}})
		require.NoError(t, err)
		require.True(t, opens)
		still[name] = &stillEngine{}
		x.Engine = still[name]
		if name != "c" { // it is still opening
			close(x.ready)
		}
	}
	take := func(name string) (*engine, error) {
		x, _, err := all.reserve(name, &source.Generation{Manifest: source.Manifest{Name: name, Generation: "1"}})
		return x, err
	}
	_, err := take("d")
	require.Equal(t, "ENGINES_BUSY", fault.ReasonOf(err))
	require.Equal(t, time.Second, fault.FromStatus(err).RetryAfter)
	leave := func(name string) {
		now = now.Add(time.Second)
		all.release(all.current[name])
	}
	leave("c")
	leave("b")
	leave("a")
	again, err := take("b")
	require.NoError(t, err)
	require.Same(t, all.current["b"], again)
	leave("b") // so that a is the one unused for longest
	_, err = take("d")
	require.NoError(t, err)
	require.Equal(t, []bool{true, false, false}, []bool{still["a"].closed, still["b"].closed, still["c"].closed})
	_, err = take("e")
	require.NoError(t, err)
	require.True(t, still["b"].closed)
	_, err = take("f")
	require.Error(t, err, "c is still opening, d and e are in use")

	x, _, err := all.reserve("c", &source.Generation{Manifest: source.Manifest{Name: "c", Generation: "2"}})
	require.Error(t, err, "the old generation of c has the place until it is open and closed again")
	require.Nil(t, x)
}

// TestTheWorstHealth: a source whose engine has no place left is told before one that
// has lost some.
func TestTheWorstHealth(t *testing.T) {
	t.Parallel()
	lost, stuck := fault.New(codes.Unavailable, duckdb.ReasonPlacesLost, "lost"), fault.New(codes.Unavailable, duckdb.ReasonStuck, "stuck")
	ready := make(chan struct{})
	close(ready)
	for i, c := range []struct {
		engines []error
		want    string
	}{
		{nil, ""}, {[]error{nil, nil}, ""}, {[]error{nil, lost}, duckdb.ReasonPlacesLost}, {[]error{lost, stuck, nil}, duckdb.ReasonStuck}, {[]error{stuck, lost}, duckdb.ReasonStuck},
		{[]error{lost, lost}, duckdb.ReasonPlacesLost},
	} {
		all := newEngines(nil, nil, 3, 0, time.Now)
		all.alive[&engine{ready: make(chan struct{}), Engine: &stillEngine{ill: errors.New("not open yet")}}] = true
		all.alive[&engine{ready: ready}] = true
		for j, ill := range c.engines {
			all.alive[&engine{ready: ready, Engine: &stillEngine{ill: ill}, generation: &source.Generation{Manifest: source.Manifest{Name: fmt.Sprint("s", j)}}}] = true
		}
		err := all.health()
		if c.want == "" {
			require.NoError(t, err, i)
			continue
		}
		require.Equal(t, c.want, fault.ReasonOf(err), i)
		require.ErrorContains(t, err, "source s")
	}
}

// TestTheOneUnusedForLongestMakesRoom, whatever the order in which engines were opened,
// and however often each was used before.
func TestTheOneUnusedForLongestMakesRoom(t *testing.T) {
	t.Parallel()
	const places = 6
	for turn := range places {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		all := newEngines(nil, nil, places, time.Minute, func() time.Time { return now })
		use := func(name string) *engine {
			x, opens, err := all.reserve(name, &source.Generation{Manifest: source.Manifest{Name: name, Generation: "1"}})
			require.NoError(t, err)
			if opens {
				x.Engine = &stillEngine{}
				close(x.ready)
			}
			now = now.Add(time.Second)
			all.release(x)
			return x
		}
		opened := map[string]*engine{}
		for i := range places {
			opened[fmt.Sprint("s", i)] = use(fmt.Sprint("s", i))
		}
		var order []string // as they were used last
		for i := range places {
			name := fmt.Sprint("s", (i*5+turn)%places)
			require.Same(t, opened[name], use(name))
			order = append(order, name)
		}
		for i, longest := range order {
			use(fmt.Sprint("new", i))
			for j, name := range order {
				still, is := opened[name].Engine.(*stillEngine)
				require.True(t, is)
				require.Equal(t, j <= i, still.closed, "%s after %s had to go", name, longest)
			}
		}
	}
}
