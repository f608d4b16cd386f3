package backend

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
)

// Files reads log files, for people without Loki. A file is a stream with the labels
// filename and service (its name without what follows the first dot), and level where
// a line says it. A line that is a JSON object with "line" and "labels" brings its
// own.
type Files struct {
	patterns []string
	limits   Limits
}

// maxLine bounds a line of a file, in bytes; longer ones are cut.
const maxLine = 64 << 10

// NewFiles returns a reader of the files that patterns name (path/filepath.Match).
func NewFiles(patterns []string, limits Limits) (*Files, error) {
	for _, p := range patterns {
		if _, err := filepath.Match(p, ""); err != nil {
			return nil, fmt.Errorf("logify.files: %q: %w", p, err)
		}
	}
	return &Files{patterns: patterns, limits: limits}, nil
}

// read returns the lines of all files, those that a scope sees.
func (f *Files) read(ctx context.Context, scope Scope) (logql.Entries, error) {
	selects, err := logql.Selects(scope.Streams)
	if err != nil {
		return nil, err
	}
	var out logql.Entries
	left := f.limits.Bytes
	for _, p := range f.patterns {
		paths, err := filepath.Glob(p)
		if err != nil || len(paths) == 0 {
			return nil, fault.New(codes.NotFound, "LOG_FILE_MISSING", "A log file is not there: check logify.files or --file.").ForOperator("%s", p)
		}
		for _, path := range paths {
			if out, err = f.readFile(ctx, path, selects, out, &left); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (f *Files) readFile(ctx context.Context, path string, selects func(map[string]string) bool, out logql.Entries, left *int64) (logql.Entries, error) {
	file, err := os.Open(path)
	if err != nil {
		reason := "LOG_FILE_UNREADABLE"
		if errors.Is(err, fs.ErrNotExist) {
			reason = "LOG_FILE_MISSING"
		}
		return nil, fault.New(codes.FailedPrecondition, reason, "A log file cannot be read: check logify.files or --file.").ForOperator("%v", err)
	}
	defer file.Close() //nolint:errcheck // opened for reading
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fault.New(codes.FailedPrecondition, "LOG_FILE_UNREADABLE", "What logify.files or --file names is no regular file.").ForOperator("%s", path)
	}
	if *left -= info.Size(); *left < 0 {
		return nil, fault.New(codes.ResourceExhausted, "LOGS_TOO_LARGE",
			fmt.Sprintf("The log files have more than %d bytes (logify.max_bytes): name fewer, or use Loki.", f.limits.Bytes))
	}
	name := filepath.Base(path)
	service, _, _ := strings.Cut(name, ".")
	at := info.ModTime().UTC()
	reader := bufio.NewReaderSize(file, maxLine)
	for {
		text, long, err := reader.ReadLine()
		if err != nil {
			return out, nil
		}
		line := strings.ToValidUTF8(string(text), "�")
		for long && err == nil {
			_, long, err = reader.ReadLine()
		}
		if line == "" {
			continue
		}
		if len(out)%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		e := parseLine(line, at, info.ModTime())
		at = e.Time // a line without a time is of the line before
		if e.Labels == nil {
			e.Labels = map[string]string{"filename": name, "service": service}
			if level := levelOf(e.Line); level != "" {
				e.Labels["level"] = level
			}
		}
		if selects(e.Labels) {
			if out = append(out, e); len(out) > f.limits.Lines {
				return nil, fault.New(codes.ResourceExhausted, "LOGS_TOO_MANY_LINES",
					fmt.Sprintf("The log files have more than %d lines (logify.max_lines_read): name fewer, or use Loki.", f.limits.Lines))
			}
		}
	}
}

// layouts are how lines begin with their time; what a layout leaves out is of the
// file's own year, in UTC.
var layouts = []struct {
	re     *regexp.Regexp
	layout string
}{
	{regexp.MustCompile(`^\[?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`), time.RFC3339Nano},
	{regexp.MustCompile(`^\[?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?`), "2006-01-02T15:04:05"},
	{regexp.MustCompile(`^\[?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?`), "2006-01-02 15:04:05"},
	{regexp.MustCompile(`^\[?\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?`), "2006/01/02 15:04:05"},
	{regexp.MustCompile(`^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d`), time.Stamp},
	{regexp.MustCompile(`\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}`), "02/Jan/2006:15:04:05 -0700"},
	{regexp.MustCompile(`\btime="?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`), time.RFC3339Nano},
}

func parseLine(line string, before, file time.Time) logql.Entry {
	if strings.HasPrefix(line, "{") {
		var own struct {
			Timestamp, Time, TS string
			Line                *string
			Labels              map[string]string
		}
		if json.Unmarshal([]byte(line), &own) == nil {
			e := logql.Entry{Time: before, Line: line}
			for _, text := range []string{own.Timestamp, own.Time, own.TS} {
				if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
					e.Time = at.UTC()
				}
			}
			if own.Line != nil && own.Labels != nil {
				e.Line, e.Labels = *own.Line, own.Labels
			}
			return e
		}
	}
	head := line[:min(len(line), 200)]
	for _, l := range layouts {
		text := strings.TrimLeft(l.re.FindString(head), "[")
		text = strings.TrimPrefix(strings.TrimPrefix(text, "time="), `"`)
		if text == "" {
			continue
		}
		at, err := time.Parse(l.layout, strings.Replace(text, ",", ".", 1))
		if err != nil {
			continue
		}
		if l.layout == time.Stamp {
			at = at.AddDate(file.Year(), 0, 0)
			if at.After(file.Add(day)) { // written before the turn of the year
				at = at.AddDate(-1, 0, 0)
			}
		}
		return logql.Entry{Time: at.UTC(), Line: line}
	}
	return logql.Entry{Time: before, Line: line}
}

const day = 24 * time.Hour

var levelWord = regexp.MustCompile(`(?i)\b(?:level"?[=:]\s*"?)?(trace|debug|info|notice|warn|warning|error|fatal|critical|panic)\b`)

// levelOf reads the level near the beginning of a line.
func levelOf(line string) string {
	m := levelWord.FindStringSubmatch(line[:min(len(line), 120)])
	if m == nil || !strings.Contains(strings.ToLower(m[0]), "level") && m[1] != strings.ToUpper(m[1]) {
		return ""
	}
	level := strings.ToLower(m[1])
	if level == "warning" {
		return "warn"
	}
	return level
}

// Labels implements the interface of the service.
func (f *Files) Labels(ctx context.Context, scope Scope, _ time.Time) ([]Label, error) {
	entries, err := f.read(ctx, scope)
	if err != nil {
		return nil, err
	}
	values := map[string]map[string]bool{}
	for _, e := range entries {
		for name, value := range e.Labels {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			if len(values[name]) < f.limits.Values {
				values[name][value] = true
			}
		}
	}
	var out []Label
	for name, set := range values {
		l := Label{Name: name}
		for value := range set {
			l.Values = append(l.Values, value)
		}
		slices.Sort(l.Values)
		out = append(out, l)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out[:min(len(out), f.limits.Labels)], nil
}

// Sample returns the lines of the files: all of them tell their forms.
func (f *Files) Sample(ctx context.Context, scope Scope, _ []Label, _ time.Time) ([]logql.Entry, error) {
	return f.read(ctx, scope)
}

// Query runs a query that the guard has passed.
func (f *Files) Query(ctx context.Context, scope Scope, e logql.Expr, w logql.Window) (*logql.Output, error) {
	entries, err := f.read(ctx, scope)
	if err != nil {
		return nil, err
	}
	out, err := logql.Evaluate(ctx, e, entries, w, logql.Bounds{Lines: 0, Series: f.limits.Series})
	switch {
	case errors.Is(err, logql.ErrTooMuch):
		return nil, fault.New(codes.ResourceExhausted, "LOGS_TOO_MANY_SERIES", "The query was stopped: "+err.Error()+". Ask for less time or group by fewer labels.")
	case errors.Is(err, logql.ErrPipeline):
		return nil, fault.New(codes.InvalidArgument, "LOGQL_FAILED", "The query failed: "+err.Error()+".")
	case err != nil && ctx.Err() == nil:
		return nil, fault.New(codes.InvalidArgument, "LOGQL_FAILED", "The query failed: "+err.Error()+".")
	}
	if err != nil {
		return nil, err
	}
	return f.limits.bound(out)
}
