package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/duckdb/duckdb-go/v2"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// loader copies one demo warehouse.
type loader struct {
	options  Options
	server   *server
	from     *sql.DB // the demo's files, attached read-only by region
	snapshot *catalog.Snapshot
	tables   []target

	mu    sync.Mutex
	done  int64
	total int64
}

// target is a table to make.
type target struct {
	*catalog.Table
	stored      catalog.Name // in Trino
	partitioned bool         // its catalog knows partitions
}

func open(ctx context.Context, g *source.Generation, connection source.TrinoConnection, o Options) (_ *loader, err error) {
	l := &loader{options: o}
	if l.snapshot, err = g.Snapshot(); err != nil {
		return nil, err
	}
	if l.server, err = connect(connection, o.Timeout); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	connectors, err := l.server.connectors(ctx)
	if err != nil {
		return nil, err
	}
	for i := range l.snapshot.Tables {
		t := &l.snapshot.Tables[i]
		place := connection.Regions[t.Name.Region]
		connector, known := connectors[place.Catalog]
		if !known {
			return nil, fault.NotFound("TRINO_CATALOG_UNKNOWN", "the server shows no catalog %q to this user", place.Catalog)
		}
		l.total += t.RowCount
		l.tables = append(l.tables, target{
			Table: t, partitioned: connector == "iceberg",
			stored: catalog.Name{Region: place.Catalog, Schema: place.SchemaPrefix + t.Name.Schema, Table: t.Name.Table},
		})
	}
	return l, l.attach(ctx, g)
}

// attach opens the demo's files.
func (l *loader) attach(ctx context.Context, g *source.Generation) error {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return fmt.Errorf("open DuckDB: %w", err)
	}
	l.from = sql.OpenDB(connector)
	for region, path := range g.DatabasePaths() {
		statement := "ATTACH " + printer.String(path) + " AS " + printer.Quote(region) + " (READ_ONLY)"
		if _, err := l.from.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("open the demo's database of %s: %w", region, err)
		}
	}
	return nil
}

func (l *loader) close() error {
	err := l.server.close()
	if l.from != nil {
		err = errors.Join(err, l.from.Close())
	}
	return err
}

// load makes schemas and tables, fills them, and checks that nothing is missing.
func (l *loader) load(ctx context.Context) error {
	there, err := l.inTheWay(ctx)
	if err != nil {
		return err
	}
	for _, schema := range l.schemas() {
		if err := l.server.exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema); err != nil {
			return fmt.Errorf("make the schema %s: %w", schema, err)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.options.Concurrency)
	for _, t := range slices.SortedFunc(slices.Values(l.tables), func(a, b target) int { return int(b.RowCount - a.RowCount) }) {
		group.Go(func() error {
			if there[t.stored] {
				if err := l.server.exec(ctx, "DROP TABLE "+quoted(t.stored)); err != nil {
					return fmt.Errorf("drop the demo's old table %s: %w", t.stored, err)
				}
			}
			return l.fill(ctx, t)
		})
	}
	return group.Wait()
}

// schemas are those that the tables are in, quoted.
func (l *loader) schemas() []string {
	var schemas []string
	for _, t := range l.tables {
		schemas = append(schemas, printer.Quote(t.stored.Region)+"."+printer.Quote(t.stored.Schema))
	}
	slices.Sort(schemas)
	return slices.Compact(schemas)
}

// inTheWay returns which tables are there already and are the demo's. Tables of
// somebody else's are an error.
func (l *loader) inTheWay(ctx context.Context) (map[catalog.Name]bool, error) {
	ours := make(map[catalog.Name]bool)
	var others []string
	for _, schema := range l.schemas() {
		i := slices.IndexFunc(l.tables, func(t target) bool {
			return printer.Quote(t.stored.Region)+"."+printer.Quote(t.stored.Schema) == schema
		})
		in := l.tables[i].stored
		comments, err := l.server.comments(ctx, in.Region, in.Schema)
		if err != nil {
			return nil, err
		}
		for _, t := range l.tables {
			if t.stored.Region != in.Region || t.stored.Schema != in.Schema {
				continue
			}
			comment, there := comments[t.stored.Table]
			switch {
			case !there:
			case strings.HasSuffix(comment, mark):
				ours[t.stored] = true
			default:
				others = append(others, t.stored.String())
			}
		}
	}
	if len(others) > 0 {
		return nil, fault.New(codes.FailedPrecondition, "DEMO_TABLE_TAKEN",
			fmt.Sprintf("%d tables are there that the demo did not make, such as %s: nothing was changed; give --schema-prefix, or another catalog", len(others), others[0]))
	}
	return ours, nil
}

// fill makes a table and copies its rows.
func (l *loader) fill(ctx context.Context, t target) error {
	if err := l.server.exec(ctx, t.create()); err != nil {
		return fmt.Errorf("make the table %s: %w", t.stored, err)
	}
	if err := l.copyRows(ctx, t); err != nil {
		return fmt.Errorf("fill the table %s: %w", t.stored, err)
	}
	var rows int64
	if err := l.server.row(ctx, "SELECT count(*) FROM "+quoted(t.stored), &rows); err != nil {
		return fmt.Errorf("count the rows of %s: %w", t.stored, err)
	}
	if rows != t.RowCount {
		return fmt.Errorf("the table %s has %d rows, not %d: load the demo again", t.stored, rows, t.RowCount)
	}
	return l.describe(ctx, t)
}

// describe takes over the types that the server gave: a catalog may know fewer
// precisions than were asked for.
func (l *loader) describe(ctx context.Context, t target) error {
	types, err := l.server.types(ctx, t.stored)
	if err != nil {
		return fmt.Errorf("read the columns of %s: %w", t.stored, err)
	}
	for i := range t.Columns {
		if typ, ok := types[strings.ToLower(t.Columns[i].Name)]; ok {
			t.Columns[i].Type = typ
		}
	}
	return nil
}

// create is the statement that makes the table.
func (t target) create() string {
	columns := make([]string, len(t.Columns))
	partition := ""
	for i, c := range t.Columns {
		columns[i] = printer.Quote(c.Name) + " " + c.Type
		if c.Comment != "" {
			columns[i] += " COMMENT " + printer.String(c.Comment)
		}
		if c.Partition && c.Type == "date" && partition == "" {
			partition = c.Name
		}
	}
	text := "CREATE TABLE " + quoted(t.stored) + " (" + strings.Join(columns, ", ") + ") COMMENT " + printer.String(t.Description+" "+mark)
	if t.partitioned && partition != "" {
		// By month: days would be files of some kilobytes each.
		text += " WITH (partitioning = ARRAY[" + printer.String("month("+printer.Quote(partition)+")") + "])"
	}
	return text
}

func quoted(n catalog.Name) string {
	return printer.Quote(n.Region) + "." + printer.Quote(n.Schema) + "." + printer.Quote(n.Table)
}

// count adds rows that are there.
func (l *loader) count(rows int, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done += int64(rows)
	l.options.Progress(int(l.done), int(l.total), what)
}
