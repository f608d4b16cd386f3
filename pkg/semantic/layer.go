// Package semantic holds the semantic layer: what a mart's numbers and words
// mean, and which table, expression and join stands for each. A layer is written
// by hand as YAML (Load), or derived from a catalog (Derive).
// Whoever turns a question into SQL takes ids from a layer and never invents one.
//
// # Format
//
// A folder holds any number of *.yaml files, and one folder a mart with more;
// together they are one layer. All sections are optional, lists may be spread over
// files, ids are unique per section over all files. testdata/full/order.yaml is a
// complete example, schema.json the form for editors; docs/semantic-layer.md tells
// people.
//
//	mart: Order                      # of everything in this file
//	countries:                       # what {cid} may be
//	  - {code: SG, cid: sg, names: {en: Singapore, zh: 新加坡}, synonyms: [SGP]}
//	entities:                        # things that rows stand for
//	  - id: seller
//	    names: {en: seller, zh: 卖家}
//	    synonyms: [shop, merchant, 店铺]
//	    table: mp_user.dim_seller__{cid}_s0_live
//	    key: [seller_id]
//	    label: seller_name           # column that names one of them, or a list: [first_name, last_name]
//	dimensions:
//	  - id: category
//	    names: {en: category, zh: 类目}
//	    table: mp_order.dwd_order_item_di__{cid}_s0_live
//	    expr: level1_category        # column or Presto expression
//	    role: category               # key label category time measure text
//	    via: mp_user.dim_buyer       # table on the way to it, or role of a join, where several ways lead there
//	    state: true                  # goes on changing after the day of the row, as an order's status does
//	    values:
//	      - {value: Mobile, synonyms: [phones, 手机]}
//	metrics:
//	  - id: gmv
//	    names: {en: GMV, zh: 成交总额}
//	    synonyms: [gross merchandise value, 交易额]
//	    description: {en: Value of placed orders., zh: 下单金额。}
//	    table: mp_order.dws_seller_gmv_1d__{cid}_s0_live
//	    type: simple                 # simple distinct_count ratio derived cumulative
//	    expr: SUM(gmv_usd)           # aggregate expression over that table
//	    unit: USD
//	    time: grass_date             # column that dates are compared with
//	    time_table: mp_order.orders  # table of that column, where it is another
//	    grain: day                   # of the table's rows in time: none hour day week month
//	    additivity: additive         # additive semi_additive non_additive
//	    better: high                 # high or low: what "best" and "worst" mean; empty: neither
//	    default_filters: ["tz_type = 'local'"]
//	filters:                         # named conditions: "completed orders"
//	  - {id: completed, names: {en: completed, zh: 已完成}, table: ..., expr: "order_status = 4"}
//	exclusions:                      # named conditions that are left out: "without test sellers"
//	  - {id: no_test, names: {en: without test sellers}, table: ..., expr: "is_test = 0"}
//	joins:
//	  - from: mp_order.dwd_order_item_di__{cid}_s0_live
//	    columns: [seller_id]
//	    to: mp_user.dim_seller__{cid}_s0_live
//	    to_columns: [seller_id]
//	    cardinality: many_to_one     # many_to_one one_to_one one_to_many many_to_many
//	    role: seller                 # what the one row is to the other, where several joins lead to a table
//	    names: {en: seller, zh: 卖家}  # words of the role
//	dates:                           # other columns that date rows, which questions name
//	  - {id: shipped, names: {en: shipping date, zh: 发货日期}, synonyms: [shipped, 发货], table: ..., expr: ship_date}
//	time: {week_start: monday, fiscal_offset_months: 0}
//	glossary:
//	  - {id: mall, names: {en: mall, zh: 商城}, text: {en: Shops of brands., zh: 品牌官方店铺。}}
//	examples:
//	  - {id: yesterday, question: {en: ...}, sql: SELECT ...}
//	rules:
//	  - {id: local_time, text: {en: Days are local days., zh: 日期为当地日期。}}
//
// A table is a manifest name, schema.table with the country as {cid}, without
// the idc_region: that follows from where the tables of the asked country are.
// Tables of one name in several idc_regions are read together, each with its own
// countries; a name with the idc_region in front means that one alone. How the
// types of metrics are computed is told at MetricType, what a level is over time at
// OverTime.
package semantic

