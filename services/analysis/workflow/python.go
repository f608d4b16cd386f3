package workflow

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/parquet"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// Runner runs programs that nobody has read, shut off from everything.
type Runner interface {
	Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error)
}

// Coder writes programs for steps.
type Coder interface {
	// Code writes the program of a step over input files. before is the program that was
	// tried last and problem what was wrong with it; both are empty at first.
	Code(ctx context.Context, l lang.Language, instruction string, inputs []Input, before, problem string) (string, error)
}

// Input is a file that a program reads: the rows of an earlier step as CSV with a head, and
// the names and types of its columns as JSON. Where the interpreter reads Parquet, the rows
// are beside it as that, too.
type Input struct {
	File    string
	Schema  string
	Title   string
	Columns []Column
	Rows    int
}

// Python is what runs steps in Python.
type Python struct {
	// Runner is nil where analysis.python is off, Coder where there is no model.
	Runner Runner
	Coder  Coder
	// Tries is how often a step is written and run, at most MaxPythonTries; 0: that.
	Tries int
	// Strict ends the analysis where the tries are used up; else the step is told as not
	// computed and the plan goes on.
	Strict bool
	// Interpreter says what the programs run with; nil: it is not known, and programs are
	// given no Parquet.
	Interpreter func(context.Context) (sandbox.Interpreter, error)
	// MaxFiles bounds the bytes of the files that a program leaves; 0: the sandbox's bound.
	MaxFiles int
	// Log takes what keeps a runner from being reached; nil: nobody.
	Log *slog.Logger
}

func (p Python) tries() int {
	if p.Tries < 1 || p.Tries > MaxPythonTries {
		return MaxPythonTries
	}
	return p.Tries
}

// Bounds of what a program says.
const (
	maxOutputTables  = 5
	maxOutputColumns = 50
	maxOutputRows    = 500
	maxOutputText    = 1000 // characters of a cell
	maxProblem       = 2000 // characters of what went wrong, as the next try is told
)

// inputs say which files a program works on.
func (w *Workflow) inputs(s *State, step plan.Step) ([]Input, error) {
	tables, err := w.inputTables(s, step)
	if err != nil {
		return nil, err
	}
	inputs := make([]Input, len(tables))
	for i, in := range tables {
		inputs[i] = Input{
			File: sandbox.InputDir + "/" + inputName(i, ".csv"), Schema: sandbox.InputDir + "/" + inputName(i, ".schema.json"),
			Title: in.title, Columns: in.table.Columns, Rows: int(max(in.table.Total, int64(len(in.table.Rows)))),
		}
	}
	return inputs, nil
}

// inputName is that of a file: ids of steps are anybody's text.
func inputName(i int, end string) string { return fmt.Sprintf("input%d%s", i+1, end) }

// files are the whole results of earlier steps as a program reads them: rows as CSV, and
// the types of the columns, which CSV does not keep, beside them.
func (w *Workflow) files(ctx context.Context, s *State, step plan.Step) ([]sandbox.File, error) {
	tables, err := w.inputTables(s, step)
	if err != nil {
		return nil, err
	}
	var files []sandbox.File
	reads := w.python.readsParquet(ctx)
	for i, in := range tables {
		t, err := w.whole(ctx, s, in.title, in.table)
		if err != nil {
			return nil, err
		}
		data, err := asCSV(t)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(map[string]any{"columns": t.Columns, "rows": len(t.Rows)})
		if err != nil {
			return nil, fmt.Errorf("write the types of columns: %w", err)
		}
		files = append(files, sandbox.File{Name: inputName(i, ".csv"), Data: data}, sandbox.File{Name: inputName(i, ".schema.json"), Data: schema})
		if !reads {
			continue
		}
		data, err = asParquet(ctx, t)
		if unfit := (*parquet.UnfitError)(nil); errors.As(err, &unfit) {
			continue // the rows are there as CSV
		} else if err != nil {
			return nil, err
		}
		files = append(files, sandbox.File{Name: inputName(i, ".parquet"), Data: data})
	}
	return files, nil
}

// readsParquet reports an interpreter that has the library which pandas reads Parquet by.
func (p Python) readsParquet(ctx context.Context) bool {
	if p.Interpreter == nil {
		return false
	}
	has, err := p.Interpreter(ctx)
	return err == nil && has.Packages["pyarrow"] != ""
}

// parquetMemory bounds what writing one input as Parquet takes.
const parquetMemory = "256MB"

