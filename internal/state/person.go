package state

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	results "github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/store/coding"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/services/chatbi"
)

// Stores that have no versions of their own.
const (
	resultsStore = "results"
	historyStore = "query history"
)

// Bounds of one read of a result for an export.
const (
	exportedRows  = 1000
	exportedBytes = 1 << 20
)

// ErrTooLarge is what the writer of an export may return to end it.
var ErrTooLarge = errors.New("the export is larger than it may be")

// People finds, exports and deletes what a deployment keeps of one person: in each store that
// a configuration names and this process reaches. The audit log is none of them.
type People struct {
	Config   config.Config
	Database postgres.Config // where Config.Store.Kind is postgres
	Files    results.Files   // with the rows of results; nil: a folder of the data directory
	Program  string          // version
	Clock    func() time.Time
}

// PersonCount says what was found of a person in a table.
type PersonCount struct {
	Store, Place, Table string
	// Rows are the person's own, exported or deleted. Names are rows of others, or that are for
	// others, in which the person is named: exported as far as they name, or left without a name.
	Rows, Names int64
}

// personQuerier asks one store, in one transaction.
type personQuerier interface {
	// columns of a table; none: there is no such table.
	columns(ctx context.Context, table string) ([]string, error)
	// each gives the rows of a query with one argument, ?1.
	each(ctx context.Context, text, arg string, take func(columns []string, values []any) error) error
	// exec runs a statement; args are ?1, ?2.
	exec(ctx context.Context, text string, args ...any) (int64, error)
}

// Export writes all that is kept of a person as lines of JSON: a head, a line for each row
// with its store and table, and an end with their number, without which an export is not
// whole. Times are as they are stored. Secrets (hashes of tokens) are not in it. Each store is
// as it was at one moment.
func (p People) Export(ctx context.Context, person string, out io.Writer) ([]PersonCount, error) {
	if err := checkPerson(person); err != nil {
		return nil, err
	}
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(map[string]any{"format": format, "person": person, "program": p.Program, "made": p.Clock().UTC().Format(time.RFC3339)}); err != nil {
		return nil, err
	}
	total := int64(0)
	line := func(store, table string, row map[string]any) error {
		total++
		return lines.Encode(map[string]any{"store": store, "table": table, "row": row})
	}
	counts, err := p.walk(ctx, "export", func(ctx context.Context, k kept, q personQuerier) ([]PersonCount, error) {
		return exportTables(ctx, k, q, person, line)
	})
	if err != nil {
		return counts, err
	}
	n, err := p.exportRows(ctx, person, line)
	if err != nil {
		return counts, fmt.Errorf("export the rows of results: %w", err)
	}
	counts = append(counts, PersonCount{Store: resultsStore, Place: p.rowsPlace(), Table: "rows", Rows: n})
	uses, err := p.uses(ctx, person, line)
	if err != nil {
		return counts, fmt.Errorf("export the query history: %w", err)
	}
	counts = append(counts, uses...)
	return counts, lines.Encode(map[string]any{"end": true, "rows": total})
}

// Delete removes what is kept of a person, while processes serve: each store all of it or
// nothing, API tokens first. What is the work of others too stays without the name. Where a
// store fails, those before it are done, and the same call goes on. What the person does
// afterwards is kept as ever.
func (p People) Delete(ctx context.Context, person string) ([]PersonCount, error) {
	if err := checkPerson(person); err != nil {
		return nil, err
	}
	counts, err := p.walk(ctx, "delete", func(ctx context.Context, k kept, q personQuerier) ([]PersonCount, error) {
		return deleteTables(ctx, k, q, person)
	})
	if err != nil {
		return counts, err
	}
	if err := p.sweepResults(ctx); err != nil {
		return counts, fmt.Errorf("remove the files of results: %w", err)
	}
	uses, err := p.forgetUses(ctx, person)
	if err != nil {
		return counts, fmt.Errorf("take the person out of the query history: %w", err)
	}
	return append(counts, uses...), nil
}

