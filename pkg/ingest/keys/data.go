package keys

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// data compares values, as often as the limits say.
type data struct {
	conn   *sql.Conn
	limits Limits
	tests  int
}

// spent reports whether no further comparison may be made, and counts one.
func (d *data) spent() bool {
	if d.tests >= d.limits.MaxTests {
		return true
	}
	d.tests++
	return false
}

func quoted(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = printer.Quote(p)
	}
	return strings.Join(out, ".")
}

func list(columns []string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = quoted(c)
	}
	return strings.Join(out, ", ")
}

// isUnique reports whether columns tell the rows of a table apart.
func (d *data) isUnique(ctx context.Context, t *catalog.Table, columns []string) (bool, error) {
	if t.RowCount > int64(d.limits.MaxExactRows) || d.spent() {
		return false, nil
	}
	var n int64
	statement := fmt.Sprintf("SELECT count(*) FROM (SELECT DISTINCT %s FROM %s)", list(columns), quoted(t.Name.Schema, t.Name.Table))
	if err := d.conn.QueryRowContext(ctx, statement).Scan(&n); err != nil {
		return false, fmt.Errorf("count the values of %s of %s: %w", strings.Join(columns, ", "), t.Name, err)
	}
	return n == t.RowCount, nil
}

// inclusion is how the values of a reference lie in those of a key.
type inclusion struct {
	values, missing int64 // different ones
	sampled         bool
}

func (i inclusion) holds() bool { return i.values > 0 && i.missing == 0 }

// include compares the values of columns with those of a key. An empty text points
// to nothing, as NULL does. Nothing is compared, and nothing holds, when the limits
// are reached.
func (d *data) include(ctx context.Context, from *catalog.Table, columns []string, to *catalog.Table, key []string) (inclusion, error) {
	if d.spent() {
		return inclusion{}, nil
	}
	var in inclusion
	rows := quoted(from.Name.Schema, from.Name.Table)
	if from.RowCount > int64(d.limits.MaxExactRows) {
		in.sampled = true
		rows = fmt.Sprintf("(SELECT * FROM %s USING SAMPLE reservoir(%d ROWS) REPEATABLE (1))", rows, d.limits.MaxSampleRows)
	}
	names, filled, equal := make([]string, len(columns)), make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("%s AS v%d", quoted(c), i)
		filled[i] = fmt.Sprintf("CAST(%s AS VARCHAR) <> ''", quoted(c))
		equal[i] = fmt.Sprintf("k.%s = v.v%d", quoted(key[i]), i)
	}
	statement := fmt.Sprintf(
		"WITH v AS (SELECT DISTINCT %s FROM %s WHERE %s) SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM %s AS k WHERE %s)) FROM v",
		strings.Join(names, ", "), rows, strings.Join(filled, " AND "), quoted(to.Name.Schema, to.Name.Table), strings.Join(equal, " AND "))
	if err := d.conn.QueryRowContext(ctx, statement).Scan(&in.values, &in.missing); err != nil {
		return in, fmt.Errorf("compare %s of %s with %s: %w", strings.Join(columns, ", "), from.Name, to.Name, err)
	}
	return in, nil
}