// asParquet writes a table with the types of its columns.
func asParquet(ctx context.Context, t Table) (data []byte, err error) {
	dir, err := os.MkdirTemp("", "dibrain-parquet-")
	if err != nil {
		return nil, fmt.Errorf("write rows as Parquet: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "rows.parquet")
	err = parquet.Write(ctx, file, t.Result().Columns, func(yield func([]any, error) bool) {
		texts := make([]any, len(t.Columns))
		for _, row := range t.Rows {
			for i, v := range row {
				texts[i] = nil
				if v != nil {
					texts[i] = cellText(v)
				}
			}
			if !yield(texts, nil) {
				return
			}
		}
	}, parquetMemory)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file) //nolint:gosec // its own, in a folder of its own
}

// cellText is a cell as a file has it: exact, and empty where it is missing.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// asCSV writes a table with a head; what is missing is an empty cell.
func asCSV(t Table) ([]byte, error) {
	var out bytes.Buffer
	writer := csv.NewWriter(&out)
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	err := writer.Write(head)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cellText(v)
		}
		err = errors.Join(err, writer.Write(cells))
	}
	writer.Flush()
	if err = errors.Join(err, writer.Error()); err != nil {
		return nil, fmt.Errorf("write rows as CSV: %w", err)
	}
	return out.Bytes(), nil
}

// output is what a program prints.
type output struct {
	Tables []struct {
		Name    string   `json:"name"`
		Columns []Column `json:"columns"`
		Rows    [][]any  `json:"rows"`
	} `json:"tables"`
}

