package semantic

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// DraftOptions bound a draft.
type DraftOptions struct {
	// Mart leaves out the tables of other marts; empty: all.
	Mart string
	// MaxTables bounds the tables that are drafted, the most used ones; 0: 50.
	// Tables that differ in their country only count as one.
	MaxTables int
}

// maxDraftValues bounds the values that a dimension's draft lists.
const maxDraftValues = 20

// Draft proposes a layer for tables: metrics from the numbers that queries read
// most, or from all where no history is known; dimensions, entities and joins. It
// is to be read and corrected by somebody who knows the business; it passes Check
// against the same tables.
func Draft(tables []catalog.Table, o DraftOptions) *Layer {
	if o.MaxTables == 0 {
		o.MaxTables = 50
	}
	d := drafter{layer: &Layer{}, ids: map[string]bool{}, names: map[string]string{}, base: map[string]string{}}
	picked := pick(tables, o)
	d.derived = Derive(picked)
	for i := range picked {
		d.tables = append(d.tables, &picked[i])
	}
	d.countries(tables)
	for i := range d.tables {
		d.names[d.tables[i].Name.String()] = layerName(d.tables[i])
	}
	for i, t := range d.tables {
		e := &d.derived.Entities[i]
		d.base[e.Table] = strings.ReplaceAll(e.Names.EN, " ", "_")
		d.entity(t, e)
	}
	for _, t := range d.tables {
		d.metrics(t)
	}
	for i := range d.derived.Dimensions {
		d.dimension(&d.derived.Dimensions[i])
	}
	d.joins()
	d.headers()
	for _, t := range d.tables {
		d.dates(t)
	}
	return d.layer
}

// pick returns the tables to draft, most used first: one of each family, none that
// is replaced by another.
func pick(tables []catalog.Table, o DraftOptions) []catalog.Table {
	seen := map[string]bool{}
	var out []catalog.Table
	for _, t := range tables {
		name := strings.ToLower(layerName(&t))
		if seen[name] || !nameable(name) || t.Successor != "" || t.Kind == catalog.KindView || o.Mart != "" && !strings.EqualFold(t.Mart, o.Mart) {
			continue
		}
		seen[name] = true
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b catalog.Table) int {
		return cmp.Or(cmp.Compare(queries(&b), queries(&a)), strings.Compare(a.Name.Key(), b.Name.Key()))
	})
	return out[:min(len(out), o.MaxTables)]
}

// nameable reports whether a layer can name a table: names with blanks are none of its.
func nameable(table string) bool {
	return tableForm.MatchString(strings.ReplaceAll(table, CIDPlaceholder, "x"))
}

func queries(t *catalog.Table) int64 {
	return max(t.QueryCount30d, t.Usage.Since(""))
}

// layerName is how a layer names a table: without the data centre, the country as
// {cid}.
func layerName(t *catalog.Table) string {
	if !strings.Contains(t.Manifest, CIDPlaceholder) {
		return catalog.Name{Schema: t.Name.Schema, Table: t.Name.Table}.String()
	}
	if strings.Contains(t.Manifest, ".") || t.Name.Schema == "" {
		return t.Manifest
	}
	return t.Name.Schema + "." + t.Manifest
}

type drafter struct {
	layer   *Layer
	derived *Layer
	tables  []*catalog.Table
	ids     map[string]bool   // section/id
	names   map[string]string // full name -> the layer's name of a table
	base    map[string]string // full name -> the table's name without its marks
}

// countries are those that manifests have tables of.
func (d *drafter) countries(tables []catalog.Table) {
	codes := map[string]string{}
	for i := range tables {
		t := &tables[i]
		before, after, ok := strings.Cut(layerName(t), CIDPlaceholder)
		name := catalog.Name{Schema: t.Name.Schema, Table: t.Name.Table}.String()
		if !ok || t.Country == "" || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) || len(name) <= len(before)+len(after) {
			continue
		}
		codes[t.Country] = name[len(before) : len(name)-len(after)]
	}
	for _, code := range sortedKeys(codes) {
		d.layer.Countries = append(d.layer.Countries, Country{Code: code, CID: codes[code], Names: Text{EN: code}})
	}
}

var severalMarks = regexp.MustCompile(`__+`)

