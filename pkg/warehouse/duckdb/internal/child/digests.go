package child

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"math"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/sketch"
)

// checksumFunction takes a list of values.
func checksumFunction(of duck.Type, call listFunction) func() (duck.ScalarFunc, error) {
	return func() (duck.ScalarFunc, error) {
		_, values, err := listOf(of)
		if err != nil {
			return nil, err
		}
		bytes, _, err := listOf(duck.TYPE_BLOB)
		if err != nil {
			return nil, err
		}
		return newSketch(call, bytes, values), nil
	}
}

// checksumPrime is what Trino multiplies hashes with, and its hash of null.
const checksumPrime = 0x9E3779B185EBCA87

// checksum adds up the hashes of a list's values, whatever their order.
func checksum[T any](hash func(T) uint64) listFunction {
	return func(ctx context.Context, args []driver.Value) (any, error) {
		values, ok := args[0].([]any)
		if !ok {
			return nil, errors.New("PRESTO GENERIC_INTERNAL_ERROR: checksum of something else")
		}
		var sum uint64
		err := each(ctx, values, func(v any) error {
			if x, ok := v.(T); ok {
				sum += hash(x) * checksumPrime
			} else {
				sum += checksumPrime
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return binary.LittleEndian.AppendUint64(nil, sum), nil
	}
}

// maxBuckets bounds the buckets of numeric_histogram, whose time grows with them.
const maxBuckets = 10_000

// histogram takes a number of buckets, values and their weights, and gives the
// value and the weight of each bucket in turn.
func histogram(ctx context.Context, args []driver.Value) (any, error) {
	limit, ok := args[0].(int64)
	if !ok || limit < 2 || limit > maxBuckets {
		return nil, errors.New("PRESTO INVALID_FUNCTION_ARGUMENT: numeric_histogram must have from 2 to 10000 buckets")
	}
	lists := make([][]float64, 2)
	for i, a := range args[1:] {
		values, _ := a.([]any)
		lists[i] = make([]float64, 0, min(len(values), maxListed))
		err := each(ctx, values, func(v any) error {
			x, ok := v.(float64)
			if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
				return errors.New("PRESTO NOT_SUPPORTED: numeric_histogram of other than finite numbers is not supported on the embedded engine")
			}
			lists[i] = append(lists[i], x)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(lists[0]) != len(lists[1]) {
		return nil, errors.New("PRESTO GENERIC_INTERNAL_ERROR: numeric_histogram of values without weights")
	}
	out := []any{}
	for _, b := range sketch.Histogram(lists[0], lists[1], int(limit)) {
		out = append(out, b.Value, b.Weight)
	}
	return out, nil
}
