package semantic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Limits of a layer on disk; a layer is written by people, so a bigger one is a
// mistake.
const (
	MaxFileBytes = 1 << 20
	MaxFiles     = 200
)

// Problem is a mistake in a layer's file.
type Problem struct {
	File    string
	Line    int // 1-based; 0 where the file as a whole is meant
	Message string
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

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// file is a YAML file as written: a layer, and the mart of all that is in it.
type file struct {
	Mart  string `yaml:"mart"`
	Layer `yaml:",inline"`
}

// Load reads and validates the layer of a folder. A layer with mistakes gives
// Problems with all of them and no layer; a folder without *.yaml files gives an
// empty layer.
func Load(dir string) (*Layer, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list semantic layer %s: %w", dir, err)
	}
	if len(paths) > MaxFiles {
		return nil, Problems{{File: dir, Message: fmt.Sprintf("%d files, at most %d", len(paths), MaxFiles)}}
	}
	sort.Strings(paths)
	var (
		layer    Layer
		problems Problems
		check    = newChecker()
	)
	for _, path := range paths {
		f, root, found := readFile(path)
		problems = append(problems, found...)
		if f == nil {
			continue
		}
		f.setMart()
		problems = append(problems, check.file(filepath.Base(path), f, root)...)
		layer.add(&f.Layer)
	}
	problems = append(problems, check.references()...)
	if len(problems) > 0 {
		return nil, problems
	}
	for i := range layer.Joins {
		layer.Joins[i].Declared = true
	}
	for i := range layer.Metrics {
		layer.Metrics[i].complete()
	}
	return &layer, nil
}

func readFile(path string) (*file, *yaml.Node, Problems) {
	name := filepath.Base(path)
	h, err := os.Open(path)
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
	if err := dec.Decode(&f); err != nil {
		return nil, nil, yamlProblems(name, err)
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
		problems = append(problems, p)
	}
	return problems
}

func (f *file) setMart() {
	set := func(m *string) {
		if *m == "" {
			*m = f.Mart
		}
	}
	for i := range f.Entities {
		set(&f.Entities[i].Mart)
	}
	for i := range f.Dimensions {
		set(&f.Dimensions[i].Mart)
	}
	for i := range f.Metrics {
		set(&f.Metrics[i].Mart)
	}
	for i := range f.Filters {
		set(&f.Filters[i].Mart)
	}
	for i := range f.Exclusions {
		set(&f.Exclusions[i].Mart)
	}
	for i := range f.Rules {
		set(&f.Rules[i].Mart)
	}
	for i := range f.Glossary {
		set(&f.Glossary[i].Mart)
	}
	for i := range f.Examples {
		set(&f.Examples[i].Mart)
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
	l.Rules = append(l.Rules, o.Rules...)
	l.Glossary = append(l.Glossary, o.Glossary...)
	l.Examples = append(l.Examples, o.Examples...)
	if o.Time != (Calendar{}) {
		l.Time = o.Time
	}
}

// Merge returns the written layer completed by the derived one. Written items
// stand; a derived dimension of a column that a written one already names is
// left out.
func Merge(written, derived *Layer) *Layer {
	if written == nil {
		return derived
	}
	merged := &Layer{}
	merged.add(written)
	if derived == nil {
		return merged
	}
	rest := *derived
	rest.Time = Calendar{}
	merged.add(&rest)
	return merged
}