// columnName is what a column may be called, so that sentences and charts can name it.
var columnName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_ ]{0,63}$`)

// readOutput reads what a program printed. It is data that anybody could have made: tables
// of few columns and rows, whose cells are what their column says. The error is told to
// whoever wrote the program.
func readOutput(text []byte) ([]Table, error) {
	var o output
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("stdout is not one JSON object with tables: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("stdout has more than one JSON object: print nothing else")
	}
	if len(o.Tables) == 0 || len(o.Tables) > maxOutputTables {
		return nil, fmt.Errorf("there are %d tables: print 1 to %d", len(o.Tables), maxOutputTables)
	}
	var out []Table
	for n, given := range o.Tables {
		if len(given.Columns) == 0 || len(given.Columns) > maxOutputColumns || len(given.Rows) > maxOutputRows {
			return nil, fmt.Errorf("table %d has %d columns and %d rows: the most is %d and %d", n+1, len(given.Columns), len(given.Rows), maxOutputColumns, maxOutputRows)
		}
		t := Table{Name: fmt.Sprintf("python%d", n+1), Total: int64(len(given.Rows))}
		for i, c := range given.Columns {
			twice := slices.ContainsFunc(t.Columns, func(have Column) bool { return have.Name == c.Name })
			if !columnName.MatchString(c.Name) || twice || !slices.Contains(outputTypes, c.Type) {
				return nil, fmt.Errorf("table %d has a column %q of the type %q: names are unique, of letters, digits and underscores, and types one of %s", n+1, lang.Shorten(c.Name, 80), lang.Shorten(c.Type, 80), strings.Join(outputTypes, ", "))
			}
			t.Columns = append(t.Columns, Column{Name: given.Columns[i].Name, Type: c.Type})
		}
		for i, row := range given.Rows {
			cells, err := readRow(row, t.Columns)
			if err != nil {
				return nil, fmt.Errorf("table %d, row %d: %w", n+1, i+1, err)
			}
			t.Rows = append(t.Rows, cells)
		}
		out = append(out, t)
	}
	return out, nil
}

// outputTypes are those of a program's columns.
var outputTypes = []string{"double", "bigint", "varchar", "date", "boolean"}

func readRow(row []any, columns []Column) ([]any, error) {
	if len(row) != len(columns) {
		return nil, fmt.Errorf("it has %d cells for %d columns", len(row), len(columns))
	}
	out := make([]any, len(row))
	for i, v := range row {
		if v == nil {
			continue
		}
		var ok bool
		switch columns[i].Type {
		case "boolean":
			out[i], ok = v.(bool)
		case "varchar":
			var text string
			text, ok = v.(string)
			out[i] = lang.Shorten(text, maxOutputText)
		case "date":
			var text string
			text, ok = v.(string)
			_, err := time.Parse(time.DateOnly, text)
			out[i], ok = text, ok && err == nil
		default:
			var n json.Number
			if n, ok = v.(json.Number); ok {
				out[i] = exact(n, result.Column{Type: columns[i].Type}.Kind())
				_, text := out[i].(string)
				_, whole := out[i].(int64)
				ok = !text && (whole || columns[i].Type == "double")
			}
		}
		if !ok {
			return nil, fmt.Errorf("the cell of %s is not a %s", columns[i].Name, columns[i].Type)
		}
	}
	return out, nil
}

// code is node 13 for a step in Python.
func (w *Workflow) code(ctx context.Context, s *State, step plan.Step) error {
	s.PythonProblem, s.PythonEnd = strings.TrimSpace(s.PythonProblem), false
	switch {
	case w.python.Runner == nil:
		return w.endPython(s, w.say(s, "python_off"))
	case w.python.Coder == nil:
		return w.endPython(s, w.say(s, "python_no_model"))
	}
	inputs, err := w.inputs(s, step)
	if cannot := (*CannotError)(nil); errors.As(err, &cannot) {
		return w.endPython(s, cannot.Reason)
	} else if err != nil {
		return err
	}
	before := s.PythonCode
	s.PythonCode = ""
	code, err := w.python.Coder.Code(ctx, s.language(), step.Instruction, inputs, before, s.PythonProblem)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if away := (*sandbox.AwayError)(nil); errors.As(err, &away) {
		return w.endPython(s, w.say(s, "python_away"))
	}
	if err != nil {
		s.PythonProblem = ownText(err)
		return nil
	}
	s.PythonCode = code
	return nil
}

// endPython says that another try changes nothing.
func (w *Workflow) endPython(s *State, reason string) error {
	s.PythonEnd, s.PythonOutput = true, reason
	return nil
}

// runCode is node 14 for a step in Python: it runs the program and reads what it printed.
func (w *Workflow) runCode(ctx context.Context, s *State, step plan.Step) error {
	if s.PythonEnd {
		s.PythonFallback = true
		return nil
	}
	if s.PythonCode != "" {
		tables, files, problem, err := w.try(ctx, s, step)
		if cannot := (*CannotError)(nil); errors.As(err, &cannot) { // another program changes nothing
			s.PythonOutput, s.PythonFallback = cannot.Reason, true
			return nil
		}
		if away := (*sandbox.AwayError)(nil); errors.As(err, &away) { // nor does it, and nobody waits for a runner
			s.PythonOutput = w.say(s, "python_away")
			if w.python.Log != nil {
				w.python.Log.WarnContext(ctx, "no sandbox can be reached", "error", err)
			}
			if w.python.Strict {
				return w.fail(s, "python_gave_up", "step", s.Current, "reason", s.PythonOutput)
			}
			s.PythonFallback = true
			return nil
		}
		if err != nil {
			return err
		}
		if s.PythonProblem = problem; problem == "" {
			s.PythonOK = true
			s.Computed = &Result{Tables: tables, Code: s.PythonCode, Files: files}
			s.Computed.Chart = w.agents.Chart(ctx, s.Query, tables[0])
			return ctx.Err()
		}
	}
	s.PythonOutput = w.say(s, "python_failed", "n", strconv.Itoa(s.PythonTries), "problem", lang.Shorten(lang.OneLine(s.PythonProblem), 300))
	if s.PythonTries < w.python.tries() {
		return nil
	}
	if w.python.Strict {
		return w.fail(s, "python_gave_up", "step", s.Current, "reason", s.PythonOutput)
	}
	s.PythonFallback = true
	return nil
}

// try runs the program once. problem says what is wrong with it, for the next one.
func (w *Workflow) try(ctx context.Context, s *State, step plan.Step) (tables []Table, left []File, problem string, err error) {
	files, err := w.files(ctx, s, step)
	if err != nil {
		return nil, nil, "", err
	}
	inputs, err := w.inputs(s, step)
	if err != nil {
		return nil, nil, "", err
	}
	defer func() { // the next try is told of it, and a model of no row
		if problem != "" {
			problem = withoutValues(problem, s.PythonCode, heads(inputs), files)
		}
	}()
	r, err := w.python.Runner.Run(ctx, sandbox.Job{Code: s.PythonCode, Files: files})
	if unfit := (*sandbox.UnfitError)(nil); errors.As(err, &unfit) {
		return nil, nil, unfit.Problem, nil
	}
	if ctx.Err() != nil {
		return nil, nil, "", context.Cause(ctx)
	}
	if err != nil {
		return nil, nil, "", fmt.Errorf("run a program in the sandbox: %w", err)
	}
	if !r.OK() {
		words := strings.ToValidUTF8(string(r.Stderr), "")
		return nil, nil, r.Problem + "\n" + words[max(0, len(words)-maxProblem):], nil
	}
	if tables, err = readOutput(r.Stdout); err != nil {
		return nil, nil, lang.Shorten(err.Error(), maxProblem), nil
	}
	if left, err = w.readFiles(r.Files); err != nil {
		return nil, nil, lang.Shorten(err.Error(), maxProblem), nil
	}
	return tables, left, "", nil
}

// readFiles takes over the files that a program left: tables and pictures, that are what
// their names say.
func (w *Workflow) readFiles(files []sandbox.File) ([]File, error) {
	var out []File
	size := 0
	for _, f := range files {
		file := File{Name: f.Name, Data: f.Data}
		if MediaOf(file) == "" {
			return nil, fmt.Errorf("the file %s is no .csv, .json or .png with such a content: leave others out", f.Name)
		}
		if size += len(f.Data); w.python.MaxFiles > 0 && size > w.python.MaxFiles {
			return nil, fmt.Errorf("the files have more than %d bytes together (analysis.max_artifact_bytes): leave smaller ones", w.python.MaxFiles)
		}
		out = append(out, file)
	}
	return out, nil
}

// MediaOf is the media type of a file that a program left, "" where it is not what its name
// says. A name or content makes no page that a browser would run.
func MediaOf(f File) string {
	switch name := strings.ToLower(f.Name); {
	case strings.HasSuffix(name, ".csv") && utf8.Valid(f.Data):
		return "text/csv; charset=utf-8"
	case strings.HasSuffix(name, ".json") && json.Valid(f.Data):
		return "application/json"
	case strings.HasSuffix(name, ".png") && bytes.HasPrefix(f.Data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	}
	return ""
}