// Layer is a whole semantic layer. It is a value that nobody changes after it
// was made.
type Layer struct {
	Countries  []Country    `yaml:"countries,omitempty" json:"countries,omitempty"`
	Entities   []Entity     `yaml:"entities,omitempty" json:"entities,omitempty"`
	Dimensions []Dimension  `yaml:"dimensions,omitempty" json:"dimensions,omitempty"`
	Metrics    []Metric     `yaml:"metrics,omitempty" json:"metrics,omitempty"`
	Filters    []Filter     `yaml:"filters,omitempty" json:"filters,omitempty"`
	Exclusions []Filter     `yaml:"exclusions,omitempty" json:"exclusions,omitempty"`
	Joins      []Join       `yaml:"joins,omitempty" json:"joins,omitempty"`
	Dates      []DateColumn `yaml:"dates,omitempty" json:"dates,omitempty"`
	Time       Calendar     `yaml:"time,omitempty,flow" json:"time"`
	Rules      []Rule       `yaml:"rules,omitempty" json:"rules,omitempty"`
	Glossary   []Term       `yaml:"glossary,omitempty" json:"glossary,omitempty"`
	Examples   []Example    `yaml:"examples,omitempty" json:"examples,omitempty"`
}

// Text is a text in the product's two languages; either may be empty.
type Text struct {
	EN string `yaml:"en,omitempty" json:"en,omitempty"`
	ZH string `yaml:"zh,omitempty" json:"zh,omitempty"`
}

// Country is a value of {cid} in table names.
type Country struct {
	Code     string   `yaml:"code,omitempty" json:"code"` // as in catalog.Table.Country: "SG"
	CID      string   `yaml:"cid,omitempty" json:"cid"`   // as in table names: "sg"
	Names    Text     `yaml:"names,omitempty,flow" json:"names"`
	Synonyms []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
}

// Entity is a thing that the rows of a table stand for.
type Entity struct {
	ID       string   `yaml:"id,omitempty" json:"id"`
	Names    Text     `yaml:"names,omitempty,flow" json:"names"`
	Synonyms []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
	Table    string   `yaml:"table,omitempty" json:"table"`
	Key      []string `yaml:"key,omitempty,flow" json:"key,omitempty"`
	Label    Label    `yaml:"label,omitempty,flow" json:"label,omitempty"`
	// Via is the role or the table over which the entity is reached, as of a dimension.
	Via  string `yaml:"via,omitempty" json:"via,omitempty"`
	Mart string `yaml:"mart,omitempty" json:"mart,omitempty"`
	// RoleOf is the id of the entity that this one is by the role Via; see WithRoles.
	RoleOf string `yaml:"-" json:"-"`
	// Derived marks what was read off a catalog, not written by a person.
	Derived bool `yaml:"-" json:"derived,omitempty"`
}

// Role says what a dimension is good for.
type Role string

// Roles of dimensions.
const (
	RoleKey      Role = "key"      // identifies rows
	RoleLabel    Role = "label"    // names rows
	RoleCategory Role = "category" // groups rows
	RoleTime     Role = "time"     // dates rows
	RoleMeasure  Role = "measure"  // a number that is summed, averaged, compared
	RoleText     Role = "text"     // anything else
)

// Dimension is a column or an expression of a table that questions name, group
// by and filter on. In a derived layer every column is one.
type Dimension struct {
	ID          string   `yaml:"id,omitempty" json:"id"`
	Names       Text     `yaml:"names,omitempty,flow" json:"names"`
	Synonyms    []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
	Description Text     `yaml:"description,omitempty,flow" json:"description,omitzero"`
	Table       string   `yaml:"table,omitempty" json:"table"`
	Expr        string   `yaml:"expr,omitempty" json:"expr"` // empty: a column named as the id
	Role        Role     `yaml:"role,omitempty" json:"role"` // empty: category
	Values      []Value  `yaml:"values,omitempty" json:"values,omitempty"`
	// Hierarchy names coarser dimensions, nearest first: city -> [state, country].
	Hierarchy []string `yaml:"hierarchy,omitempty,flow" json:"hierarchy,omitempty"`
	// Via is a table, or the role of a join, over which the dimension is reached where
	// several ways lead to its table: the country of a customer, or of a store.
	Via string `yaml:"via,omitempty" json:"via,omitempty"`
	// RoleOf is the id of the dimension that this one is by the role Via; see WithRoles.
	RoleOf string `yaml:"-" json:"-"`
	Mart   string `yaml:"mart,omitempty" json:"mart,omitempty"`
	// State marks what a row has come to by now and may still change, such as the status
	// of an order: newer rows differ in it from older ones by their age alone, so that no
	// change over time is put down to it.
	State bool `yaml:"state,omitempty" json:"state,omitempty"`
	// Type is the Presto type, known for derived dimensions.
	Type    string `yaml:"-" json:"type,omitempty"`
	Derived bool   `yaml:"-" json:"derived,omitempty"`
	// Complete tells that Values holds every stored value.
	Complete bool `yaml:"-" json:"complete,omitempty"`
	// Elapsed makes a derived dimension how long it is between two others of its table;
	// Expr is then the name of its unit.
	Elapsed *Elapsed `yaml:"-" json:"-"`
}

