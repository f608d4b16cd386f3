package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// pkg is a package whose places are changed and whose tests are run.
type pkg struct {
	Dir, ImportPath, Name string
	GoFiles               []string
	TestGoFiles           []string
	XTestGoFiles          []string
	Export                string
	DepOnly               bool

	types *types.Package
	info  *types.Info
	set   *token.FileSet
	files []*file
}

// file is a source file that is changed.
type file struct {
	pkg    *pkg
	path   string
	source []byte
	ast    *ast.File
}

// load parses packages and finds the types of their expressions.
func load(ctx context.Context, patterns []string) ([]*pkg, error) {
	if len(patterns) == 0 {
		return nil, errors.New("name packages: go run ./scripts/mutants -n 100 ./pkg/policy")
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-export",
		"-json=Dir,ImportPath,Name,GoFiles,TestGoFiles,XTestGoFiles,Export,DepOnly"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	exports, named := map[string]string{}, []*pkg{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			named = append(named, p)
		}
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range named {
		if err := p.check(set, imports); err != nil {
			return nil, err
		}
	}
	return named, nil
}

// check parses the files of a package and finds their types.
func (p *pkg) check(set *token.FileSet, imports types.Importer) error {
	p.set = set
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
		Defs:  map[*ast.Ident]types.Object{},
	}
	var trees []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		trees = append(trees, tree)
		if !ast.IsGenerated(tree) {
			p.files = append(p.files, &file{pkg: p, path: path, source: source, ast: tree})
		}
	}
	var err error
	config := types.Config{Importer: imports, FakeImportC: true}
	if p.types, err = config.Check(p.ImportPath, set, trees, p.info); err != nil {
		return fmt.Errorf("types of %s: %w", p.ImportPath, err)
	}
	return nil
}