// id makes an unused id of words; of is the table that tells it from another of
// that name. No id has "__": that would say that it is the other in another table.
func (d *drafter) id(section string, words []string, of string) string {
	if strings.ContainsFunc(strings.Join(words, ""), func(r rune) bool { return r > unicode.MaxASCII && !isIDHan(r) }) {
		words = []string{d.numbered(section)} // no id has such letters
	}
	id := strings.Map(func(r rune) rune {
		if r == ' ' {
			return '_'
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || isIDHan(r) {
			return r
		}
		return -1
	}, strings.ToLower(strings.Join(words, "_")))
	id = severalMarks.ReplaceAllString(id, "_")
	if !idForm.MatchString(id) {
		id = "x" + strings.TrimLeft(id, "_")
	}
	if !d.ids[section+id] {
		d.ids[section+id] = true
		return id
	}
	return d.id(section, append([]string{of}, words...), of+" 2")
}

// isIDHan reports a Chinese character that ids may have.
func isIDHan(r rune) bool { return r >= '一' && r <= '鿿' }

// numbered is the next id of a section for a name in letters that ids do not have.
func (d *drafter) numbered(section string) string {
	for n := 1; ; n++ {
		if id := fmt.Sprintf("%s_%d", Singular(section), n); !d.ids[section+id] {
			return id
		}
	}
}

func (d *drafter) entity(t *catalog.Table, e *Entity) {
	if len(e.Key) != 1 || len(e.Label) == 0 && t.Layer != "dim" {
		return
	}
	words := strings.Fields(e.Names.EN)
	if len(words) == 0 {
		return
	}
	words[len(words)-1] = Singular(words[len(words)-1])
	d.layer.Entities = append(d.layer.Entities, Entity{
		ID: d.id("entities", words, d.base[e.Table]), Names: inTheirLanguage(Text{EN: strings.Join(words, " "), ZH: e.Names.ZH}),
		Table: layerName(t), Key: e.Key, Label: e.Label, Mart: t.Mart,
	})
}

// dimension drafts what rows are split by and filtered on.
func (d *drafter) dimension(x *Dimension) {
	if x.Role != RoleCategory && x.Role != RoleLabel || !IsText(x.Type) && !strings.EqualFold(x.Type, "boolean") {
		return
	}
	out := Dimension{
		Names: inTheirLanguage(x.Names), Synonyms: x.Synonyms, Description: x.Description, Table: d.names[x.Table], Expr: columnExpr(x.Expr), Role: x.Role, Mart: x.Mart,
	}
	if d.personal(x) {
		return
	}
	out.ID = d.id("dimensions", []string{x.Expr}, d.base[x.Table])
	if out.ID == strings.ToLower(x.Expr) && plainName(x.Expr) {
		out.Expr = ""
	}
	if x.Complete && len(x.Values) <= maxDraftValues && x.Role == RoleCategory {
		out.Values = slices.DeleteFunc(slices.Clone(x.Values), func(v Value) bool { return strings.TrimSpace(v.Value) == "" })
	}
	d.layer.Dimensions = append(d.layer.Dimensions, out)
}

// personal reports whether a dimension holds data of persons.
func (d *drafter) personal(x *Dimension) bool {
	return slices.ContainsFunc(d.tables, func(t *catalog.Table) bool { return t.Name.String() == x.Table && personalColumn(t, x.Expr) })
}

// joins drafts those that repeat no row.
func (d *drafter) joins() {
	seen := map[string]bool{}
	for _, j := range d.derived.Joins {
		from, to := d.names[j.From], d.names[j.To]
		if j.Cardinality == OneToMany {
			from, to, j.Columns, j.ToColumns, j.Cardinality = to, from, j.ToColumns, j.Columns, ManyToOne
		}
		key := columnsKey(from, j.Columns, to, j.ToColumns)
		if j.Cardinality == ManyToMany || seen[key] {
			continue
		}
		seen[key] = true
		d.layer.Joins = append(d.layer.Joins, Join{From: from, Columns: j.Columns, To: to, ToColumns: j.ToColumns, Cardinality: j.Cardinality})
	}
	d.roles()
}

// roles names the joins of which several lead from one table to another by the columns
// that they start from: home and away team of home_team_id and away_team_id.
func (d *drafter) roles() {
	joins, ways := d.layer.Joins, map[[2]string]int{}
	for _, j := range joins {
		ways[[2]string{j.From, j.To}]++
	}
	taken := map[string]bool{}
	for i := range joins {
		j := &joins[i]
		if ways[[2]string{j.From, j.To}] < 2 {
			continue
		}
		words := Words(strings.Join(j.Columns, " "))
		for len(words) > 1 && slices.Contains(keyWords, last(words)) {
			words = words[:len(words)-1]
		}
		j.Role = d.id("roles/"+j.From, words, d.baseOf(j.From))
		if !taken[j.Role] {
			j.Names = inTheirLanguage(Text{EN: strings.Join(words, " ")})
			taken[j.Role] = true
		}
	}
}

// baseOf is a table's own name, as the layer calls it.
func (d *drafter) baseOf(table string) string { return table[strings.LastIndexByte(table, '.')+1:] }

// plainName reports whether a column can be written without quotes.
func plainName(column string) bool {
	x, err := ParseExpr(column)
	if err != nil || x == nil {
		return false
	}
	return idForm.MatchString(strings.ToLower(column))
}

// isHanName reports a name of Chinese characters and nothing else: a word, as 金额 is.
func isHanName(column string) bool {
	return column != "" && !strings.ContainsFunc(column, func(r rune) bool { return !unicode.Is(unicode.Han, r) })
}

// columnExpr is a column as an expression.
func columnExpr(column string) string {
	if plainName(column) {
		return column
	}
	return printer.Quote(column)
}

// inTheirLanguage gives a name of Chinese characters to the language that it is in.
func inTheirLanguage(names Text) Text {
	if hasHan(names.EN) {
		return Text{ZH: cmp.Or(names.ZH, names.EN)}
	}
	return names
}

// metrics drafts the numbers of a table.
func (d *drafter) metrics(t *catalog.Table) {
	table, time, grain := layerName(t), timeOf(t), ""
	timeExpr := ""
	if col, ok := t.Column(time); ok {
		grain = grainOf(&col)
		timeExpr = columnExpr(time)
	}
	key := keyColumns(t, t.Name.Table)
	for i := range t.Columns {
		c := &t.Columns[i]
		words := Words(c.Name)
		role := roleOf(t, c, words, key)
		if !plainName(c.Name) && !isHanName(c.Name) || !d.read(t, c) {
			continue
		}
		m := Metric{Synonyms: nil, Description: commentText(c.Comment), Table: table, Time: timeExpr, Grain: grain, Mart: t.Mart}
		m.Names, m.Synonyms = displayNames(words, c.Comment)
		switch of := numberOf(t, c, words); {
		case c.Personal != nil || role == RoleMeasure && (of == noFigure || of == unclear):
			continue
		case role == RoleMeasure && of == averaged:
			m.Expr, m.Additivity, m.Unit = averageOf(c), NonAdditive, c.Unit
			m.Names.EN = "average " + m.Names.EN
			if isHanName(c.Name) {
				m.Names, words = Text{ZH: "平均" + c.Name}, []string{"平均" + c.Name}
				break
			}
			words = append([]string{"average"}, words...)
		case role == RoleMeasure:
			m.Expr, m.Unit = fmt.Sprintf("SUM(%s)", columnExpr(c.Name)), cmp.Or(c.Unit, unitOf(words))
		case role == RoleKey && time != "" && len(words) > 1 && last(words) == "id" && !slices.Contains(key, c.Name) && !refers(t, c.Name):
			m.Type, m.Distinct = DistinctCount, c.Name // different buyers of buyer_id
			words = append(slices.Clone(words[:len(words)-2]), words[len(words)-2]+"s")
			m.Names, m.Synonyms, m.Description = Text{EN: strings.Join(words, " ")}, nil, Text{}
			m.Unit = last(words)
		default:
			continue
		}
		if (m.Type == Simple || m.Type == "") && !isHanName(c.Name) {
			words = append(slices.Clone(words[:len(words)-len(Words(c.Name))]), c.Name)
		}
		m.Names = inTheirLanguage(m.Names)
		m.ID = d.id("metrics", words, d.base[t.Name.String()])
		d.layer.Metrics = append(d.layer.Metrics, m)
	}
}

// averageOf is the average of a column. Presto rounds that of decimals to their places.
func averageOf(c *catalog.Column) string {
	if strings.HasPrefix(strings.ToLower(c.Type), "decimal") {
		return fmt.Sprintf("AVG(CAST(%s AS double))", columnExpr(c.Name))
	}
	return fmt.Sprintf("AVG(%s)", columnExpr(c.Name))
}

// refers reports whether a column points to another table. What it names has a table
// of its own then, which has those too that no row here speaks of: the number of
// members is not the number of members in visits.
func refers(t *catalog.Table, column string) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(k catalog.ForeignKey) bool {
		return len(k.Columns) == 1 && strings.EqualFold(k.Columns[0], column)
	})
}