// Elapsed is the time from one dimension to another, by their ids, in a unit: seconds,
// minutes, hours, days, weeks, months, years.
type Elapsed struct{ From, To, Unit string }

// Value is a stored value and the words that people use for it.
type Value struct {
	Value    string   `yaml:"value,omitempty" json:"value"`
	Synonyms []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
}

// Filter is a named condition over a table.
type Filter struct {
	ID          string   `yaml:"id,omitempty" json:"id"`
	Names       Text     `yaml:"names,omitempty,flow" json:"names"`
	Synonyms    []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
	Description Text     `yaml:"description,omitempty,flow" json:"description,omitzero"`
	Table       string   `yaml:"table,omitempty" json:"table"`
	Expr        string   `yaml:"expr,omitempty" json:"expr"`
	// Via is the role or the table over which Table is reached, as of a dimension.
	Via  string `yaml:"via,omitempty" json:"via,omitempty"`
	Mart string `yaml:"mart,omitempty" json:"mart,omitempty"`
}

// Cardinality of a join, from its From side to its To side.
type Cardinality string

// Cardinalities.
const (
	ManyToOne  Cardinality = "many_to_one"
	OneToOne   Cardinality = "one_to_one"
	OneToMany  Cardinality = "one_to_many"
	ManyToMany Cardinality = "many_to_many"
)

// Join says how two tables meet.
type Join struct {
	From        string      `yaml:"from,omitempty" json:"from"`
	Columns     []string    `yaml:"columns,omitempty,flow" json:"columns"`
	To          string      `yaml:"to,omitempty" json:"to"`
	ToColumns   []string    `yaml:"to_columns,omitempty,flow" json:"to_columns"`
	Cardinality Cardinality `yaml:"cardinality,omitempty" json:"cardinality"` // empty: many_to_one
	// Role is what the row found is to the row that finds it, where several joins lead
	// to one table: the home and the away team of a match. Names are its words.
	Role     string   `yaml:"role,omitempty" json:"role,omitempty"`
	Names    Text     `yaml:"names,omitempty,flow" json:"names,omitzero"`
	Synonyms []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
	// Declared marks written and foreign-key joins; the others are guesses by
	// names and cost more in a join path.
	Declared bool `yaml:"-" json:"declared,omitempty"`
	// Uses counts the queries of the history that joined so; 0 where none is known.
	Uses int64 `yaml:"-" json:"uses,omitempty"`
}

// Calendar says how time is cut.
type Calendar struct {
	WeekStart          string `yaml:"week_start,omitempty" json:"week_start,omitempty"` // empty: monday
	FiscalOffsetMonths int    `yaml:"fiscal_offset_months,omitempty" json:"fiscal_offset_months,omitempty"`
}

// Rule is a sentence that answers should respect, and that is shown.
type Rule struct {
	ID   string `yaml:"id,omitempty" json:"id"`
	Text Text   `yaml:"text,omitempty,flow" json:"text"`
	Mart string `yaml:"mart,omitempty" json:"mart,omitempty"`
}

// Term is a word of the business and what it means. It is shown and given to
// models; it stands for no column.
type Term struct {
	ID       string   `yaml:"id,omitempty" json:"id"`
	Names    Text     `yaml:"names,omitempty,flow" json:"names"`
	Synonyms []string `yaml:"synonyms,omitempty,flow" json:"synonyms,omitempty"`
	Text     Text     `yaml:"text,omitempty,flow" json:"text"`
	Mart     string   `yaml:"mart,omitempty" json:"mart,omitempty"`
}

// Example is a question whose SQL a person approved. The question stands in one
// language or both; the SQL is one Presto query over full table names.
type Example struct {
	ID       string `yaml:"id,omitempty" json:"id"`
	Question Text   `yaml:"question,omitempty,flow" json:"question"`
	SQL      string `yaml:"sql,omitempty" json:"sql"`
	Mart     string `yaml:"mart,omitempty" json:"mart,omitempty"`
}
