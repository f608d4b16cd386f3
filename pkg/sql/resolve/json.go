package resolve

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// json resolves the JSON functions of the SQL standard.
func (r *resolver) json(x tree.Expr, e env) (types.Type, []Origin) {
	switch x := x.(type) {
	case *tree.JSONExists:
		return types.Boolean(), r.jsonPath(x.Path, "JSON_EXISTS", false, e)
	case *tree.JSONValue:
		origins := r.jsonPath(x.Path, "JSON_VALUE", false, e)
		return r.jsonValue(x, x.Returning, x.OnEmpty, x.OnError, e), origins
	case *tree.JSONQuery:
		origins := r.jsonPath(x.Path, "JSON_QUERY", false, e)
		return r.jsonQuery(x, x.Returning, x.Format, x.Wrapper, x.Quotes), origins
	case *tree.JSONObject:
		return r.jsonObject(x, e)
	case *tree.JSONArray:
		var origins []Origin
		for _, item := range x.Items {
			r.jsonItem(x, item, false, e)
			origins = union(origins, r.originsOf(item.X))
		}
		return r.jsonOutput(x, x.Returning, x.Format), origins
	}
	return types.Unknown(), nil
}

// jsonPath resolves what a JSON function reads and is passed.
func (r *resolver) jsonPath(p *tree.JSONPath, name string, named bool, e env) []Origin {
	if p.Name != nil && !named {
		r.mistake(InvalidPath, p.Name, nil, "the path of %s has no name", name)
	}
	r.checkPath(p)
	t := r.expr(p.Input.X, e)
	r.jsonInput(p.Input, t)
	origins := r.originsOf(p.Input.X)
	seen := map[string]bool{}
	for _, a := range p.Passing {
		if seen[label(a.Name)] {
			r.mistake(DuplicateParameterName, a.Name, nil, "'%s' is passed twice", a.Name.Name)
		}
		seen[label(a.Name)] = true
		t := r.expr(a.Value.X, e)
		origins = union(origins, r.originsOf(a.Value.X))
		switch {
		case a.Value.Format != "" || isJSONFunction(a.Value.X):
			r.jsonInput(a.Value, t)
		case t.Base == "varbinary":
			r.mistake(NotSupported, a.Value.X, nil, "%s cannot be passed to a path", t)
		case !types.Castable(t, types.Varchar()):
			r.mistake(NotSupported, p, nil, "%s cannot be passed to a path", t)
		}
	}
	return origins
}

// checkPath reads a path, and looks for the values of its variables.
func (r *resolver) checkPath(p *tree.JSONPath) {
	if at, found := presto.JSONPathMistake(p.Path.Value); found && !strings.Contains(p.Path.Value, "'") {
		place := startOf(p.Path)
		place.offset += 1 + at
		r.mistakeAt(SyntaxError, place, p.Path, nil, "the JSON path is not understood")
		return
	}
	for _, name := range presto.JSONPathVariables(p.Path.Value) {
		if !slices.ContainsFunc(p.Passing, func(a *tree.JSONArgument) bool { return label(a.Name) == name }) {
			r.mistake(InvalidPath, p.Path, nil, "no value is passed for $%s: names without quotes are in capital letters", name)
		}
	}
}

func isJSONFunction(x tree.Expr) bool {
	switch tree.Unparen(x).(type) {
	case *tree.JSONQuery, *tree.JSONObject, *tree.JSONArray:
		return true
	}
	return false
}

// jsonInput checks that a value can be read as JSON.
func (r *resolver) jsonInput(in *tree.JSONInput, t types.Type) {
	if t.IsUnknown() || t.IsNull() {
		return
	}
	ok := t.IsText() || t.Base == "varbinary"
	if strings.Contains(in.Format, "ENCODING") {
		ok = t.Base == "varbinary"
	}
	if !ok {
		r.mistake(TypeMismatch, in.X, nil, "%s cannot be read as JSON", t)
	}
}

// jsonType is the type that RETURNING names; varchar where it is not written.
func (r *resolver) jsonType(at tree.Node, returning *tree.TypeName) types.Type {
	if returning == nil {
		return types.Varchar()
	}
	t, ok := types.Read(returning.Text)
	if !ok {
		r.mistake(TypeMismatch, at, nil, "there is no type '%s'", returning.Text)
		return types.Unknown()
	}
	return t
}

