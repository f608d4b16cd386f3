package eval

// Choice is what a command line says beyond Options, for the suites that it
// concerns.
type Choice struct {
	// Engine runs the statements of suite conformance; empty: "duckdb".
	Engine string
	// Server is the address of the Trino server that runs them; "trino" needs it.
	Server string
}

// Suites lists all suites.
func Suites(c Choice) []Suite {
	return []Suite{
		Text2SQL{},
		Tables{},
		Routing{},
		Conformance(c),
		Mistakes{},
		Gold{},
	}
}
