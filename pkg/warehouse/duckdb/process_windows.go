package duckdb

// Processes returns the Launcher within this process: a socket cannot be inherited
// here. Statements keep DuckDB's own limits.
func Processes(string) Launcher { return InProcess() }