func (r *resolver) jsonValue(at tree.Node, returning *tree.TypeName, onEmpty, onError *tree.JSONBehavior, e env) types.Type {
	t := r.jsonType(at, returning)
	if !t.IsUnknown() && !t.IsText() && !t.IsNumeric() && t.Base != "boolean" && !t.IsTime() {
		r.mistake(TypeMismatch, at, nil, "JSON_VALUE cannot return %s", t)
	}
	for _, b := range []*tree.JSONBehavior{onEmpty, onError} {
		if b == nil || b.Default == nil {
			continue
		}
		if have := r.expr(b.Default, e); !types.Coercible(have, t) {
			r.mistake(TypeMismatch, b.Default, nil, "the default is %s, not %s", have, t)
		}
	}
	return t
}

func (r *resolver) jsonQuery(at tree.Node, returning *tree.TypeName, format, wrapper, quotes string) types.Type {
	if strings.HasPrefix(wrapper, "WITH ") || wrapper == "WITH" {
		if quotes != "" {
			r.mistake(InvalidFunctionArgument, at, nil, "%s QUOTES and %s WRAPPER do not go together", quotes, wrapper)
		}
	}
	return r.jsonOutput(at, returning, format)
}

// jsonOutput checks that JSON can be returned as a type.
func (r *resolver) jsonOutput(at tree.Node, returning *tree.TypeName, format string) types.Type {
	t := r.jsonType(at, returning)
	ok := t.IsUnknown() || t.IsText() || t.Base == "varbinary"
	if strings.Contains(format, "ENCODING") {
		ok = t.IsUnknown() || t.Base == "varbinary"
	}
	if !ok {
		r.mistake(TypeMismatch, at, nil, "JSON cannot be returned as %s", t)
	}
	return t
}

func (r *resolver) jsonObject(x *tree.JSONObject, e env) (types.Type, []Origin) {
	var origins []Origin
	for _, m := range x.Members {
		if t := r.expr(m.Key, e); !t.IsUnknown() && !t.IsText() {
			r.mistake(InvalidFunctionArgument, m.Key, nil, "a key of a JSON object is a text, this is %s", t)
		}
		r.jsonItem(x, m.Value, x.Unique == "WITH", e)
		origins = union(origins, union(r.originsOf(m.Key), r.originsOf(m.Value.X)))
	}
	return r.jsonOutput(x, x.Returning, x.Format), origins
}

// jsonItem resolves a value of a JSON object or array.
func (r *resolver) jsonItem(at tree.Node, in *tree.JSONInput, unique bool, e env) {
	t := r.expr(in.X, e)
	switch {
	case in.Format != "" || isJSONFunction(in.X):
		if unique {
			r.mistake(NotSupported, at, nil, "WITH UNIQUE KEYS does not go with FORMAT")
		}
		r.jsonInput(in, t)
	case t.Base == "varbinary":
		r.mistake(NotSupported, in.X, nil, "%s cannot be in JSON", t)
	case !types.Castable(t, types.Varchar()):
		r.mistake(NotSupported, at, nil, "%s cannot be in JSON", t)
	}
}

// jsonTable resolves JSON_TABLE and returns its columns.
func (r *resolver) jsonTable(t *tree.JSONTable, outer *level) []*field {
	e := seeing(&level{parent: outer})
	r.noAggregates(t.Path.Input.X, "JSON_TABLE")
	for _, a := range t.Path.Passing {
		r.noAggregates(a.Value.X, "JSON_TABLE")
	}
	origins := r.jsonPath(t.Path, "JSON_TABLE", true, e)
	names := map[string]bool{}
	if t.Path.Name != nil {
		names[label(t.Path.Name)] = true
	}
	return r.jsonColumns(t.Columns, names, origins, e)
}

func (r *resolver) jsonColumns(columns []*tree.JSONColumn, names map[string]bool, origins []Origin, e env) []*field {
	var out []*field
	for _, c := range columns {
		if c.Name != nil {
			if names[label(c.Name)] {
				r.mistake(DuplicateColumnOrPath, c.Name, nil, "the name '%s' is there twice", c.Name.Name)
			}
			names[label(c.Name)] = true
		}
		switch c.Kind {
		case tree.JSONColumnNested:
			out = append(out, r.jsonColumns(c.Columns, names, origins, e)...)
		case tree.JSONColumnOrdinality:
			out = append(out, newField(label(c.Name), types.Bigint(), nil))
		case tree.JSONColumnQuery:
			out = append(out, newField(label(c.Name), r.jsonQuery(c, c.Type, c.Format, c.Wrapper, c.Quotes), origins))
		default:
			out = append(out, newField(label(c.Name), r.jsonValue(c, c.Type, c.OnEmpty, c.OnError, e), origins))
		}
	}
	return out
}
