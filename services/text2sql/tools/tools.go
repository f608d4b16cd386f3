// Package tools are what the members of the team work with: get_schema,
// validate_sql and execute_sql. Each is one atomic, stateless function with typed
// arguments: all that it needs to know comes with the call and its context. A Set
// lists them with the function schemas that models and other clients are given;
// schema and check of the arguments are made of one Go type.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm/schema"
	"github.com/dibrain/dibrain/pkg/sql/guard"
)

// Names of the tools.
const (
	GetSchema   = "get_schema"
	ValidateSQL = "validate_sql"
	ExecuteSQL  = "execute_sql"
)

// Catalog describes tables.
type Catalog interface {
	// Tables returns those of the named tables that exist and that the asker may
	// see; the others are left out.
	Tables(ctx context.Context, source string, names []string) ([]catalog.Table, error)
	// Defaults complete names of tables that are not written in full.
	Defaults(ctx context.Context, source string) (catalog.Defaults, error)
}

// ErrNotRun says that a statement was not run for a reason that is not its own,
// such as its cost.
var ErrNotRun = errors.New("the statement was not run")

// Executor runs SQL under the guard, as the asker. Its errors are the guard's
// refusals, those of engines, faults, the context's, or wrap ErrNotRun.
type Executor interface {
	Execute(ctx context.Context, source, sql string, maxRows int) (Rows, error)
}

// Deps of a Set.
type Deps struct {
	Catalog Catalog
	// Guard checks statements.
	Guard *guard.Guard
	// Executor runs them; nil: execute_sql is not there.
	Executor Executor
}

// Bounds of calls.
const (
	maxTables = 50      // described at once
	maxSQL    = 1 << 16 // characters of a statement
	// MaxRows is how many rows execute_sql returns at most.
	MaxRows = 1000
)

// Tool is a function as a registry shows it.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments.
	Parameters map[string]any
	// Execute checks the arguments, calls the function and returns its answer as
	// JSON. Arguments at fault are an INVALID_ARGUMENT fault that says what is wrong.
	Execute func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error)
}

// Function is the tool in the form in which OpenAI's protocol takes it.
func (t Tool) Function() map[string]any {
	return map[string]any{"type": "function", "function": map[string]any{
		"name": t.Name, "description": t.Description, "parameters": t.Parameters,
	}}
}

// Set is the registry: the tools over one warehouse. It may be used concurrently.
type Set struct {
	deps Deps
	list []Tool
}

// New returns the tools.
func New(deps Deps) (*Set, error) {
	if deps.Catalog == nil || deps.Guard == nil {
		return nil, errors.New("the tools of text to SQL need a catalog and a guard")
	}
	s := &Set{deps: deps}
	var problems error
	add := func(t Tool, err error) {
		s.list, problems = append(s.list, t), errors.Join(problems, err)
	}
	add(tool(GetSchema, "Describes tables: columns with types, comments and sample values, keys, and how they join. Tables that the asker may not see do not exist.", s.Describe))
	add(tool(ValidateSQL, "Checks a Presto SQL query against the catalog as it is checked before it runs. Does not run it.", s.Validate))
	if deps.Executor != nil {
		add(tool(ExecuteSQL, "Runs one Presto SQL query, read only, as the asker, and returns its first rows.", s.Run))
	}
	if problems != nil {
		return nil, problems
	}
	return s, nil
}

// List returns all tools in a fixed order.
func (s *Set) List() []Tool { return slices.Clone(s.list) }

// ByName returns a tool.
func (s *Set) ByName(name string) (Tool, bool) {
	i := slices.IndexFunc(s.list, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return s.list[i], true
}

// tool wraps a typed function.
func tool[In, Out any](name, description string, call func(context.Context, In) (Out, error)) (Tool, error) {
	parameters, err := schema.For[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	return Tool{
		Name: name, Description: description, Parameters: parameters.Map(),
		Execute: func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			if problems := parameters.Check(arguments); len(problems) > 0 {
				return nil, fault.Invalid("arguments", "ARGUMENTS_INVALID", "arguments of %s: %s", name, strings.Join(problems, "; "))
			}
			var in In
			if err := json.Unmarshal(arguments, &in); err != nil {
				return nil, fault.Invalid("arguments", "ARGUMENTS_INVALID", "arguments of %s: %v", name, err)
			}
			out, err := call(ctx, in)
			if err != nil {
				return nil, err
			}
			return json.Marshal(out)
		},
	}, nil
}
