package tree

// Null is NULL.
type Null struct{ Meta }

// Bool is TRUE or FALSE.
type Bool struct {
	Meta
	Value bool
}

// Number is a numeric literal: 12 is an integer, 1.5 a decimal, 1e0 a double.
type Number struct {
	Meta
	// Text is decimal, without underscores: 1_000 is "1000", 0xFF is "255". The
	// text as written is that of the Span.
	Text string
}

// String is a varchar literal.
type String struct {
	Meta
	Value string // quotes undone
}

// Bytes is a varbinary literal X'..'.
type Bytes struct {
	Meta
	Hex string // hex digits without blanks
}

// Typed is a literal with a type's name: DATE '2024-01-31', DECIMAL '1.10'.
type Typed struct {
	Meta
	Type  string // lower case: "date", "timestamp", "double precision"
	Value string
}

// Interval is INTERVAL '1' DAY, INTERVAL '1-3' YEAR TO MONTH.
type Interval struct {
	Meta
	Negative bool
	Value    string
	From, To string // upper case; To may be empty
}

// Param is a question mark.
type Param struct{ Meta }

func (*Null) expr()     {}
func (*Bool) expr()     {}
func (*Number) expr()   {}
func (*String) expr()   {}
func (*Bytes) expr()    {}
func (*Typed) expr()    {}
func (*Interval) expr() {}
func (*Param) expr()    {}
