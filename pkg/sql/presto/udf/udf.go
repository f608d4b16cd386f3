// Package udf gives the functions of Presto's that DuckDB does not have to a DuckDB
// engine.
package udf

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/sql/presto"
)

// scalarFunction is a function of Presto's as the engine calls it.
type scalarFunction struct {
	presto.Function
	config duck.ScalarFuncConfig
}

// Config implements the driver's ScalarFunc.
func (f *scalarFunction) Config() duck.ScalarFuncConfig { return f.config }

// Executor implements the driver's ScalarFunc.
func (f *scalarFunction) Executor() duck.ScalarFuncExecutor {
	return duck.ScalarFuncExecutor{RowContextExecutor: f.call}
}

func (f *scalarFunction) call(ctx context.Context, values []driver.Value) (any, error) {
	if err := ctx.Err(); err != nil { // the engine itself looks between pieces of 2,048 rows only
		return nil, err
	}
	args := make([]any, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case time.Time:
			args[i] = v.UTC()
		case []any:
			texts, ok := textsOf(v)
			if !ok {
				return nil, &presto.Error{Name: presto.InternalError, Message: f.Name + " of an array with nulls"}
			}
			args[i] = texts
		default:
			args[i] = v
		}
	}
	result, err := f.Call(args)
	if err != nil {
		return nil, err
	}
	if entries, ok := result.([][2]string); ok {
		var m duck.OrderedMap
		for _, e := range entries {
			m.Set(e[0], e[1])
		}
		return m, nil
	}
	return result, nil
}

func textsOf(values []any) ([]string, bool) {
	out := make([]string, len(values))
	for i, v := range values {
		text, ok := v.(string)
		if !ok {
			return nil, false
		}
		out[i] = text
	}
	return out, true
}

// New gives a function of Presto's the types of the engine, for RegisterScalarUDF.
func New(f presto.Function) (duck.ScalarFunc, error) {
	s := &scalarFunction{Function: f}
	s.config.SpecialNullHandling = f.Nulls
	var err error
	if s.config.ResultTypeInfo, err = typeInfo(f.Result); err != nil {
		return nil, err
	}
	for _, a := range f.Args {
		info, err := typeInfo(a)
		if err != nil {
			return nil, err
		}
		s.config.InputTypeInfos = append(s.config.InputTypeInfos, info)
	}
	if f.Variadic {
		last := len(s.config.InputTypeInfos) - 1
		s.config.VariadicTypeInfo = s.config.InputTypeInfos[last]
		s.config.InputTypeInfos = s.config.InputTypeInfos[:last]
	}
	return s, nil
}

func typeInfo(k presto.Kind) (duck.TypeInfo, error) {
	text, err := duck.NewTypeInfo(duck.TYPE_VARCHAR)
	if err != nil {
		return nil, fmt.Errorf("types of functions: %w", err)
	}
	switch k {
	case presto.Text:
		return text, nil
	case presto.Texts, presto.NullableTexts:
		return duck.NewListInfo(text)
	case presto.TextMap:
		return duck.NewMapInfo(text, text)
	}
	return duck.NewTypeInfo(map[presto.Kind]duck.Type{
		presto.Bytes: duck.TYPE_BLOB, presto.Bigint: duck.TYPE_BIGINT, presto.Double: duck.TYPE_DOUBLE, presto.Real: duck.TYPE_FLOAT,
		presto.Boolean: duck.TYPE_BOOLEAN, presto.Timestamp: duck.TYPE_TIMESTAMP,
	}[k])
}
