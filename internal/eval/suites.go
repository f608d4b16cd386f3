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
		Demo{},
		Own{},
		Tables{},
		Clarify{},
		Use{},
		Routing{},
		Conformance(c),
		Mistakes{},
		Gold{},
		FAQ{},
		LogQL{},
		Charts{},
		Insights{},
		Repairs{},
		Edits{},
		Suggestions{},
	}
}

// suiteWithData is a Suite whose data is in this repository.
type suiteWithData interface {
	// DefaultData is the folder, from the repository's root.
	DefaultData() string
}

// DefaultData returns the folder of a suite's data where none is given; empty:
// one has to be given.
func DefaultData(s Suite) string {
	if with, ok := s.(suiteWithData); ok {
		return with.DefaultData()
	}
	return ""
}
