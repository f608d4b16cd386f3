// Package types holds Presto's types: as values that can be compared, read from
// and written as Presto's own text.
package types

// Type is a Presto type. The zero value is Unknown: nothing is known about it.
type Type struct {
	// Base is the lower-case name: "bigint", "decimal", "timestamp with time zone".
	Base string
	// Precision of decimal, timestamp and time; length of varchar and char (-1:
	// unbounded).
	Precision int
	Scale     int      // of decimal
	Args      []Type   // element of array; key and value of map; fields of row; arguments and result of function
	Names     []string // of a row's fields; empty strings for unnamed ones
}