// Left are the numbers, as schema.table.column, of which no draft has a metric.
type Left struct {
	// Quoted would have to be quoted. Such names are those of a heading, as "Unit Price", which
	// people use for a single row's value as well: a metric of the name would answer for all of
	// them.
	Quoted []string
	// Unclear may add up or not: nothing tells whether a "temp" is one.
	Unclear []string
}

// NotDrafted are the numbers of which somebody who knows what they mean has to write the
// metrics.
func NotDrafted(tables []catalog.Table) Left {
	var out Left
	for i := range tables {
		t := &tables[i]
		for j := range t.Columns {
			c := &t.Columns[j]
			if !IsNumber(c.Type) || c.PrimaryKey || c.Personal != nil || refers(t, c.Name) {
				continue
			}
			name := catalog.Name{Schema: t.Name.Schema, Table: t.Name.Table}.String() + "." + c.Name
			words := Words(c.Name)
			switch {
			case !plainName(c.Name) && !isHanName(c.Name):
				out.Quoted = append(out.Quoted, name)
			case roleOf(t, c, words, keyColumns(t, t.Name.Table)) == RoleMeasure && numberOf(t, c, words) == unclear:
				out.Unclear = append(out.Unclear, name)
			}
		}
	}
	return out
}

// read reports whether the history reads a column; without a history all are.
func (d *drafter) read(t *catalog.Table, c *catalog.Column) bool {
	if t.Usage == nil || len(t.Usage.Columns) == 0 {
		return true
	}
	return slices.ContainsFunc(t.Usage.Columns, func(u catalog.ColumnUse) bool { return strings.EqualFold(u.Column, c.Name) })
}

