package trino

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// ReasonClusters is the reason of the error about a statement over several clusters.
const ReasonClusters = "ENGINE_CLUSTERS"

// Clusters is a warehouse.Engine over all servers of a source: a statement runs on the one
// that has the regions of its tables. Each server has the limits of Config for itself.
type Clusters struct {
	names   []string // of the servers; the source's own is ""
	engines map[string]*Engine
	regions map[string]string // lower-case region -> server
	first   string            // the server of statements without a table
}

var _ warehouse.Engine = (*Clusters)(nil)

// OpenClusters prepares an engine for each server of the connection, which may be one; see
// Open.
func OpenClusters(ctx context.Context, config Config) (*Clusters, error) {
	connection := config.Connection
	if err := connection.Check(); err != nil {
		return nil, err
	}
	c := &Clusters{names: connection.ClusterNames(), engines: make(map[string]*Engine), regions: make(map[string]string)}
	for region, place := range connection.Regions {
		c.regions[strings.ToLower(region)] = place.Cluster
	}
	c.first = c.regions[strings.ToLower(config.DefaultRegion)]
	for _, name := range c.names {
		config.Connection = connection.At(name)
		engine, err := Open(ctx, config)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.engines[name] = engine
	}
	return c, nil
}

// Kind implements warehouse.Engine.
func (c *Clusters) Kind() string { return string(source.EngineTrino) }

// Close implements warehouse.Engine.
func (c *Clusters) Close() error {
	var errs []error
	for _, e := range c.engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// Query implements warehouse.Engine.
func (c *Clusters) Query(ctx context.Context, principal run.Principal, approved guard.Approved, options warehouse.Options) (warehouse.Rows, error) {
	e, err := c.of(approved)
	if err != nil {
		return nil, err
	}
	return e.Query(ctx, principal, approved, options)
}

// Explain implements warehouse.Engine.
func (c *Clusters) Explain(ctx context.Context, principal run.Principal, approved guard.Approved) (warehouse.Plan, error) {
	e, err := c.of(approved)
	if err != nil {
		return warehouse.Plan{}, err
	}
	return e.Explain(ctx, principal, approved)
}

// Metadata implements warehouse.Engine.
func (c *Clusters) Metadata(ctx context.Context, principal run.Principal, statement meta.Statement, options warehouse.Options) (warehouse.Rows, error) {
	at := c.first
	if !statement.IsZero() {
		tree.Walk(statement.Tree(), func(n tree.Node) bool {
			if table, ok := n.(*tree.Table); ok && len(table.Name.Parts) == 3 {
				at = c.regions[table.Name.Parts[0].Key()]
			}
			return true
		})
	}
	return c.engines[at].Metadata(ctx, principal, statement, options)
}

// of returns the engine of the one cluster whose tables a statement reads.
func (c *Clusters) of(approved guard.Approved) (*Engine, error) {
	if approved.IsZero() || len(c.names) == 1 {
		return c.engines[c.first], nil // which refuses what is not approved
	}
	at, region := c.first, ""
	for _, table := range approved.Resolution().Tables() {
		there := c.regions[strings.ToLower(table.Region)]
		if region != "" && there != at { // regions alone: a policy may read tables that the asker is not told of
			return nil, fault.New(codes.InvalidArgument, ReasonClusters, fmt.Sprintf(
				"the statement reads %s, on the Trino cluster %s, and %s, on %s, and neither reads the other's tables: ask for one of them at a time",
				region, cmp.Or(at, source.MainCluster), table.Region, cmp.Or(there, source.MainCluster)))
		}
		at, region = there, table.Region
	}
	return c.engines[at], nil
}

// Health tells of each cluster what is wrong with it, see Engine.Health; nil: nothing is
// wrong with any.
func (c *Clusters) Health() error {
	if len(c.names) == 1 {
		return c.engines[c.names[0]].Health()
	}
	var why, operator []string
	var reason string
	for _, name := range c.names {
		if err := c.engines[name].Health(); err != nil {
			reason = cmp.Or(reason, fault.ReasonOf(err))
			why = append(why, cmp.Or(name, source.MainCluster)+": "+strings.TrimSuffix(fault.FromStatus(err).Message, "."))
			operator = append(operator, fault.OperatorText(err))
		}
	}
	if why == nil {
		return nil
	}
	return fault.New(codes.Unavailable, reason, fmt.Sprintf("%d of %d clusters: %s.", len(why), len(c.names), strings.Join(why, "; "))).
		ForOperator("%s", strings.Join(slices.Compact(operator), "; "))
}

// EndQuery ends a statement that another process has left, wherever it is: see
// Engine.EndQuery.
func (c *Clusters) EndQuery(ctx context.Context, id, user string) error {
	var errs []error
	for _, name := range c.names {
		errs = append(errs, c.engines[name].EndQuery(ctx, id, user))
	}
	return errors.Join(errs...)
}