func checkPerson(person string) error {
	if strings.TrimSpace(person) == "" {
		return fault.Invalid("principal", "PRINCIPAL_MISSING", "Whose data is it? Name the principal as the audit log and `dibrain token list` do.")
	}
	return nil
}

// walk visits each store that is there, tokens first, so that nobody comes in again while the
// others are visited.
func (p People) walk(ctx context.Context, doing string, do func(context.Context, kept, personQuerier) ([]PersonCount, error)) ([]PersonCount, error) {
	all, err := stores(ctx, p.Config, p.Database)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b kept) int { return rank(a) - rank(b) })
	versions, err := versions(ctx, all)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.Have > v.Known {
			return nil, fault.New(codes.FailedPrecondition, "STORE_TOO_NEW", fmt.Sprintf(
				"The store of %s is of a newer version, which may keep more of a person than this dibrain knows. Use the newer one. Nothing was done.", v.Name))
		}
		if v.Takes != "" || v.Have > 0 && len(v.Pending) > 0 {
			return nil, fault.New(codes.FailedPrecondition, ReasonOld, fmt.Sprintf(
				"The store of %s is of an earlier version. Run `dibrain migrate` first. Nothing was done.", v.Name))
		}
	}
	c, err := p.results()
	if err != nil {
		return nil, err
	}
	all = append(all, kept{name: resultsStore, place: "chatbi/results.db", path: c.Path})
	var counts []PersonCount
	for i, k := range all {
		if i < len(versions) && versions[i].Have == 0 {
			continue
		}
		var found []PersonCount
		visit := func(ctx context.Context, q personQuerier) (err error) {
			found, err = do(ctx, k, q)
			return err
		}
		if k.schema != nil {
			err = postgres.Transact(ctx, p.Database, *k.schema, doing == "export", doing+" what is of a person in", func(ctx context.Context, tx pgx.Tx) error {
				return visit(ctx, postgresQuerier{tx})
			})
		} else {
			if k.writeOut != nil {
				err = k.writeOut(ctx)
			}
			if err == nil {
				err = inFile(ctx, k.path, visit)
			}
		}
		if err != nil {
			return counts, fmt.Errorf("%s what is of the person in the store of %s: %w", doing, k.name, err)
		}
		counts = append(counts, found...)
	}
	return counts, nil
}

// rank puts tokens before the rest.
func rank(k kept) int {
	if k.name == "API tokens" {
		return 0
	}
	return 1
}

// where is the condition for the person's own rows of a table, ?1 being the person; empty:
// there are none.
func where(t personTable, all []personTable) string {
	switch {
	case t.owner != "":
		return quote(t.owner) + ` = ?1`
	case t.parent != "":
		i := slices.IndexFunc(all, func(p personTable) bool { return p.name == t.parent })
		return quote(t.key) + ` IN (SELECT ` + quote(t.parentKey) + ` FROM ` + quote(t.parent) + ` WHERE ` + where(all[i], all) + `)`
	}
	return ""
}

func quote(name string) string { return `"` + name + `"` }

