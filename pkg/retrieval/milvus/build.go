package milvus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Fields of a collection.
const (
	fieldDoc    = "doc"
	fieldVector = "direction"
	fieldRegion = "region"
	fieldSchema = "schema_name"
	fieldMart   = "mart"
	// longestLabel in bytes that is stored; a longer one is cut on both sides.
	longestLabel = 1024
)

// Build fills the collection of a source with vectors and makes it the current
// one; a collection with the same content is taken as it is. progress, if any, is
// told how many documents are sent. Errors: faults of the server, ctx's.
func (c *Client) Build(ctx context.Context, source string, set vector.Set, progress func(done, total int)) (*Index, error) {
	if err := set.Check(); err != nil {
		return nil, err
	}
	if !remote.IsPlain(source) {
		return nil, fmt.Errorf("milvus: source name %q: use lower-case letters, digits and _", source)
	}
	settings := fmt.Sprint(1, c.cfg.Index, c.cfg.Metric, c.cfg.M, c.cfg.EFConstruction, c.cfg.NList)
	b := &build{c: c, source: source, set: set, progress: progress}
	b.name = c.names.Generation(source, remote.PrintOfVectors(set, settings))
	b.rows = b.columns()
	bounded, cancel := context.WithTimeout(ctx, c.cfg.BuildTimeout)
	defer cancel()
	filled, err := b.filled(bounded)
	if err == nil && !filled {
		err = b.fill(bounded)
	}
	if errors.Is(err, errOtherDocuments) { // sending again removes nothing: it is made anew
		if err = b.c.sdk.DropCollection(bounded, b.name); err == nil {
			err = b.fill(bounded)
		}
	}
	if err != nil {
		return nil, c.failed(ctx, fmt.Errorf("fill collection %s: %w", b.name, err))
	}
	if err := b.publish(bounded); err != nil {
		return nil, c.failed(ctx, fmt.Errorf("make collection %s the current one: %w", b.name, err))
	}
	return &Index{c: c, name: b.name, dim: set.Dim, size: set.Len(), rows: len(b.rows.doc)}, nil
}

// build is the making of one generation.
type build struct {
	c        *Client
	source   string
	name     string
	set      vector.Set
	rows     rows
	progress func(done, total int)
}

// rows are the documents that have a direction, column by column.
type rows struct {
	doc                  []int64
	direction            [][]float32
	region, schema, mart []string
}

func (b *build) columns() rows {
	var r rows
	for n := range b.set.Len() {
		direction := append([]float32(nil), b.set.Row(n)...)
		if !vector.Normalise(direction) {
			continue
		}
		var l lexical.Labels
		if b.set.Labels != nil {
			l = b.set.Labels[n]
		}
		r.doc = append(r.doc, int64(n))
		r.direction = append(r.direction, direction)
		r.region, r.schema, r.mart = append(r.region, stored(l.Region)), append(r.schema, stored(l.Schema)), append(r.mart, stored(l.Mart))
	}
	return r
}

// stored is the form in which a label is kept and asked for.
func stored(label string) string {
	label = strings.ToLower(label)
	if len(label) > longestLabel {
		label = label[:longestLabel]
	}
	return strings.ToValidUTF8(label, "")
}

// errOtherDocuments says that a collection has more or fewer documents than it was given.
var errOtherDocuments = errors.New("the collection has another number of documents")

// filled tells whether the collection is there with all its documents, waiting
// for one that the server still loads.
func (b *build) filled(ctx context.Context) (bool, error) {
	// The SDK asks a server that is away again and again: the first question tells.
	first, stop := context.WithTimeout(ctx, b.c.cfg.Timeout)
	defer stop()
	there, err := b.c.sdk.HasCollection(first, b.name)
	if err != nil || !there {
		return false, err
	}
	waiting, cancel := context.WithTimeout(ctx, b.c.cfg.LoadWait)
	defer cancel()
	state, err := b.c.sdk.GetLoadState(waiting, b.name, nil)
	if err != nil {
		return false, err
	}
	if state != entity.LoadStateLoaded {
		// A server that has just started says so of what it has not loaded yet. What was
		// never indexed cannot be loaded: it is not whole.
		if err := b.c.sdk.LoadCollection(waiting, b.name, false); err != nil {
			return false, waiting.Err()
		}
	}
	count, err := b.count(waiting)
	return count == len(b.rows.doc), err
}

// count asks how many documents are there, all that were sent before included.
func (b *build) count(ctx context.Context) (int, error) {
	return b.c.count(ctx, b.name, entity.ClStrong)
}

func (c *Client) count(ctx context.Context, name string, level entity.ConsistencyLevel) (int, error) {
	const counted = "count(*)"
	result, err := c.sdk.Query(ctx, name, nil, "", []string{counted}, client.WithSearchQueryConsistencyLevel(level))
	if err != nil {
		return 0, err
	}
	column, ok := result.GetColumn(counted).(*entity.ColumnInt64)
	if !ok || column.Len() != 1 {
		return 0, fmt.Errorf("no count of collection %s", name)
	}
	return int(column.Data()[0]), nil
}

