package duckdb_test

import (
	"flag"
	"testing"
)

// pathAnswers are statements with JSON_EXISTS, JSON_VALUE and JSON_QUERY with the
// answers of a real Trino 476, errors by name.
var pathAnswers = flag.String("paths", "testdata/conformance/jsonpath.jsonl", "recorded answers to compare with")

// minPathsSame is the share of them that the embedded engine gives; the rest, most
// of them mistakes in paths, are refused by name.
const minPathsSame = 0.93

func TestJSONPaths(t *testing.T) {
	t.Parallel()
	compareRecorded(t, *pathAnswers, minPathsSame)
}
