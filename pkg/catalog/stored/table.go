package stored

import "github.com/dibrain/dibrain/pkg/catalog"

// AppendTable appends a table by itself, not packed and without a checksum, for
// notes that a program makes for itself while it works.
func AppendTable(to []byte, t *catalog.Table) []byte {
	e := encoder{records: to}
	e.table(t)
	return e.records
}

// CutTable reads a table from the beginning of what AppendTable appended, and
// returns what follows it. The error wraps ErrDamaged.
func CutTable(from []byte) (catalog.Table, []byte, error) {
	d := decoder{rest: from, plain: true, version: Version}
	var t catalog.Table
	d.table(&t)
	return t, d.rest, d.err
}
