package ingest

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/personal"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

const (
	maxSampleRunes = 80        // longer values are texts, not names that people ask for
	frequentValues = 50        // kept of a column with too many distinct values
	exactRows      = 1_000_000 // tables beyond it get estimated distinct counts
	profileBatch   = 100       // columns that one statement counts
)

// profile counts rows, distinct values and NULLs, and collects sample values.
func (b *builder) profile(ctx context.Context) error {
	rules := personal.New(b.options.Personal)
	budget := b.options.MaxSourceSamples
	for _, t := range b.tables {
		if t.RowCount == 0 {
			continue
		}
		for from := 0; from < len(t.Columns); from += profileBatch {
			if err := b.count(ctx, t, t.Columns[from:min(from+profileBatch, len(t.Columns))]); err != nil {
				return err
			}
		}
		for i := range t.Columns {
			c := &t.Columns[i]
			keep, err := b.mark(ctx, rules, t, c)
			if err != nil {
				return err
			}
			if !keep {
				c.Low, c.High = "", ""
			}
			if err := b.tellAbsences(ctx, t, c); err != nil {
				return err
			}
			if c.Distinct == 0 || !keep {
				continue
			}
			kept := 0
			if !b.options.NoSamples {
				kept = budget
			}
			if kept > 0 {
				if err := b.flag(ctx, t, c); err != nil {
					return err
				}
			}
			if c.Type != "varchar" {
				continue
			}
			values, err := b.values(ctx, t, c, kept)
			if err != nil {
				return err
			}
			if kept > 0 {
				c.Samples = values
				budget -= len(values)
			}
			b.tellResemblance(t, c, values)
			said := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return b.words.Absence(v) != written.NotAbsent })
			if x, y, ok := catalog.Spellings(said); ok && c.Personal == nil {
				b.problem(Problem{Kind: KindNote, File: t.Name.String(), Message: fmt.Sprintf("column %q writes some values in several ways, as “%s” and “%s”: groups are made of each way by itself", c.Name, x, y)})
			}
		}
		b.tellCurrencies(t)
		if err := b.rowKey(ctx, t); err != nil {
			return err
		}
		if err := b.dependencies(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// tellCurrencies tells in which currencies the amounts of a table are, where another column of it says that of each
// row. One currency for all rows is the unit of the amounts.
func (b *builder) tellCurrencies(t *catalog.Table) {
	for i := range t.Columns {
		c := &t.Columns[i]
		told := semantic.CurrencyColumn(b.words, t, c)
		if told == nil {
			continue
		}
		if told.Distinct == 1 && told.Missing == 0 && len(told.Samples) == 1 {
			c.Unit = strings.TrimSpace(told.Samples[0])
			if kept, ok := b.words.Currency(c.Unit); ok {
				c.Unit = kept
			}
			b.problem(Problem{Kind: KindNote, File: t.Name.String(), Message: fmt.Sprintf("column %q is in %s, as column %q says in all rows", c.Name, c.Unit, told.Name)})
			continue
		}
		how := fmt.Sprintf("in the currency that column %q says in each row", told.Name)
		c.Written = strings.TrimPrefix(c.Written+"; "+how, "; ")
		b.problem(Problem{Kind: KindNote, File: t.Name.String(), Message: fmt.Sprintf("column %q is %s: answers that add up or compare several currencies say so", c.Name, how)})
	}
}

// flag keeps the values of a column of whole numbers that holds 0 and 1 and nothing else:
// they are a no and a yes.
func (b *builder) flag(ctx context.Context, t *catalog.Table, c *catalog.Column) error {
	if c.Type != "bigint" && c.Type != "integer" && c.Type != "smallint" && c.Type != "tinyint" || c.Distinct != 2 {
		return nil
	}
	name := quote(c.Name)
	row := b.conn.QueryRowContext(ctx, fmt.Sprintf("SELECT coalesce(min(%[1]s) = 0 AND max(%[1]s) = 1, false) FROM %[2]s", name, quote(t.Name.Schema, t.Name.Table)))
	is := false
	if err := row.Scan(&is); err != nil {
		return fmt.Errorf("look at %s of %s: %w", c.Name, t.Name, err)
	}
	if is {
		c.Samples = []string{"0", "1"}
	}
	return nil
}

// tellResemblance notes a text column that looks like something else, and tells it,
// where reading the file did not: databases and JSON bring types of their own.
func (b *builder) tellResemblance(t *catalog.Table, c *catalog.Column, values []string) {
	if c.Resembles != "" {
		return
	}
	if c.Resembles = b.resemblance(values); c.Resembles != "" {
		b.problem(Problem{Kind: KindTextNumbers, File: t.Name.String(), Message: fmt.Sprintf("column %q looks like a %s and stays text, as it is declared or typed there", c.Name, c.Resembles)})
	}
}

// tellAbsences tells which texts of a column that was taken as it is declared say that
// there is no value. They stay: whoever declared the column could have written NULL.
func (b *builder) tellAbsences(ctx context.Context, t *catalog.Table, c *catalog.Column) error {
	if !b.declared[t] || c.Type != "varchar" || c.Distinct == 0 || !b.options.guessNulls {
		return nil
	}
	var list []string
	for _, word := range b.words.SureAbsences() {
		list = append(list, printer.String(word))
	}
	rows, err := b.conn.QueryContext(ctx, fmt.Sprintf("SELECT trim(%[1]s), count(*) FROM %[2]s WHERE trim(%[1]s) IN (%[3]s) GROUP BY 1 ORDER BY 2 DESC, 1",
		quote(c.Name), quote(t.Name.Schema, t.Name.Table), strings.Join(list, ", ")))
	if err != nil {
		return fmt.Errorf("look for words for no value in %s of %s: %w", c.Name, t.Name, err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var word string
		var n int64
		if err := rows.Scan(&word, &n); err != nil {
			return fmt.Errorf("look for words for no value in %s of %s: %w", c.Name, t.Name, err)
		}
		found = append(found, fmt.Sprintf("“%s” (%d)", word, n))
	}
	if len(found) > 0 {
		b.problem(Problem{Kind: KindNote, File: t.Name.String(), Message: fmt.Sprintf(
			"column %q holds %s: words for no value stay values, as they are stored there; write NULL in their place, and ingest again, if they are none", c.Name, strings.Join(found, ", "))})
	}
	return rows.Err()
}

// resemblance is what a text column's values are written like, where all of them
// are: amounts, or days whose letters have another order than time. Digits alone are
// often codes.
func (b *builder) resemblance(samples []string) string {
	numbers, amounts, days, ordered, spans := 0, 0, 0, 0, 0
	for _, s := range samples {
		if n, ok := b.words.ReadNumber(s); ok {
			numbers++
			if n.Marked || strings.Contains(s, ".") {
				amounts++
			}
		} else if m, ok := b.words.ReadMoment(s); ok {
			days++
			if m.Form == written.FormYearFirst {
				ordered++
			}
		} else if b.words.IsSpan(s) {
			spans++
		}
	}
	switch {
	case len(samples) == 0:
		return ""
	case numbers == len(samples) && amounts > 0:
		return catalog.ResemblesNumber
	case days == len(samples) && ordered < days:
		return catalog.ResemblesDate
	case spans == len(samples):
		return catalog.ResemblesTime
	}
	return ""
}

const (
	markedValues = 200    // different values by which data of persons are told
	markedRows   = 10_000 // rows that they are taken from
)

// mark notes which data of persons a column holds, by its name or its values, and
// reports whether the catalog may keep values. What a person said to hold none
// holds none.
func (b *builder) mark(ctx context.Context, rules personal.Rules, t *catalog.Table, c *catalog.Column) (keep bool, err error) {
	if b.corrections.Without(t, c.Name) {
		return true, nil
	}
	if c.Personal, keep = rules.ByName(rules.OfPersons(t.Name.Table), c.Name); c.Personal != nil {
		return keep, nil
	}
	if c.Distinct == 0 || c.Type != "varchar" && c.Type != "bigint" {
		return true, nil
	}
	rows, err := b.conn.QueryContext(ctx, fmt.Sprintf("SELECT DISTINCT CAST(v AS VARCHAR) FROM (SELECT %s AS v FROM %s LIMIT %d) WHERE v IS NOT NULL LIMIT %d",
		quote(c.Name), quote(t.Name.Schema, t.Name.Table), markedRows, markedValues))
	if err != nil {
		return false, fmt.Errorf("look at %s of %s: %w", c.Name, t.Name, err)
	}
	defer func() { _ = rows.Close() }()
	var values []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return false, fmt.Errorf("look at %s of %s: %w", c.Name, t.Name, err)
		}
		values = append(values, v)
	}
	c.Personal, keep = rules.ByValues(values, c.Type == "bigint")
	return keep, rows.Err()
}