// headers dates the metrics of tables without a day by the table whose parts their rows
// are: the lines of an order by the day of the order. Another table that rows point to says
// nothing of when they were: the day on which a product was made is not that of its sale.
func (d *drafter) headers() {
	dated := map[string]*Metric{} // by table: the metric's fields of time, empty where there is none
	for i := range d.layer.Metrics {
		m := &d.layer.Metrics[i]
		if m.Time != "" {
			continue
		}
		found, looked := dated[m.Table]
		if !looked {
			found = d.headerOf(m.Table)
			dated[m.Table] = found
		}
		if found != nil {
			m.Time, m.TimeTable, m.Grain = found.Time, found.TimeTable, found.Grain
		}
	}
}

// headerOf returns the time of the one table with a day whose parts the rows of a table
// are, as the fields of a metric; nil: there is none, or more than one.
func (d *drafter) headerOf(table string) *Metric {
	part := d.tableOf(table)
	var out *Metric
	for _, j := range d.layer.Joins {
		header := d.tableOf(j.To)
		if j.From != table || part == nil || header == nil || header == part || !isPartOf(part, header, j.Columns) {
			continue
		}
		col, ok := header.Column(timeOf(header))
		if !ok {
			continue
		}
		if _, one := d.layer.Path(table, j.To, ""); out != nil || !one {
			return nil
		}
		out = &Metric{Time: columnExpr(col.Name), TimeTable: j.To, Grain: grainOf(&col)}
	}
	return out
}

// tableOf is a drafted table by the layer's name of it; nil: it is not drafted.
func (d *drafter) tableOf(name string) *catalog.Table {
	for _, t := range d.tables {
		if d.names[t.Name.String()] == name {
			return t
		}
	}
	return nil
}

