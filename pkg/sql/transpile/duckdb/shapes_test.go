package duckdb_test

import (
	"flag"
	"testing"
)

// shapeAnswers are statements about arrays, maps, rows, lambdas, UNNEST, joins,
// subqueries, set operations, grouping, aggregates and windows with the answers of
// a real Trino 476, errors by name. A third of them were put together at random.
var shapeAnswers = flag.String("shapes", "testdata/conformance/shapes.jsonl", "recorded answers to compare with")

// minShapesSame is the share of the recorded answers that the embedded engine
// gives; the rest are refused by name.
const minShapesSame = 0.97

func TestShapes(t *testing.T) {
	t.Parallel()
	compareRecorded(t, *shapeAnswers, minShapesSame)
}

// wideAnswers are statements as people write them, several constructs in each,
// with the answers of a real Trino 476, errors by name.
var wideAnswers = flag.String("wide", "testdata/conformance/wide.jsonl", "recorded answers to compare with")

const minWideSame = 0.99

func TestWide(t *testing.T) {
	t.Parallel()
	compareRecorded(t, *wideAnswers, minWideSame)
}

// everydayAnswers are statements of the kinds that analysts write, with those that
// random joins, groupings and windows made over the same tables, and what depends
// on the order of a map, which is refused.
var everydayAnswers = flag.String("everyday", "testdata/conformance/everyday.jsonl", "recorded answers to compare with")

const minEverydaySame = 0.9

func TestEveryday(t *testing.T) {
	t.Parallel()
	compareRecorded(t, *everydayAnswers, minEverydaySame)
}
