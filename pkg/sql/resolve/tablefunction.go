package resolve

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// tableFunction resolves TABLE(function(...)): of the functions that every Trino
// has, sequence and exclude_columns.
func (r *resolver) tableFunction(f *tree.TableFunction, outer *level) []*field {
	name := functionName(f.Name)
	switch name {
	case "sequence":
		return r.sequence(f)
	case "exclude_columns":
		return r.excludeColumns(f, outer)
	}
	r.tableArguments(f, outer)
	if len(f.Name.Parts) > 1 {
		// A connector's own: which there are is not known.
		r.mistakeAt(NotSupported, startOf(f.Name), f, nil, "the table function %s is not supported", f.Name)
	} else {
		r.mistakeAt(FunctionNotFound, startOf(f.Name), f, nearest(name, []string{"sequence", "exclude_columns"}), "there is no table function '%s'", f.Name)
	}
	return []*field{{any: true}}
}

// tableArguments resolves the arguments of a table function of which nothing is
// known.
func (r *resolver) tableArguments(f *tree.TableFunction, outer *level) {
	for _, a := range f.Args {
		if a.Value != nil {
			r.expr(a.Value, seeing(&level{parent: outer}))
		}
		if a.Relation != nil {
			r.relation(a.Relation, outer)
		}
	}
}

// arguments matches arguments to parameters by name or position; nil where that
// cannot be done.
func (r *resolver) arguments(f *tree.TableFunction, params ...string) map[string]*tree.TableArgument {
	at := firstOf(f)
	if len(f.Args) > len(params) {
		r.mistake(InvalidArguments, at, nil, "'%s' has at most %d arguments", f.Name, len(params))
		return nil
	}
	out := map[string]*tree.TableArgument{}
	named := 0
	for i, a := range f.Args {
		name := params[i]
		if a.Name != nil {
			named++
			name = label(a.Name)
		}
		known := false
		for _, p := range params {
			known = known || p == name
		}
		if !known || out[name] != nil {
			r.mistake(InvalidFunctionArgument, a, nil, "'%s' has no argument '%s', or has it already", f.Name, name)
			return nil
		}
		out[name] = a
	}
	if named != 0 && named != len(f.Args) {
		r.mistake(InvalidArguments, at, nil, "arguments are all given by name or all by position")
		return nil
	}
	return out
}

// firstOf is where mistakes of all arguments together are reported.
func firstOf(f *tree.TableFunction) tree.Node {
	if len(f.Args) > 0 {
		return f.Args[0]
	}
	return f.Name
}

func (r *resolver) sequence(f *tree.TableFunction) []*field {
	columns := []*field{newField("sequential_number", types.Bigint(), nil)}
	args := r.arguments(f, "START", "STOP", "STEP")
	if args == nil {
		return columns
	}
	for _, name := range []string{"START", "STOP", "STEP"} {
		a := args[name]
		switch {
		case a == nil:
			if name == "STOP" {
				r.mistake(MissingArgument, firstOf(f), nil, "'%s' needs the argument STOP", f.Name)
			}
		case a.Value == nil:
			r.mistake(InvalidFunctionArgument, a, nil, "the argument %s is a number", name)
		default:
			t := r.expr(a.Value, seeing(&level{}))
			if !types.Coercible(t, types.Bigint()) {
				r.mistake(TypeMismatch, a.Value, nil, "the argument %s is a bigint, this is %s", name, t)
			}
		}
	}
	return columns
}

func (r *resolver) excludeColumns(f *tree.TableFunction, outer *level) []*field {
	args := r.arguments(f, "INPUT", "COLUMNS")
	input, columns := args["INPUT"], args["COLUMNS"]
	if input == nil || columns == nil || input.Relation == nil {
		r.tableArguments(f, outer)
		return []*field{{any: true}}
	}
	given := r.relation(input.Relation, outer)
	excluded := map[string]bool{}
	for _, d := range columns.Descriptor {
		excluded[d.Name.Key()] = true
	}
	var out []*field
	for _, g := range given {
		if !excluded[g.key] {
			c := *g
			c.qualifier = nil
			out = append(out, &c)
		}
	}
	return out
}