// isPartOf reports whether the rows of a table are parts of those of another that columns
// of it point to: the columns are in its key beside others, or its name begins with what the
// other's rows are called, as order_lines with orders.
func isPartOf(part, header *catalog.Table, columns []string) bool {
	key := part.PrimaryKey()
	if len(key) > len(columns) && !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(key, c) }) {
		others := slices.DeleteFunc(slices.Clone(key), func(c string) bool { return slices.Contains(columns, c) })
		return !slices.ContainsFunc(others, func(c string) bool { return refers(part, c) }) // else it is a bridge
	}
	own, of := Words(part.Name.Table), Words(header.Name.Table)
	if len(own) == 0 || len(of) == 0 {
		return false
	}
	of[len(of)-1] = Singular(of[len(of)-1])
	return len(own) > len(of) && (slices.Equal(own[:len(of)], of) || slices.Equal(own[:len(of)], Words(header.Name.Table)))
}

// dates drafts the columns of time of a table that has several and dates a metric, so that
// questions may name them: what was ordered in May was delivered later.
func (d *drafter) dates(t *catalog.Table) {
	table := layerName(t)
	if !slices.ContainsFunc(d.layer.Metrics, func(m Metric) bool { return m.Table == table || m.TimeTable == table }) {
		return
	}
	var columns []*catalog.Column
	for i := range t.Columns {
		if c := &t.Columns[i]; IsTime(c.Type) && c.Personal == nil && plainName(c.Name) {
			columns = append(columns, c)
		}
	}
	if len(columns) < 2 {
		return
	}
	for _, c := range columns {
		out := DateColumn{ID: d.id("dates", []string{c.Name}, d.base[t.Name.String()]), Table: table, Grain: grainOf(c)}
		if out.ID != strings.ToLower(c.Name) {
			out.Expr = columnExpr(c.Name)
		}
		words := Words(c.Name)
		out.Names, out.Synonyms = displayNames(words, c.Comment)
		out.Names = inTheirLanguage(out.Names)
		if n := len(words) - 1; n > 0 && slices.Contains(dateEnds, words[n]) {
			// The shipped date, and the shipped month, of shipped_at; "shipped" is the verb that
			// questions say, unless it is a value as well.
			verb := strings.Join(words[:n], " ")
			out.Synonyms = append(out.Synonyms, strings.Join(words, " "))
			if !d.isValue(verb) {
				out.Synonyms = append(out.Synonyms, verb)
			}
			out.Names.EN = verb + " date"
		}
		d.layer.Dates = append(d.layer.Dates, out)
	}
}

// dateEnds stand behind a verb in the names of columns of time.
var dateEnds = []string{"at", "on"}

// isValue reports whether a drafted dimension has a value of a name.
func (d *drafter) isValue(name string) bool {
	return slices.ContainsFunc(d.layer.Dimensions, func(x Dimension) bool {
		return slices.ContainsFunc(x.Values, func(v Value) bool { return strings.EqualFold(v.Value, name) })
	})
}

// grainOf is the time that the values of a column stand for.
func grainOf(c *catalog.Column) string {
	if strings.HasPrefix(strings.ToLower(c.Type), "timestamp") {
		return "none"
	}
	return "day"
}

// oftenMissing is the share of rows without a value from which a column of time does not
// date a table's rows where another can: they would be in no answer about a time.
const oftenMissing = 0.05

// timeOf is the column that dates a table's rows: its partition where that is a
// date, else its first date, else its first timestamp, one that rows often lack last.
func timeOf(t *catalog.Table) string {
	const lacking = 10 // below all that rows have
	best, rank := "", -lacking
	for _, c := range t.Columns {
		r := -lacking
		switch low := strings.ToLower(c.Type); {
		case low == "date" && c.Partition:
			r = 3
		case low == "date":
			r = 2
		case IsTime(c.Type):
			r = 1
		}
		if c.Personal != nil {
			r = -lacking // a day of birth dates nobody's orders
		} else if float64(c.Missing) > oftenMissing*float64(t.RowCount) && r > 0 {
			r -= lacking
		}
		if r > rank {
			best, rank = c.Name, r
		}
	}
	return best
}
