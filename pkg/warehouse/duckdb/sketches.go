package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/sketch"
)

// registerSketches gives the engine the functions by which transpiled SQL computes
// Presto's approximations from lists of values.
func registerSketches(ctx context.Context, db *sql.DB) (err error) {
	types := make(map[duck.Type]duck.TypeInfo)
	lists := make(map[duck.Type]duck.TypeInfo)
	for _, t := range []duck.Type{duck.TYPE_BIGINT, duck.TYPE_DOUBLE, duck.TYPE_FLOAT, duck.TYPE_VARCHAR} {
		if types[t], err = duck.NewTypeInfo(t); err != nil {
			return fmt.Errorf("types of sketches: %w", err)
		}
		if lists[t], err = duck.NewListInfo(types[t]); err != nil {
			return fmt.Errorf("types of sketches: %w", err)
		}
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to the embedded engine: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	bits := types[duck.TYPE_BIGINT]
	for _, s := range []struct {
		name   string
		args   []duck.TypeInfo
		result duck.TypeInfo
		call   func([]driver.Value) (any, error)
	}{
		{"presto_distinct_integers", []duck.TypeInfo{lists[duck.TYPE_BIGINT], bits}, bits, distinct(sketch.HashInteger)},
		{"presto_distinct_doubles", []duck.TypeInfo{lists[duck.TYPE_DOUBLE], bits}, bits, distinct(sketch.HashDouble)},
		{"presto_distinct_reals", []duck.TypeInfo{lists[duck.TYPE_FLOAT], bits}, bits, distinct(sketch.HashReal)},
		{"presto_distinct_texts", []duck.TypeInfo{lists[duck.TYPE_VARCHAR], bits}, bits, distinct(func(s string) uint64 { return sketch.HashBytes([]byte(s)) })},
		{
			"presto_percentiles", []duck.TypeInfo{lists[duck.TYPE_DOUBLE], lists[duck.TYPE_DOUBLE], lists[duck.TYPE_DOUBLE]}, lists[duck.TYPE_DOUBLE],
			percentiles,
		},
	} {
		f := &sketchFunction{
			config:   duck.ScalarFuncConfig{InputTypeInfos: s.args, ResultTypeInfo: s.result},
			executor: duck.ScalarFuncExecutor{RowExecutor: s.call},
		}
		if err := duck.RegisterScalarUDF(conn, s.name, f); err != nil {
			return fmt.Errorf("make the embedded engine's function %s: %w", s.name, err)
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
func distinct[T any](hash func(T) uint64) func([]driver.Value) (any, error) {
	return func(args []driver.Value) (any, error) {
		values, ok := args[0].([]any)
		p, isInteger := args[1].(int64)
		if !ok || !isInteger || p < 4 || p > 16 {
			return nil, errors.New("PRESTO GENERIC_INTERNAL_ERROR: approx_distinct of something else")
		}
		hashes := make([]uint64, 0, len(values))
		for _, v := range values {
			if x, ok := v.(T); ok {
				hashes = append(hashes, hash(x))
			}
		}
		return sketch.Distinct(hashes, int(p)), nil
	}
}

// percentiles takes numbers, their weights (an empty list: 1 each) and quantiles.
func percentiles(args []driver.Value) (any, error) {
	lists := make([][]float64, len(args))
	for i, a := range args {
		values, _ := a.([]any)
		for _, v := range values {
			x, ok := v.(float64)
			if !ok {
				return nil, errors.New("PRESTO GENERIC_INTERNAL_ERROR: approx_percentile of something else")
			}
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, errors.New("PRESTO INVALID_FUNCTION_ARGUMENT: approx_percentile needs finite numbers")
			}
			lists[i] = append(lists[i], x)
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
	out := make([]any, len(quantiles))
	for i, x := range sketch.Percentiles(numbers, weights, quantiles) {
		out[i] = x
	}
	return out, nil
}