func exportTables(ctx context.Context, k kept, q personQuerier, person string, line func(store, table string, row map[string]any) error) ([]PersonCount, error) {
	packer, err := coding.NewPacker()
	if err != nil {
		return nil, err
	}
	defer packer.Close()
	tables := declared(k).tables
	var counts []PersonCount
	for _, t := range tables {
		have, err := q.columns(ctx, t.name)
		if err != nil {
			return nil, err
		}
		if len(have) == 0 {
			continue
		}
		count := PersonCount{Store: k.name, Place: k.place, Table: t.name}
		own := where(t, tables)
		if own != "" {
			shown := slices.DeleteFunc(have, func(c string) bool { return slices.Contains(t.hidden, c) })
			err := q.each(ctx, `SELECT `+list(shown)+` FROM `+quote(t.name)+` WHERE `+own, person, func(columns []string, values []any) error {
				row := make(map[string]any, len(columns))
				for i, c := range columns {
					row[c] = readable(values[i])
				}
				if packed, _ := row[t.packed].(string); packed != "" {
					i := slices.Index(columns, "output")
					raw, _ := values[i].([]byte)
					output, err := packer.Unpack(raw, packed)
					if err != nil {
						return err
					}
					row["output"], row[t.packed] = readable(output), ""
				}
				count.Rows++
				return line(k.name, t.name, row)
			})
			if err != nil {
				return nil, err
			}
		}
		for _, name := range t.named {
			others := quote(name) + ` = ?1`
			if own != "" {
				others += ` AND NOT (` + own + `)`
			}
			err := q.each(ctx, `SELECT `+list([]string{t.id, name})+` FROM `+quote(t.name)+` WHERE `+others, person, func(columns []string, values []any) error {
				count.Names++
				return line(k.name, t.name, map[string]any{columns[0]: readable(values[0]), columns[1]: readable(values[1])})
			})
			if err != nil {
				return nil, err
			}
		}
		if own != "" || len(t.named) > 0 {
			counts = append(counts, count)
		}
	}
	return counts, nil
}

func deleteTables(ctx context.Context, k kept, q personQuerier, person string) ([]PersonCount, error) {
	declared := declared(k)
	var counts []PersonCount
	changed := int64(0)
	for _, t := range slices.Backward(declared.tables) { // what belongs to a row before the row
		have, err := q.columns(ctx, t.name)
		if err != nil {
			return nil, err
		}
		if len(have) == 0 {
			continue
		}
		count := PersonCount{Store: k.name, Place: k.place, Table: t.name}
		own := where(t, declared.tables)
		if own != "" {
			deleted := own
			if t.stays != "" {
				deleted += ` AND NOT (` + t.stays + `)`
			}
			if count.Rows, err = q.exec(ctx, `DELETE FROM `+quote(t.name)+` WHERE `+deleted, person); err != nil {
				return nil, err
			}
		}
		names := t.named
		if t.stays != "" {
			names = append([]string{t.owner}, names...)
		}
		for _, name := range names {
			n, err := q.exec(ctx, `UPDATE `+quote(t.name)+` SET `+quote(name)+` = '' WHERE `+quote(name)+` = ?1`, person)
			if err != nil {
				return nil, err
			}
			count.Names += n
		}
		changed += count.Rows + count.Names
		if own != "" || len(names) > 0 {
			counts = append(counts, count)
		}
	}
	if changed > 0 {
		for _, text := range declared.changed {
			if _, err := q.exec(ctx, text); err != nil {
				return nil, err
			}
		}
	}
	slices.Reverse(counts)
	return counts, nil
}

func list(columns []string) string {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = quote(c)
	}
	return strings.Join(quoted, ", ")
}

// readable is a stored value as it stands in an export: JSON in its own form, bytes that are no
// text in base64.
func readable(v any) any {
	raw, isBytes := v.([]byte)
	if text, ok := v.(string); ok {
		raw = []byte(text)
	} else if !isBytes {
		return v
	}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(raw) {
		return json.RawMessage(trimmed)
	}
	if isBytes && !utf8.Valid(raw) {
		return map[string]any{"base64": raw}
	}
	return string(raw)
}

// results says where results are, with the bounds that they have.
func (p People) results() (results.Config, error) {
	c, err := p.Config.ChatBI.Config.Complete()
	where := chatbi.ResultsFile(p.Config.DataDir, c.Store, p.Clock)
	where.Files = p.Files
	return where, err
}

