package tree

// JSONInput is a value that a JSON function reads: x [FORMAT JSON ...].
type JSONInput struct {
	Meta
	X      Expr
	Format string // "JSON", "JSON ENCODING UTF8", ...; empty: none is written
}

// JSONPath is what JSON_EXISTS, JSON_VALUE, JSON_QUERY and JSON_TABLE begin with:
// the input, the path and the variables that are passed to it.
type JSONPath struct {
	Meta
	Input   *JSONInput
	Path    *String
	Name    *Ident // AS name; nil: none
	Passing []*JSONArgument
}

// JSONArgument is value AS name in PASSING.
type JSONArgument struct {
	Meta
	Value *JSONInput
	Name  *Ident
}

// JSONBehavior says what a JSON function returns where the path finds nothing or
// fails.
type JSONBehavior struct {
	Meta
	Kind    string // "ERROR", "NULL", "DEFAULT", "EMPTY ARRAY", "EMPTY OBJECT"
	Default Expr   // for DEFAULT
}

// JSONExists is JSON_EXISTS(path [behaviour ON ERROR]).
type JSONExists struct {
	Meta
	Path    *JSONPath
	OnError string // "", "TRUE", "FALSE", "UNKNOWN", "ERROR"
}

// JSONValue is JSON_VALUE(path [RETURNING type] [... ON EMPTY] [... ON ERROR]).
type JSONValue struct {
	Meta
	Path             *JSONPath
	Returning        *TypeName // nil: none
	OnEmpty, OnError *JSONBehavior
}

// JSONQuery is JSON_QUERY(path ...).
type JSONQuery struct {
	Meta
	Path             *JSONPath
	Returning        *TypeName // nil: none
	Format           string    // of the result, as in JSONInput
	Wrapper          string    // "", "WITHOUT", "WITHOUT ARRAY", "WITH", "WITH CONDITIONAL ARRAY", ...
	Quotes           string    // "", "KEEP", "OMIT", each also with " ON SCALAR STRING"
	OnEmpty, OnError *JSONBehavior
}

// JSONObject is JSON_OBJECT(key VALUE value, key : value, ...).
type JSONObject struct {
	Meta
	Members   []*JSONMember
	Nulls     string    // "", "NULL", "ABSENT"
	Unique    string    // "", "WITH", "WITHOUT"
	Returning *TypeName // nil: none
	Format    string
}

// JSONMember is a member of JSON_OBJECT.
type JSONMember struct {
	Meta
	Key   Expr
	Value *JSONInput
}

// JSONArray is JSON_ARRAY(value, ...).
type JSONArray struct {
	Meta
	Items     []*JSONInput
	Nulls     string    // "", "NULL", "ABSENT"
	Returning *TypeName // nil: none
	Format    string
}

// JSONTable is JSON_TABLE(path COLUMNS (...) ...).
type JSONTable struct {
	Meta
	Path    *JSONPath
	Columns []*JSONColumn
	Plan    string // text of PLAN ..., empty: none
	OnError string // "", "ERROR", "EMPTY"
}

// JSONColumnKind is a kind of column of JSON_TABLE.
type JSONColumnKind string

// Kinds of columns of JSON_TABLE.
const (
	JSONColumnValue      JSONColumnKind = "VALUE"      // name type [PATH path]
	JSONColumnQuery      JSONColumnKind = "QUERY"      // name type FORMAT JSON [PATH path]
	JSONColumnOrdinality JSONColumnKind = "ORDINALITY" // name FOR ORDINALITY
	JSONColumnNested     JSONColumnKind = "NESTED"     // NESTED PATH path [AS name] COLUMNS (...)
)

// JSONColumn is a column of JSON_TABLE, or nested columns.
type JSONColumn struct {
	Meta
	Kind             JSONColumnKind
	Name             *Ident // of the column, or of a nested path; nil: none
	Type             *TypeName
	Format           string
	Path             *String // nil: made from the name
	Wrapper, Quotes  string  // as in JSONQuery
	OnEmpty, OnError *JSONBehavior
	Columns          []*JSONColumn // nested
}

func (*JSONExists) expr()    {}
func (*JSONValue) expr()     {}
func (*JSONQuery) expr()     {}
func (*JSONObject) expr()    {}
func (*JSONArray) expr()     {}
func (*JSONTable) relation() {}
