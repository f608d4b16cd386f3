package child

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/sketch"
)

// sketches make the functions by which transpiled SQL computes Presto's
// approximations from lists of values, by name.
func sketches() map[string]func() (duck.ScalarFunc, error) {
	const integer, number, short, text = duck.TYPE_BIGINT, duck.TYPE_DOUBLE, duck.TYPE_FLOAT, duck.TYPE_VARCHAR
	return map[string]func() (duck.ScalarFunc, error){
		"presto_distinct_integers": distinctFunction(integer, distinct(sketch.HashInteger)),
		"presto_distinct_doubles":  distinctFunction(number, distinct(sketch.HashDouble)),
		"presto_distinct_reals":    distinctFunction(short, distinct(sketch.HashReal)),
		"presto_distinct_texts":    distinctFunction(text, distinct(func(s string) uint64 { return sketch.HashBytes([]byte(s)) })),
		"presto_histogram_buckets": func() (duck.ScalarFunc, error) {
			_, doubles, err := listOf(number)
			if err != nil {
				return nil, err
			}
			limit, _, err := listOf(integer)
			if err != nil {
				return nil, err
			}
			return newSketch(histogram, doubles, limit, doubles, doubles), nil
		},
		"presto_checksum_integers": checksumFunction(integer, checksum(sketch.HashInteger)),
		"presto_checksum_doubles":  checksumFunction(number, checksum(sketch.HashDouble)),
		"presto_checksum_texts":    checksumFunction(text, checksum(func(s string) uint64 { return sketch.HashBytes([]byte(s)) })),
		"presto_percentiles":       percentileFunction(false),
		"presto_few_percentiles":   percentileFunction(true),
	}
}

// distinctFunction takes a list of values and the bits of the number of registers.
func distinctFunction(of duck.Type, call listFunction) func() (duck.ScalarFunc, error) {
	return func() (duck.ScalarFunc, error) {
		_, values, err := listOf(of)
		if err != nil {
			return nil, err
		}
		bits, _, err := listOf(duck.TYPE_BIGINT)
		if err != nil {
			return nil, err
		}
		return newSketch(call, bits, values, bits), nil
	}
}

// listOf returns a type, and that of lists of it.
func listOf(t duck.Type) (one, list duck.TypeInfo, err error) {
	if one, err = duck.NewTypeInfo(t); err == nil {
		list, err = duck.NewListInfo(one)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("types of sketches: %w", err)
	}
	return one, list, nil
}

func newSketch(call listFunction, result duck.TypeInfo, args ...duck.TypeInfo) duck.ScalarFunc {
	return &sketchFunction{
		config:   duck.ScalarFuncConfig{InputTypeInfos: args, ResultTypeInfo: result},
		executor: duck.ScalarFuncExecutor{RowContextExecutor: duck.RowContextExecutorFn(call)},
	}
}

// listFunction computes something of lists of values.
type listFunction func(ctx context.Context, args []driver.Value) (any, error)

// Bounds of a function's work on one list.
const (
	// maxListed bounds the values of one list: the driver and the function hold about
	// 40 bytes for each outside of the engine's own memory limit.
	maxListed = 16_000_000
	// looksEvery is how many values are worked on between two looks at the context.
	looksEvery = 1 << 16
)

// each calls f for the values of a list, until the statement is cancelled.
func each(ctx context.Context, values []any, f func(any) error) error {
	if len(values) > maxListed {
		return fmt.Errorf("PRESTO EXCEEDED_LOCAL_MEMORY_LIMIT: an approximation over %d values at once needs too much memory on the embedded engine, which takes %d: group them, or narrow the statement", len(values), maxListed)
	}
	for i, v := range values {
		if i%looksEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// sketchFunction implements the driver's ScalarFunc.
type sketchFunction struct {
	config   duck.ScalarFuncConfig
	executor duck.ScalarFuncExecutor
}

func (f *sketchFunction) Config() duck.ScalarFuncConfig     { return f.config }
func (f *sketchFunction) Executor() duck.ScalarFuncExecutor { return f.executor }

// distinct estimates the number of different values of a list, nulls aside, with
// 2^p registers.
func distinct[T any](hash func(T) uint64) listFunction {
	return func(ctx context.Context, args []driver.Value) (any, error) {
		values, ok := args[0].([]any)
		p, isInteger := args[1].(int64)
		if !ok || !isInteger || p < 4 || p > 16 {
			return nil, errors.New("PRESTO GENERIC_INTERNAL_ERROR: approx_distinct of something else")
		}
		hashes := make([]uint64, 0, min(len(values), maxListed))
		err := each(ctx, values, func(v any) error {
			if x, ok := v.(T); ok {
				hashes = append(hashes, hash(x))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		return sketch.Distinct(hashes, int(p)), nil
	}
}

// percentileFunction takes numbers, their weights and quantiles; few: only so many
// that all of them are kept.
func percentileFunction(few bool) func() (duck.ScalarFunc, error) {
	return func() (duck.ScalarFunc, error) {
		_, doubles, err := listOf(duck.TYPE_DOUBLE)
		if err != nil {
			return nil, err
		}
		return newSketch(func(ctx context.Context, args []driver.Value) (any, error) { return percentiles(ctx, args, few) }, doubles, doubles, doubles, doubles), nil
	}
}

// percentiles takes numbers, their weights (an empty list: 1 each) and quantiles.
func percentiles(ctx context.Context, args []driver.Value, few bool) (any, error) {
	lists := make([][]float64, len(args))
	for i, a := range args {
		values, _ := a.([]any)
		if len(values) > 0 { // an empty list stays nil: no weights
			lists[i] = make([]float64, 0, min(len(values), maxListed))
		}
		err := each(ctx, values, func(v any) error {
			x, ok := v.(float64)
			if !ok {
				return errors.New("PRESTO GENERIC_INTERNAL_ERROR: approx_percentile of something else")
			}
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return errors.New("PRESTO INVALID_FUNCTION_ARGUMENT: approx_percentile needs finite numbers")
			}
			lists[i] = append(lists[i], x)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	numbers, weights, quantiles := lists[0], lists[1], lists[2]
	if len(numbers) == 0 || len(weights) > 0 && len(weights) != len(numbers) {
		return nil, nil
	}
	for _, w := range weights {
		if w <= 0 {
			return nil, errors.New("PRESTO INVALID_FUNCTION_ARGUMENT: weights of approx_percentile must be over 0")
		}
	}
	for _, q := range quantiles {
		if q < 0 || q > 1 {
			return nil, errors.New("PRESTO INVALID_FUNCTION_ARGUMENT: a percentage must be from 0 to 1")
		}
	}
	values, all := sketch.Percentiles(numbers, weights, quantiles)
	if few && !all {
		return nil, errors.New("PRESTO NOT_SUPPORTED: approx_percentile over many rows of a stored table is not supported on the embedded engine: Trino's answer depends on how they are stored")
	}
	out := make([]any, len(quantiles))
	for i, x := range values {
		out[i] = x
	}
	return out, nil
}