// count fills in Distinct, NotNull, Missing and the range. The data never change after an
// ingest, so a column without NULLs has none.
func (b *builder) count(ctx context.Context, t *catalog.Table, columns []catalog.Column) error {
	distinct := "count(DISTINCT %s)"
	if t.RowCount > exactRows {
		distinct = "approx_count_distinct(%s)"
	}
	var list []string
	results := make([]any, 0, 4*len(columns))
	nonNull := make([]int64, len(columns))
	ranges := make([][2]sql.NullString, len(columns))
	for i := range columns {
		name := quote(columns[i].Name)
		list = append(list, fmt.Sprintf(distinct, name), "count("+name+")")
		results = append(results, &columns[i].Distinct, &nonNull[i])
		if end := rangeOf(columns[i].Type); end != "" && !b.options.NoSamples {
			list = append(list, fmt.Sprintf(end, "min("+name+")"), fmt.Sprintf(end, "max("+name+")"))
			results = append(results, &ranges[i][0], &ranges[i][1])
		}
	}
	row := b.conn.QueryRowContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+quote(t.Name.Schema, t.Name.Table))
	if err := row.Scan(results...); err != nil {
		return fmt.Errorf("count the values of %s: %w", t.Name, err)
	}
	for i := range columns {
		columns[i].NotNull = nonNull[i] == t.RowCount
		columns[i].Missing = t.RowCount - nonNull[i]
		columns[i].Low, columns[i].High = ranges[i][0].String, ranges[i][1].String
	}
	return nil
}

