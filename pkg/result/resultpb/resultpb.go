// Package resultpb translates results to and from the contract's pages.
package resultpb

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/result"
)

// maxExact is the largest integer up to which a double holds every one exactly.
const maxExact = 1 << 53

// ToPage returns the message of rows. The caller fills in what the rows do not
// tell: the total, the result's id and the next token.
func ToPage(t result.Table) (*commonv1.ResultPage, error) {
	page := &commonv1.ResultPage{
		Columns:   make([]*commonv1.ResultColumn, len(t.Columns)),
		Rows:      make([]*commonv1.ResultRow, len(t.Rows)),
		TotalRows: int64(len(t.Rows)),
		Truncated: t.Truncated,
	}
	for i, c := range t.Columns {
		page.Columns[i] = &commonv1.ResultColumn{Name: c.Name, Type: c.Type, Unit: c.Unit, Period: c.Period}
	}
	for i, row := range t.Rows {
		values := make([]*structpb.Value, len(row))
		for j, v := range row {
			value, err := toValue(v)
			if err != nil {
				return nil, fmt.Errorf("row %d, column %s: %w", i+1, t.Columns[j].Name, err)
			}
			values[j] = value
		}
		page.Rows[i] = &commonv1.ResultRow{Values: values}
	}
	return page, nil
}

func toValue(v any) (*structpb.Value, error) {
	switch v := v.(type) {
	case nil:
		return structpb.NewNullValue(), nil
	case bool:
		return structpb.NewBoolValue(v), nil
	case string:
		return structpb.NewStringValue(v), nil
	case int64:
		if v > maxExact || v < -maxExact {
			return structpb.NewStringValue(strconv.FormatInt(v, 10)), nil
		}
		return structpb.NewNumberValue(float64(v)), nil
	case float64:
		// JSON has no such numbers, and a page is read as JSON too.
		if math.IsNaN(v) || math.IsInf(v, 0) {
			text, _ := result.Text(v, result.Column{Type: "double"})
			return structpb.NewStringValue(text), nil
		}
		return structpb.NewNumberValue(v), nil
	case []byte:
		return structpb.NewStringValue(base64.StdEncoding.EncodeToString(v)), nil
	case []any:
		list := &structpb.ListValue{Values: make([]*structpb.Value, len(v))}
		for i, item := range v {
			value, err := toValue(item)
			if err != nil {
				return nil, err
			}
			list.Values[i] = value
		}
		return structpb.NewListValue(list), nil
	case map[string]any:
		fields := make(map[string]*structpb.Value, len(v))
		for key, item := range v {
			value, err := toValue(item)
			if err != nil {
				return nil, err
			}
			fields[key] = value
		}
		return structpb.NewStructValue(&structpb.Struct{Fields: fields}), nil
	}
	return nil, fmt.Errorf("a value of type %T has no place in a page", v)
}

// FromPage reads a message back. Scalar values come back as they were before
// ToPage; bytes come back as base64, and numbers inside arrays, rows and maps as
// doubles, since a page does not tell more.
func FromPage(p *commonv1.ResultPage) (result.Table, error) {
	t := result.Table{Truncated: p.GetTruncated(), Rows: make([][]any, 0, len(p.GetRows()))}
	for _, c := range p.GetColumns() {
		t.Columns = append(t.Columns, result.Column{Name: c.GetName(), Type: c.GetType(), Unit: c.GetUnit(), Period: c.GetPeriod()})
	}
	for i, r := range p.GetRows() {
		if len(r.GetValues()) != len(t.Columns) {
			return result.Table{}, fmt.Errorf("row %d has %d values for %d columns", i+1, len(r.GetValues()), len(t.Columns))
		}
		row := make([]any, len(t.Columns))
		for j, v := range r.GetValues() {
			row[j] = fromValue(v, t.Columns[j].Kind())
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func fromValue(v *structpb.Value, kind result.Kind) any {
	switch k := v.GetKind().(type) {
	case *structpb.Value_BoolValue:
		return k.BoolValue
	case *structpb.Value_NumberValue:
		if f := k.NumberValue; kind == result.KindInteger && f == math.Trunc(f) && math.Abs(f) <= maxExact {
			return int64(f)
		}
		return k.NumberValue
	case *structpb.Value_StringValue:
		switch kind {
		case result.KindInteger:
			if i, err := strconv.ParseInt(k.StringValue, 10, 64); err == nil {
				return i
			}
		case result.KindFloat:
			if f, err := strconv.ParseFloat(k.StringValue, 64); err == nil {
				return f
			}
		}
		return k.StringValue
	}
	return v.AsInterface() // null, arrays, rows and maps
}
