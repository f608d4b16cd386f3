package semantic

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
)

// Limits of a layer on disk; a layer is written by people, so a bigger one is a
// mistake.
const (
	MaxFileBytes = 1 << 20
	MaxFiles     = 200
)

// Problem is a mistake in a layer's file.
type Problem struct {
	File    string `json:"file"` // in the layer's folder, with slashes
	Line    int    `json:"line"` // 1-based; 0 where the file as a whole is meant
	Message string `json:"message"`
	// Warning: the layer can be used, but may not say what was meant.
	Warning bool `json:"warning,omitempty"`
}

// Error returns file:line: message.
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Problems is all that is wrong with a layer.
type Problems []Problem

// MaxListed bounds the problems that an error's text lists.
const MaxListed = 50

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, 0, min(len(ps), MaxListed+1))
	for i, p := range ps {
		if i == MaxListed {
			lines = append(lines, fmt.Sprintf("and %d more", len(ps)-i))
			break
		}
		lines = append(lines, p.Error())
	}
	return strings.Join(lines, "\n")
}

// Errors are the problems that are not warnings.
func (ps Problems) Errors() Problems {
	return slices.DeleteFunc(slices.Clone(ps), func(p Problem) bool { return p.Warning })
}

// sorted brings problems into the order of the text; each once.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(ps)
}

// file is a YAML file as written: a layer, and the mart of all that is in it.
type file struct {
	Mart  string `yaml:"mart,omitempty"`
	Layer `yaml:",inline"`
}

// Load reads and validates the layer of a folder. A layer with mistakes gives
// Problems with all of them and no layer; a folder without *.yaml files gives an
// empty layer.
func Load(dir string) (*Layer, error) {
	layer, problems := Check(dir, nil)
	if problems = problems.Errors(); len(problems) > 0 {
		return nil, problems
	}
	return layer, nil
}

// Check reads the layer of a folder and reports all that is wrong with it, and as
// warnings what is likely a mistake. With tables, names of tables and columns,
// types and keys are checked against them; nil leaves that out. The layer is nil
// where there are errors.
func Check(dir string, tables []catalog.Table) (*Layer, Problems) {
	names, err := layerFiles(dir)
	if err != nil {
		return nil, Problems{{File: dir, Message: err.Error()}}
	}
	if len(names) > MaxFiles {
		return nil, Problems{{File: dir, Message: fmt.Sprintf("%d files, at most %d", len(names), MaxFiles)}}
	}
	var (
		layer    Layer
		problems Problems
		check    = newChecker(tables)
		whole    = true // all files could be read
	)
	for _, name := range names {
		f, root, found := readFile(dir, name)
		problems = append(problems, found...)
		if f == nil {
			whole = whole && len(found) == 0
			continue
		}
		f.setMart(path.Dir(name))
		problems = append(problems, check.file(name, f, root)...)
		layer.add(&f.Layer)
	}
	for i := range layer.Joins {
		layer.Joins[i].Declared = true
	}
	for i := range layer.Metrics {
		layer.Metrics[i].complete()
	}
	if whole { // else much would be missed that is in the file that cannot be read
		problems = append(problems, check.references(&layer)...)
	}
	problems = problems.sorted()
	if len(problems.Errors()) > 0 {
		return nil, problems
	}
	return &layer, problems
}

// layerFiles lists the files of a layer by their path in its folder, with slashes:
// those of the folder itself and those of the folders in it, a mart each.
func layerFiles(dir string) ([]string, error) {
	var names []string
	for _, pattern := range []string{"*.yaml", "*.yml", "*/*.yaml", "*/*.yml"} {
		found, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, fmt.Errorf("list semantic layer %s: %w", dir, err)
		}
		names = append(names, found...)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, ".") || strings.Contains(n, "/.") })
	sort.Strings(names)
	return names, nil
}

// readFile reads one file. What has mistakes in its form is given as far as it
// could be read; what is no YAML is nil.
func readFile(dir, name string) (*file, *yaml.Node, Problems) {
	h, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, nil, Problems{{File: name, Message: err.Error()}}
	}
	defer func() { _ = h.Close() }() // read only
	text, err := io.ReadAll(io.LimitReader(h, MaxFileBytes+1))
	if err != nil {
		return nil, nil, Problems{{File: name, Message: err.Error()}}
	}
	if len(text) > MaxFileBytes {
		return nil, nil, Problems{{File: name, Message: fmt.Sprintf("over %d bytes: split it by mart", MaxFileBytes)}}
	}
	return parseFile(name, text)
}