// rangeOf is the expression, over the least or the greatest value of a column of a type, of
// the text that is kept of it; empty where none is. What is no number, and days that no
// calendar has, give NULL.
func rangeOf(typ string) string {
	switch {
	case semantic.IsTime(typ):
		return "CASE WHEN isfinite(%[1]s) THEN CAST(CAST(%[1]s AS DATE) AS VARCHAR) END"
	case semantic.IsNumber(typ):
		return "CASE WHEN isfinite(%[1]s::DOUBLE) THEN %[1]s::VARCHAR END"
	}
	return ""
}

// values are all distinct values of a text column where they are few enough, else the
// most frequent ones; the frequent come first. At most kept values are returned, and
// where none are kept, some to look at.
func (b *builder) values(ctx context.Context, t *catalog.Table, c *catalog.Column, kept int) ([]string, error) {
	limit := b.options.MaxSamples
	if c.Distinct > int64(limit) || kept == 0 {
		limit = min(limit, frequentValues)
	}
	if kept > 0 {
		limit = min(limit, kept)
	}
	name := quote(c.Name)
	rows, err := b.conn.QueryContext(ctx, fmt.Sprintf(
		"SELECT %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL AND %[1]s <> '' AND length(%[1]s) <= %[3]d GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT %[4]d",
		name, quote(t.Name.Schema, t.Name.Table), maxSampleRunes, limit))
	if err != nil {
		return nil, fmt.Errorf("sample %s of %s: %w", c.Name, t.Name, err)
	}
	defer func() { _ = rows.Close() }()
	var values []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return nil, fmt.Errorf("sample %s of %s: %w", c.Name, t.Name, err)
		}
		values = append(values, value)
	}
	return values, rows.Err()
}