// openResults opens the store of results, the shared one where there is a database; nil where
// there is none.
func (p People) openResults(ctx context.Context) (_ *results.Store, closed func() error, err error) {
	c, err := p.results()
	if err != nil {
		return nil, nil, err
	}
	closeDatabase := func() error { return nil }
	if p.Config.Store.Kind == config.StorePostgres {
		schema, err := results.PostgresSchema()
		if err != nil {
			return nil, nil, err
		}
		if c.Database, err = postgres.OpenDatabase(ctx, p.Database, schema); err != nil {
			return nil, nil, err
		}
		closeDatabase = c.Database.Close
	} else if _, err := os.Stat(c.Path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	s, err := results.Open(ctx, c)
	if err != nil {
		return nil, nil, errors.Join(err, closeDatabase())
	}
	return s, func() error { return errors.Join(s.Close(), closeDatabase()) }, nil
}

// resultsOf are the ids of a person's results, oldest first.
func (p People) resultsOf(ctx context.Context, person string) (ids []string, err error) {
	find := func(ctx context.Context, q personQuerier) error {
		return q.each(ctx, `SELECT id FROM results WHERE owner = ?1 ORDER BY created_ms, id`, person, func(_ []string, values []any) error {
			ids = append(ids, fmt.Sprint(values[0]))
			return nil
		})
	}
	if p.Config.Store.Kind != config.StorePostgres {
		c, err := p.results()
		if err != nil {
			return nil, err
		}
		err = inFile(ctx, c.Path, find)
		return ids, err
	}
	schema, err := results.PostgresSchema()
	if err != nil {
		return nil, err
	}
	err = postgres.Transact(ctx, p.Database, schema, true, "look for results of a person in", func(ctx context.Context, tx pgx.Tx) error {
		return find(ctx, postgresQuerier{tx})
	})
	return ids, err
}

// rowsPlace is what people are told of where rows of results are.
func (p People) rowsPlace() string {
	if p.Files != nil {
		return "results." + p.Config.Results.Kind
	}
	return "chatbi/results"
}

// exportRows writes the rows of a person's results, in pages.
func (p People) exportRows(ctx context.Context, person string, line func(store, table string, row map[string]any) error) (n int64, err error) {
	ids, err := p.resultsOf(ctx, person)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	s, closed, err := p.openResults(ctx)
	if err != nil || s == nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, closed()) }()
	for _, id := range ids {
		for token, more := "", true; more; {
			page, err := s.Page(ctx, run.Principal{ID: person}, id, token, exportedRows, exportedBytes)
			if errors.Is(err, fs.ErrNotExist) { // another process has them, or they are lost
				if err := line(resultsStore, "rows", map[string]any{"id": id, "missing": "the rows are not where this process looks for them"}); err != nil {
					return n, err
				}
				break
			}
			if code := fault.FromStatus(err); err != nil && (code.Code == codes.NotFound || code.Reason == "RESULT_REMOVED") {
				break // it became too old meanwhile
			}
			if err != nil {
				return n, err
			}
			rows := make([][]any, len(page.Rows))
			for i, row := range page.Rows {
				rows[i] = make([]any, len(row))
				for j, v := range row {
					rows[i][j] = cell(v)
				}
			}
			n += int64(len(rows))
			if err := line(resultsStore, "rows", map[string]any{"id": id, "rows": rows}); err != nil {
				return n, err
			}
			token, more = page.NextToken, page.NextToken != ""
		}
	}
	return n, nil
}

// cell is a value of a result as JSON can hold it: bytes are base64, and doubles that JSON has
// not are their names.
func cell(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = cell(item)
		}
		return items
	case map[string]any:
		items := make(map[string]any, len(v))
		for key, item := range v {
			items[key] = cell(item)
		}
		return items
	}
	return v
}

// sweepResults removes the files that the index of results knows no more.
func (p People) sweepResults(ctx context.Context) error {
	s, closed, err := p.openResults(ctx)
	if err != nil || s == nil {
		return err
	}
	return errors.Join(s.Prune(ctx), closed())
}

