// Package catalogrpc gives SQL services the part of a catalog that one statement
// names: the names are read off the statement, described by findata as the asker,
// and kept as what the resolver takes. So the cost of resolving goes with the
// statement, not with the warehouse; and what the asker may not see is unknown.
package catalogrpc

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of one statement.
const (
	// MaxTables is the most tables that one statement may name.
	MaxTables = 1000
	batchSize = 200 // of DescribeTables
)

// Describer is the part of findata's catalog client that is needed here.
type Describer interface {
	DescribeTables(ctx context.Context, in *findatav1.DescribeTablesRequest, opts ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error)
}

// Excerpt is the part of a catalog that was asked for. It implements
// resolve.Catalog.
type Excerpt struct {
	index    *catalog.Index
	defaults catalog.Defaults
	near     map[string][]catalog.Name // by key of the unknown name
}

// Describe asks for the named tables. known are tables that are there already;
// they are not asked for again.
func Describe(ctx context.Context, client Describer, source string, defaults catalog.Defaults, names []catalog.Name, known []catalog.Table) (*Excerpt, error) {
	x := &Excerpt{defaults: defaults, near: map[string][]catalog.Name{}}
	snapshot := &catalog.Snapshot{Tables: append([]catalog.Table(nil), known...)}
	have := catalog.NewIndex(&catalog.Snapshot{Tables: known}, defaults)
	var ask []string
	for _, name := range names {
		if _, ok := have.Lookup(name); !ok {
			ask = append(ask, x.complete(name).String())
		}
	}
	if len(ask) > MaxTables {
		return nil, fault.New(codes.ResourceExhausted, "TOO_MANY_TABLES",
			fmt.Sprintf("the statement names %d tables: at most %d", len(ask), MaxTables))
	}
	for len(ask) > 0 {
		batch := ask[:min(len(ask), batchSize)]
		ask = ask[len(batch):]
		res, err := client.DescribeTables(ctx, &findatav1.DescribeTablesRequest{Source: source, Tables: batch})
		if err != nil {
			return nil, fmt.Errorf("describe the tables of a statement: %w", err)
		}
		snapshot.Tables = append(snapshot.Tables, catalogpb.ToTables(res.GetTables())...)
		for _, unknown := range res.GetUnknownTables() {
			x.remember(unknown)
		}
	}
	x.index = catalog.NewIndex(snapshot, defaults)
	return x, nil
}

func (x *Excerpt) remember(unknown *findatav1.UnknownTable) {
	name, err := catalog.ParseName(unknown.GetName())
	if err != nil {
		return
	}
	for _, near := range unknown.GetNear() {
		if n, err := catalog.ParseName(near); err == nil {
			key := x.complete(name).Key()
			x.near[key] = append(x.near[key], x.complete(n))
		}
	}
}

func (x *Excerpt) complete(n catalog.Name) catalog.Name {
	if n.Region == "" {
		n.Region = x.defaults.Region
	}
	if n.Schema == "" {
		n.Schema = x.defaults.Schema
	}
	return n
}

// Lookup implements resolve.Catalog.
func (x *Excerpt) Lookup(name catalog.Name) (*catalog.Table, bool) { return x.index.Lookup(name) }

// Near implements resolve.Catalog with what findata found near.
func (x *Excerpt) Near(name catalog.Name, n int) []catalog.Name {
	near := x.near[x.complete(name).Key()]
	return near[:min(len(near), n)]
}

// Tables are the tables that are there.
func (x *Excerpt) Tables() []catalog.Table { return x.index.Snapshot().Tables }

// Names returns the tables that a statement names, each once, in order of
// appearance. Common tables are left out where they are in sight; one that has a
// stored table's name too may be asked for in vain, which does no harm.
func Names(stmt *tree.Statement) []catalog.Name {
	common := map[string]bool{}
	tree.Walk(stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.CommonTable); ok {
			common[c.Name.Key()] = true
		}
		return true
	})
	seen := map[string]bool{}
	var names []catalog.Name
	tree.Walk(stmt, func(n tree.Node) bool {
		t, ok := n.(*tree.Table)
		if !ok {
			return true
		}
		if len(t.Name.Parts) == 1 && common[t.Name.Key()] && !readsStored(stmt, t.Name.Key()) {
			return true
		}
		if name, ok := nameOf(t.Name); ok && !seen[name.Key()] {
			seen[name.Key()] = true
			names = append(names, name)
		}
		return true
	})
	return names
}

// readsStored reports whether a common table's own query names a table of its
// name: WITH orders AS (SELECT * FROM orders) reads the stored one inside.
func readsStored(stmt *tree.Statement, key string) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		c, ok := n.(*tree.CommonTable)
		if !ok || c.Name.Key() != key {
			return !found
		}
		tree.Walk(c.Query, func(n tree.Node) bool {
			if t, ok := n.(*tree.Table); ok && t.Name.Key() == key {
				found = true
			}
			return !found
		})
		return !found
	})
	return found
}

func nameOf(n *tree.Name) (catalog.Name, bool) {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		if p.Name == "" || strings.Contains(p.Name, ".") {
			return catalog.Name{}, false
		}
		parts[i] = p.Name
	}
	name, err := catalog.ParseName(strings.Join(parts, "."))
	return name, err == nil
}
