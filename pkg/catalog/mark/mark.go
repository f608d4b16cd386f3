// Package mark reads what the names of a catalog's tables tell by convention: a
// country (_br), a layer (dwd_), a snapshot (_di), a copy (_bak_20240131), a
// shard (_2019), a window (_7d). What is left is the base name, which near twins
// share. Marks are short and double as words ("id", "in", "test"), so most of
// them count only where the catalog proves them: by a twin that differs in
// nothing else, or by use. Which marks there are is data (marks.yaml).
package mark

// Name is what is read of a table. Country, Layer and Manifest are what its
// catalog says outright, and then no mark is looked for; Schema is the place
// within which tables are twins.
type Name struct {
	Schema, Table            string
	Country, Layer, Manifest string
}

// Placeholder stands for the country's code in a manifest name.
const Placeholder = "{cid}"

// Facet is a respect in which twins differ.
type Facet uint8

// Facets that marks tell.
const (
	Country  Facet = iota // ISO 3166 code in upper case
	Layer                 // one of the Layer values
	Snapshot              // one of the Snapshot values
	Copy                  // one of the Copy values
	Window                // as written: "1d", "30d", "td"
	Period                // digits of a shard: "2019", "20240131", "47", "v2"
	Facets                // how many there are
)

// String returns the facet's name in data files and features.
func (f Facet) String() string {
	return [...]string{"country", "layer", "snapshot", "copy", "window", "period", "facets"}[min(f, Facets)]
}

// Values of Layer, from the source to the reader.
const (
	LayerRaw         = "raw"
	LayerDetail      = "detail"
	LayerSummary     = "summary"
	LayerApplication = "application"
	LayerDimension   = "dimension"
)

// Values of Snapshot.
const (
	SnapshotIncrement = "increment"
	SnapshotFull      = "full"
	SnapshotHourly    = "hourly"
	SnapshotRealtime  = "realtime"
	SnapshotHistory   = "history"
	SnapshotWeekly    = "weekly"
	SnapshotMonthly   = "monthly"
)

// Values of Copy. No copy is the empty value.
const (
	CopyBackup    = "backup"
	CopyTemporary = "temporary"
	CopyStaging   = "staging"
	CopyOld       = "old"
	CopyTest      = "test"
)

// Marks are what the name of a table tells: by facet its value, "" for none.
type Marks struct {
	Values [Facets]string
	// Base is the name without what its marks tell, in lower case.
	Base string
	// Stem is the name without the marks of near-identical tables: with its layer,
	// its window and a history of changes, which hold other rows.
	Stem string
	// Text is Base as it is written, for who looks for its words.
	Text string
}

// Of returns the value of a facet, "" for none.
func (m *Marks) Of(f Facet) string { return m.Values[f] }

// Plain reports whether a name has no mark at all.
func (m *Marks) Plain() bool { return m.Values == [Facets]string{} }
