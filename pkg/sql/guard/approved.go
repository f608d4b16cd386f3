package guard

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Approved is a statement that passed the guard. Its zero value is no approval:
// engines refuse it.
type Approved struct {
	sql        string
	statement  *tree.Statement
	resolution *resolve.Resolution
	asked      *resolve.Resolution
	shown      string
	tables     []catalog.Name
	changes    []Change
	rowLimit   int64
	principal  string
	protected  bool
}

// IsZero reports whether nothing was approved.
func (a Approved) IsZero() bool { return a.statement == nil }

// SQL is the Presto text to run, with the guard's changes, without a semicolon.
// It holds the conditions of the policy: what the asker reads is Shown.
func (a Approved) SQL() string { return a.sql }

// Statement is the tree of SQL.
func (a Approved) Statement() *tree.Statement { return a.statement }

// Resolution tells what the names and types of the statement are.
func (a Approved) Resolution() *resolve.Resolution { return a.resolution }

// Shown is the statement for people: bounded, but with tables in the places where
// SQL has the queries that the policy puts there; Changes says so in words.
func (a Approved) Shown() string { return a.shown }

// Asked is the resolution of Shown, for telling what the statement is about.
func (a Approved) Asked() *resolve.Resolution { return a.asked }

// Protected reports that the policy leaves rows out or replaces values: what an
// engine says about this statement, in plans and in errors, may hold what the
// asker must not see.
func (a Approved) Protected() bool { return a.protected }

// Tables are the stored tables that are read.
func (a Approved) Tables() []catalog.Name { return a.tables }

// Changes are what the guard changed, in order.
func (a Approved) Changes() []Change { return a.changes }

// RowLimit is the number at which the rows of the statement are cut: fewer are all
// that there are. There may be more only by ties, where it says WITH TIES.
func (a Approved) RowLimit() int64 { return a.rowLimit }

// PrincipalID is who it was approved for. Engines refuse to run it for another.
func (a Approved) PrincipalID() string { return a.principal }

// SHA256 is the hash of SQL in hex, for logs and caches.
func (a Approved) SHA256() string {
	sum := sha256.Sum256([]byte(a.sql))
	return hex.EncodeToString(sum[:])
}

// Rules that change statements.
const (
	RuleAnswer    = "metadata"
	RuleRowFilter = "row_filter"
	RuleMask      = "column_mask"
	RuleColumns   = "hidden_columns"
	RuleLimit     = "limit"
)

// Change is something that the guard changed in a statement.
type Change struct {
	Rule    string
	Message string // a sentence for the asker
	// Table is the table that the change is about, where it is about one; Field is
	// the column of it whose values are replaced.
	Table catalog.Name
	Field string
	// Purpose is what the policy says for why, in its own words; may be empty.
	Purpose string
	// Line and Column say where the statement speaks of it, from 1; 0: nowhere.
	Line, Column int
}