// uses writes which tables the query history says that a person queried, by day.
func (p People) uses(ctx context.Context, person string, line func(store, table string, row map[string]any) error) ([]PersonCount, error) {
	sources, names, err := p.sources()
	if err != nil {
		return nil, err
	}
	var counts []PersonCount
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := sources.Current(name)
		if err != nil {
			return nil, err
		}
		snapshot, err := g.Stored()
		if err != nil {
			return nil, err
		}
		count := PersonCount{Store: historyStore, Place: "sources/" + name, Table: name}
		for i := range snapshot.Tables {
			t := &snapshot.Tables[i]
			if t.Usage == nil {
				continue
			}
			for _, use := range t.Usage.Uses {
				if !strings.EqualFold(use.User, person) {
					continue
				}
				count.Names++
				if err := line(historyStore, name, map[string]any{"table": t.Name.String(), "day": use.Day, "queries": use.Queries}); err != nil {
					return nil, err
				}
			}
		}
		counts = append(counts, count)
	}
	return counts, nil
}

// forgetUses takes a person out of the query history of each source: the queries stay counted,
// by day.
func (p People) forgetUses(ctx context.Context, person string) ([]PersonCount, error) {
	sources, names, err := p.sources()
	if err != nil {
		return nil, err
	}
	var counts []PersonCount
	for _, name := range names {
		count := PersonCount{Store: historyStore, Place: "sources/" + name, Table: name}
		_, err := sources.Update(ctx, name, func(c *source.Change) error {
			count.Names = 0
			for i := range c.Snapshot.Tables {
				if u := c.Snapshot.Tables[i].Usage; u != nil {
					count.Names += int64(u.Forget(person))
				}
			}
			if count.Names == 0 {
				return source.ErrUnchanged
			}
			return nil
		})
		if err != nil {
			return counts, err
		}
		counts = append(counts, count)
	}
	return counts, nil
}

// sources are those of the data directory that can be read.
func (p People) sources() (*source.Store, []string, error) {
	if _, err := os.Stat(filepath.Join(p.Config.DataDir, "sources")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	s, err := source.Open(p.Config.DataDir, source.WithClock(p.Clock))
	if err != nil {
		return nil, nil, err
	}
	names, err := s.Names()
	return s, names, err
}

// inFile does something in one transaction of a SQLite file; where there is none, nothing.
func inFile(ctx context.Context, path string, do func(context.Context, personQuerier) error) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := openFile(path, "&_txlock=immediate&_pragma=foreign_keys(on)&_pragma=secure_delete(on)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(ctx, sqliteQuerier{tx}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

type sqliteQuerier struct{ tx *sql.Tx }

func (q sqliteQuerier) columns(ctx context.Context, table string) (names []string, err error) {
	err = q.each(ctx, `SELECT name FROM pragma_table_info(?1) ORDER BY cid`, table, func(_ []string, values []any) error {
		names = append(names, fmt.Sprint(values[0]))
		return nil
	})
	return names, err
}

func (q sqliteQuerier) each(ctx context.Context, text, arg string, take func([]string, []any) error) (err error) {
	rows, err := q.tx.QueryContext(ctx, text, arg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := take(columns, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (q sqliteQuerier) exec(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := q.tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

type postgresQuerier struct{ tx pgx.Tx }

func (q postgresQuerier) columns(ctx context.Context, table string) (names []string, err error) {
	err = q.each(ctx, `SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?1 ORDER BY ordinal_position`,
		table, func(_ []string, values []any) error {
			names = append(names, fmt.Sprint(values[0]))
			return nil
		})
	return names, err
}

func (q postgresQuerier) each(ctx context.Context, text, arg string, take func([]string, []any) error) error {
	rows, err := q.tx.Query(ctx, strings.ReplaceAll(text, "?1", "$1"), arg)
	if err != nil {
		return err
	}
	defer rows.Close()
	var columns []string
	for _, f := range rows.FieldDescriptions() {
		columns = append(columns, f.Name)
	}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		if err := take(columns, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (q postgresQuerier) exec(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := q.tx.Exec(ctx, strings.ReplaceAll(text, "?1", "$1"), args...)
	return done.RowsAffected(), err
}