func parseFile(name string, text []byte) (*file, *yaml.Node, Problems) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, nil, yamlProblems(name, err)
	}
	if root.Kind == 0 { // an empty file
		return nil, nil, nil
	}
	var f file
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	err := dec.Decode(&f)
	if err != nil && !errors.As(err, new(*yaml.TypeError)) {
		return nil, nil, yamlProblems(name, err)
	}
	if root.Content[0].Kind != yaml.MappingNode {
		if err != nil {
			return nil, nil, yamlProblems(name, err)
		}
		return nil, nil, nil // null
	}
	if err != nil {
		return &f, &root, yamlProblems(name, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return &f, &root, Problems{{File: name, Line: more.Line, Message: "a second document in one file: put it into a file of its own"}}
	}
	return &f, &root, nil
}

// yamlProblems takes the "line N:" that the YAML library writes into its
// messages apart.
func yamlProblems(name string, err error) Problems {
	messages := []string{err.Error()}
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		messages = typed.Errors
	}
	problems := make(Problems, 0, len(messages))
	for _, m := range messages {
		m = strings.TrimPrefix(m, "yaml: ")
		p := Problem{File: name, Message: m}
		var line int
		if n, _ := fmt.Sscanf(m, "line %d:", &line); n == 1 {
			_, rest, _ := strings.Cut(m, ":")
			p.Line, p.Message = line, strings.TrimSpace(rest)
		}
		p.Message = plainMessage(p.Message)
		problems = append(problems, p)
	}
	return problems
}

var (
	unknownKey = regexp.MustCompile(`^field (\S+) not found in type`)
	wrongType  = regexp.MustCompile("^cannot unmarshal !!(\\w+)(?: `(.*)`)? into (.+)$")
)

// mappings are the types of this package that a YAML mapping is read into.
var mappings = []string{"file", "Text", "Country", "Entity", "Dimension", "Value", "Metric", "Window", "Filter", "Join", "DateColumn", "Calendar", "Rule", "Term", "Example"}

// plainMessage says what the YAML library says, without the names of Go.
func plainMessage(m string) string {
	if found := unknownKey.FindStringSubmatch(m); found != nil {
		return fmt.Sprintf("there is no key %q here", found[1])
	}
	if found := wrongType.FindStringSubmatch(m); found != nil {
		want, into := "a text", strings.TrimPrefix(found[3], "semantic.")
		switch {
		case strings.HasPrefix(into, "[]"):
			want = "a list"
		case into == "int":
			want = "a whole number"
		case slices.Contains(mappings, into):
			want = "a mapping, key: value,"
		}
		is := map[string]string{"seq": "a list", "map": "a mapping", "str": "the text", "int": "the number", "float": "the number", "bool": "the truth value"}[found[1]]
		return lang.OneLine(fmt.Sprintf("%s %s stands where %s belongs", cmp.Or(is, found[1]), found[2], want))
	}
	return m
}

// setMart gives the items of a file their mart: the file's own, else the folder's
// that it is in.
func (f *file) setMart(folder string) {
	if f.Mart == "" && folder != "." {
		f.Mart = folder
	}
	f.eachMart(func(m *string) {
		if *m == "" {
			*m = f.Mart
		}
	})
}

// eachMart visits the marts of all items.
func (f *file) eachMart(visit func(mart *string)) {
	for i := range f.Entities {
		visit(&f.Entities[i].Mart)
	}
	for i := range f.Dimensions {
		visit(&f.Dimensions[i].Mart)
	}
	for i := range f.Metrics {
		visit(&f.Metrics[i].Mart)
	}
	for i := range f.Filters {
		visit(&f.Filters[i].Mart)
	}
	for i := range f.Exclusions {
		visit(&f.Exclusions[i].Mart)
	}
	for i := range f.Rules {
		visit(&f.Rules[i].Mart)
	}
	for i := range f.Glossary {
		visit(&f.Glossary[i].Mart)
	}
	for i := range f.Examples {
		visit(&f.Examples[i].Mart)
	}
}

func (l *Layer) add(o *Layer) {
	l.Countries = append(l.Countries, o.Countries...)
	l.Entities = append(l.Entities, o.Entities...)
	l.Dimensions = append(l.Dimensions, o.Dimensions...)
	l.Metrics = append(l.Metrics, o.Metrics...)
	l.Filters = append(l.Filters, o.Filters...)
	l.Exclusions = append(l.Exclusions, o.Exclusions...)
	l.Joins = append(l.Joins, o.Joins...)
	l.Dates = append(l.Dates, o.Dates...)
	l.Rules = append(l.Rules, o.Rules...)
	l.Glossary = append(l.Glossary, o.Glossary...)
	l.Examples = append(l.Examples, o.Examples...)
	if o.Time != (Calendar{}) {
		l.Time = o.Time
	}
}