func (b *build) schema() *entity.Schema {
	text := func(name string) *entity.Field {
		return entity.NewField().WithName(name).WithDataType(entity.FieldTypeVarChar).WithMaxLength(longestLabel)
	}
	return entity.NewSchema().WithName(b.name).WithDescription("vectors of the source " + b.source).
		WithField(entity.NewField().WithName(fieldDoc).WithDataType(entity.FieldTypeInt64).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName(fieldVector).WithDataType(entity.FieldTypeFloatVector).WithDim(int64(b.set.Dim))).
		WithField(text(fieldRegion)).WithField(text(fieldSchema)).WithField(text(fieldMart))
}

// fill sends all documents, indexes and loads them. Another replica may do the
// same at the same time: documents have keys, so that both end with the same
// collection.
func (b *build) fill(ctx context.Context) error {
	there, err := b.c.sdk.HasCollection(ctx, b.name)
	if err != nil {
		return err
	}
	if !there {
		if err := b.c.sdk.CreateCollection(ctx, b.schema(), 1); err != nil {
			return fmt.Errorf("create: %w", err)
		}
	}
	batch := max(1, b.c.cfg.BatchBytes/(4*b.set.Dim+100))
	for from := 0; from < len(b.rows.doc); from += batch {
		to := min(from+batch, len(b.rows.doc))
		if err := b.send(ctx, from, to); err != nil {
			return fmt.Errorf("send documents up to %d of %d: %w", to, len(b.rows.doc), err)
		}
		if b.progress != nil {
			b.progress(to, len(b.rows.doc))
		}
	}
	if err := b.c.sdk.Flush(ctx, b.name, false); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	index, err := b.c.cfg.index()
	if err != nil {
		return err
	}
	if err := b.c.sdk.CreateIndex(ctx, b.name, fieldVector, index, false); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if err := b.c.sdk.LoadCollection(ctx, b.name, false); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	count, err := b.count(ctx)
	if err == nil && count != len(b.rows.doc) {
		err = fmt.Errorf("%w: %d instead of %d", errOtherDocuments, count, len(b.rows.doc))
	}
	return err
}

func (b *build) send(ctx context.Context, from, to int) error {
	_, err := b.c.sdk.Upsert(ctx, b.name, "",
		entity.NewColumnInt64(fieldDoc, b.rows.doc[from:to]),
		entity.NewColumnFloatVector(fieldVector, b.set.Dim, b.rows.direction[from:to]),
		entity.NewColumnVarChar(fieldRegion, b.rows.region[from:to]),
		entity.NewColumnVarChar(fieldSchema, b.rows.schema[from:to]),
		entity.NewColumnVarChar(fieldMart, b.rows.mart[from:to]))
	return err
}

// publish moves the alias in one step and drops generations that are too old.
func (b *build) publish(ctx context.Context) error {
	alias := b.c.names.Alias(b.source)
	previous := ""
	if described, err := b.c.sdk.DescribeCollection(ctx, alias); err == nil {
		previous = described.Name
	}
	if previous != b.name {
		if err := b.c.point(ctx, alias, b.name); err != nil {
			return err
		}
	}
	if b.c.cfg.DropPrevious {
		previous = ""
	}
	return b.c.drop(ctx, b.source, func(name string) bool { return name != b.name && name != previous })
}

// point lets an alias stand for a collection. One that stands for another is moved
// in one step; one that is left over of a dropped collection is made anew.
func (c *Client) point(ctx context.Context, alias, name string) error {
	moved := c.sdk.AlterAlias(ctx, name, alias)
	if moved == nil {
		return nil
	}
	if err := c.sdk.CreateAlias(ctx, name, alias); err != nil {
		return fmt.Errorf("point alias %s: %w (moving it failed: %w)", alias, err, moved)
	}
	return nil
}

// drop drops the generations of a source that pick answers true for.
func (c *Client) drop(ctx context.Context, source string, pick func(name string) bool) error {
	all, err := c.sdk.ListCollections(ctx)
	if err != nil {
		return fmt.Errorf("list collections: %w", err)
	}
	for _, one := range all {
		if !c.names.IsGeneration(source, one.Name) || !pick(one.Name) {
			continue
		}
		if err := c.sdk.DropCollection(ctx, one.Name); err != nil && !isMissing(err) {
			return fmt.Errorf("drop collection %s: %w", one.Name, err)
		}
	}
	return nil
}

// Remove drops all generations of a source, after its alias: a collection's alias
// would outlive it.
func (c *Client) Remove(ctx context.Context, source string) error {
	bounded, cancel := context.WithTimeout(ctx, c.cfg.BuildTimeout)
	defer cancel()
	alias := c.names.Alias(source)
	if _, err := c.sdk.DescribeCollection(bounded, alias); err == nil {
		if err := c.sdk.DropAlias(bounded, alias); err != nil && !isMissing(err) {
			return c.failed(ctx, fmt.Errorf("drop alias %s: %w", alias, err))
		}
	}
	return c.failed(ctx, c.drop(bounded, source, func(string) bool { return true }))
}
