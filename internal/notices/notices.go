// Package notices has what the binary owes to others: the notices of all modules that
// are linked into it, of the C++ libraries inside of DuckDB, and of the data that is
// embedded; and the same list as a bill of materials (CycloneDX).
//
// Both files are made by the command in make; `go generate ./internal/notices` remakes
// them, and a test holds that they are those of go.mod.
package notices

import _ "embed"

//go:generate go run ./make

// Text is the notices, for people.
//
//go:embed THIRD_PARTY_NOTICES.txt
var Text string

// SBOM is the bill of materials, CycloneDX 1.6 in JSON.
//
//go:embed sbom.cdx.json
var SBOM string
