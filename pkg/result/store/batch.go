package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/dibrain/dibrain/pkg/result"
)

// A result is an Arrow file. Booleans, whole numbers and doubles are columns of their
// own types; dates, times, decimals and text are the text that the engine gave; arrays,
// maps and rows are JSON. A value that is none of its column's type is null there and
// stands, by the number of its column, in the JSON object of the last column: so that
// whatever an engine returns comes back as it was.

// form is how the values of a column are kept.
type form int

const (
	formJSON form = iota
	formText
	formBool
	formInt
	formFloat
)

func formOf(c result.Column) form {
	switch c.Kind() {
	case result.KindBool:
		return formBool
	case result.KindInteger:
		return formInt
	case result.KindFloat:
		return formFloat
	case result.KindText, result.KindDecimal, result.KindDate, result.KindTimestamp, result.KindTime:
		return formText
	case result.KindOther:
		return formJSON
	}
	return formJSON
}

func (f form) arrow() arrow.DataType {
	switch f {
	case formBool:
		return arrow.FixedWidthTypes.Boolean
	case formInt:
		return arrow.PrimitiveTypes.Int64
	case formFloat:
		return arrow.PrimitiveTypes.Float64
	case formText, formJSON:
		return arrow.BinaryTypes.Binary // text of an engine need not be UTF-8
	}
	return arrow.BinaryTypes.Binary
}

// schemaOf is the Arrow schema of a result. Its names are positions, since a result may
// have two columns of one name; the names are kept in the index.
func schemaOf(columns []result.Column) *arrow.Schema {
	fields := make([]arrow.Field, 0, len(columns)+1)
	for i, c := range columns {
		fields = append(fields, arrow.Field{Name: strconv.Itoa(i), Type: formOf(c).arrow(), Nullable: true})
	}
	fields = append(fields, arrow.Field{Name: "other", Type: arrow.BinaryTypes.Binary, Nullable: true})
	return arrow.NewSchema(fields, nil)
}

// batches writes rows as record batches.
type batches struct {
	forms   []form
	builder *array.RecordBuilder
	file    *ipc.FileWriter
}

func newBatches(to io.Writer, columns []result.Column) (*batches, error) {
	schema := schemaOf(columns)
	file, err := ipc.NewFileWriter(to, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	b := &batches{builder: array.NewRecordBuilder(memory.DefaultAllocator, schema), file: file}
	for _, c := range columns {
		b.forms = append(b.forms, formOf(c))
	}
	return b, nil
}

// write writes rows as one batch.
func (b *batches) write(rows [][]any) error {
	for _, row := range rows {
		if len(row) != len(b.forms) {
			return fmt.Errorf("a row has %d values for %d columns", len(row), len(b.forms))
		}
		if err := b.add(row); err != nil {
			return err
		}
	}
	batch := b.builder.NewRecordBatch()
	defer batch.Release()
	return b.file.Write(batch)
}

func (b *batches) add(row []any) error {
	other := map[string]any{}
	for i, v := range row {
		ok, err := put(b.builder.Field(i), b.forms[i], v)
		if err != nil {
			return err
		}
		if !ok {
			other[strconv.Itoa(i)] = v
			b.builder.Field(i).AppendNull()
		}
	}
	last := b.builder.Field(len(row))
	if len(other) == 0 {
		last.AppendNull()
		return nil
	}
	_, err := put(last, formJSON, other)
	return err
}

// put appends a value; ok is false where it is not of the column's form.
func put(to array.Builder, f form, v any) (ok bool, err error) {
	if v == nil {
		to.AppendNull()
		return true, nil
	}
	switch to := to.(type) {
	case *array.BooleanBuilder:
		if v, ok := v.(bool); ok {
			to.Append(v)
			return true, nil
		}
	case *array.Int64Builder:
		if v, ok := v.(int64); ok {
			to.Append(v)
			return true, nil
		}
	case *array.Float64Builder:
		if v, ok := v.(float64); ok {
			to.Append(v)
			return true, nil
		}
	case *array.BinaryBuilder:
		if v, ok := v.(string); ok && f == formText {
			to.AppendString(v)
			return true, nil
		}
		if f == formJSON {
			var text bytes.Buffer
			if err := encode(&text, v); err != nil {
				return false, err
			}
			to.Append(text.Bytes())
			return true, nil
		}
	}
	return false, nil
}

// close ends the file; the writer below is whoever's made it.
func (b *batches) close() error {
	b.builder.Release()
	return b.file.Close()
}

var errNotAsStored = errors.New("the file is not the one that was written")

// openRows opens a file of rows whose end was checked.
func openRows(on *checked) (file *ipc.FileReader, err error) {
	defer func() { err = stopped(recover(), err) }()
	return ipc.NewFileReader(on)
}

// stopped is the error where the library has stopped at a file by a panic, as it does here
// and there where it checks lengths.
func stopped(by any, err error) error {
	if by != nil {
		return fmt.Errorf("%w: %v", errNotAsStored, by)
	}
	return err
}

// readBatch reads the rows of one batch, from its row skip on and at most most of them.
// The batch was checked.
func readBatch(file *ipc.FileReader, at int, columns []result.Column, skip, most int) (rows [][]any, err error) {
	defer func() { err = stopped(recover(), err) }()
	if at >= file.NumRecords() {
		return nil, errNotAsStored
	}
	batch, err := file.RecordBatchAt(at)
	if err != nil {
		return nil, err
	}
	defer batch.Release()
	if int(batch.NumCols()) != len(columns)+1 {
		return nil, errNotAsStored
	}
	n := int(batch.NumRows())
	from := min(max(skip, 0), n)
	to := from + min(most, n-from)
	rows = make([][]any, 0, to-from)
	for r := from; r < to; r++ {
		row := make([]any, len(columns))
		for i, c := range columns {
			if row[i], err = get(batch.Column(i), r, formOf(c)); err != nil {
				return nil, err
			}
		}
		other, err := get(batch.Column(len(columns)), r, formJSON)
		if err != nil {
			return nil, err
		}
		if other, ok := other.(map[string]any); ok {
			for key, v := range other {
				i, err := strconv.Atoi(key)
				if err != nil || i < 0 || i >= len(row) {
					return nil, errNotAsStored
				}
				row[i] = v
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func get(column arrow.Array, r int, f form) (any, error) {
	if column.IsNull(r) {
		return nil, nil
	}
	switch column := column.(type) {
	case *array.Boolean:
		return column.Value(r), nil
	case *array.Int64:
		return column.Value(r), nil
	case *array.Float64:
		return column.Value(r), nil
	case *array.Binary:
		if f == formText {
			return string(column.Value(r)), nil
		}
		decoder := json.NewDecoder(bytes.NewReader(column.Value(r)))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil {
			return nil, err
		}
		return decode(v)
	}
	return nil, errNotAsStored
}
