package tree

// Statement is one whole statement.
type Statement struct {
	Meta
	// Kind is what the statement is, in words: "QUERY", "INSERT INTO",
	// "EXPLAIN ANALYZE", "SET SESSION". Only a QUERY has a Query; an EXPLAIN and an
	// EXPLAIN ANALYZE have an Explain; the kinds named below that begin with SHOW
	// have a Show. All others are known by their kind alone.
	Kind    StatementKind
	Query   *Query
	Show    *Show
	Explain *Explain
}

// StatementKind names what a statement does.
type StatementKind string

// Kinds of statements that have a tree, and those that the product answers. All
// others are named by the parser after the grammar's rule.
const (
	// KindQuery is the kind of a statement that only reads.
	KindQuery StatementKind = "QUERY"
	// KindWithFunction and KindWithSession are queries that bring functions or
	// session properties of their own. They have no tree: what such a function
	// does is not looked into.
	KindWithFunction StatementKind = "WITH FUNCTION"
	KindWithSession  StatementKind = "WITH SESSION"

	KindExplain        StatementKind = "EXPLAIN"
	KindExplainAnalyze StatementKind = "EXPLAIN ANALYZE"

	KindShowCatalogs               StatementKind = "SHOW CATALOGS"
	KindShowSchemas                StatementKind = "SHOW SCHEMAS"
	KindShowTables                 StatementKind = "SHOW TABLES"
	KindShowColumns                StatementKind = "SHOW COLUMNS" // also DESCRIBE and DESC
	KindShowFunctions              StatementKind = "SHOW FUNCTIONS"
	KindShowSession                StatementKind = "SHOW SESSION"
	KindShowStats                  StatementKind = "SHOW STATS"
	KindShowStatsForQuery          StatementKind = "SHOW STATS FOR QUERY"
	KindShowCreateTable            StatementKind = "SHOW CREATE TABLE"
	KindShowCreateSchema           StatementKind = "SHOW CREATE SCHEMA"
	KindShowCreateView             StatementKind = "SHOW CREATE VIEW"
	KindShowCreateMaterializedView StatementKind = "SHOW CREATE MATERIALIZED VIEW"
)

// Show is what a SHOW or DESCRIBE statement asks.
type Show struct {
	Meta
	Kind   StatementKind // as the statement's
	Name   *Name         // of the catalog, schema or table; nil: none
	Like   *String       // nil: none
	Escape *String       // of Like; nil: none
	Query  *Query        // SHOW STATS FOR (query)
}

// Explain is EXPLAIN [(option, ...)] statement, or EXPLAIN ANALYZE [VERBOSE]
// statement.
type Explain struct {
	Meta
	Options   []*ExplainOption
	Analyze   bool
	Verbose   bool // of Analyze
	Statement *Statement
}

// ExplainOption is TYPE value or FORMAT value.
type ExplainOption struct {
	Meta
	Name, Value string // upper case: "TYPE", "IO"
}
