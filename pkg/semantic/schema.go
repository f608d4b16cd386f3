package semantic

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON schema of one file of a layer, for editors. What it
// cannot say (that a column exists, that metrics make no cycle) Check does.
func Schema() []byte { return append([]byte(nil), schema...) }
