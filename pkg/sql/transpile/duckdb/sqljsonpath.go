package duckdb

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/presto"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// jsonPath writes what the functions of paths begin with: the input and the path.
func (e *emitter) jsonPath(p *tree.JSONPath) string {
	t := e.typeOf(p.Input.X)
	if t.Base != "varchar" && !t.IsNull() || p.Input.Format != "" && p.Input.Format != "JSON" {
		return e.no(p.Input, "a JSON input of type %s", strings.TrimSpace(orUnknown(t)+" "+p.Input.Format))
	}
	if err := presto.CheckJSONPath(p.Path.Value); err != nil {
		_, what, _ := strings.Cut(err.Error(), ": ")
		return e.no(p.Path, "%s", what)
	}
	return "CAST(" + e.expr(p.Input.X) + " AS VARCHAR), " + e.withPassed(p)
}

// withPassed writes a path with the values of the variables that are passed to it.
func (e *emitter) withPassed(p *tree.JSONPath) string {
	path := printer.String(p.Path.Value)
	if len(p.Passing) == 0 {
		return path
	}
	names := join(p.Passing, ", ", func(a *tree.JSONArgument) string { return printer.String(variableName(a.Name)) })
	values := join(p.Passing, ", ", func(a *tree.JSONArgument) string {
		t := e.typeOf(a.Value.X)
		if a.Value.Format == "" && !t.IsInteger() && t.Base != "double" && t.Base != "varchar" && t.Base != "boolean" && !t.IsNull() {
			return e.no(a, "PASSING of %s", orUnknown(t))
		}
		return e.jsonInput(a.Value)
	})
	return "presto_json_passing(" + path + ", presto_json_object([" + names + "], [" + values + "], false))"
}

// variableName is what a path calls a variable: names without quotes are in
// capital letters.
func variableName(id *tree.Ident) string {
	if id.Quoted {
		return id.Name
	}
	return strings.ToUpper(id.Name)
}

func (e *emitter) jsonExists(x *tree.JSONExists) string {
	flags := 0
	if x.OnError == "ERROR" {
		flags = presto.ErrorOnError
	}
	found := fmt.Sprintf("presto_json_exists(%s, %d)", e.jsonPath(x.Path), flags)
	switch x.OnError {
	case "UNKNOWN":
		return "(nullif(" + found + ", -1) = 1)"
	case "TRUE":
		return "(" + found + " <> 0)"
	}
	return "(" + found + " = 1)"
}

func (e *emitter) jsonQuery(x *tree.JSONQuery) string {
	flags := behaviorFlag(x.OnEmpty, presto.ErrorOnEmpty, presto.ArrayOnEmpty, presto.ObjectOnEmpty) |
		behaviorFlag(x.OnError, presto.ErrorOnError, presto.ArrayOnError, presto.ObjectOnError)
	switch {
	case strings.HasPrefix(x.Wrapper, "WITH CONDITIONAL"):
		flags |= presto.WrapSome
	case x.Wrapper == "WITH" || strings.HasPrefix(x.Wrapper, "WITH "):
		flags |= presto.WrapAlways
	}
	if strings.HasPrefix(x.Quotes, "OMIT") {
		flags |= presto.OmitQuotes
	}
	t := e.typeOf(x)
	if t.Base != "varchar" || x.Format != "" && x.Format != "JSON" {
		return e.no(x, "json_query returning %s", strings.TrimSpace(orUnknown(t)+" "+x.Format))
	}
	return e.castToText(fmt.Sprintf("presto_json_query(%s, %d)", e.jsonPath(x.Path), flags), types.Varchar(), t)
}

func behaviorFlag(b *tree.JSONBehavior, fails, array, object int) int {
	if b == nil {
		return 0
	}
	return map[string]int{"ERROR": fails, "EMPTY ARRAY": array, "EMPTY OBJECT": object}[b.Kind]
}

// jsonValue writes json_value. The function gives a text that begins with what was
// found: V and the value, E where the path found nothing, F where it failed.
func (e *emitter) jsonValue(x *tree.JSONValue) string {
	flags := behaviorFlag(x.OnEmpty, presto.ErrorOnEmpty, 0, 0) | behaviorFlag(x.OnError, presto.ErrorOnError, 0, 0)
	t := e.typeOf(x)
	kind, first, second := t.Base, 0, 0
	switch {
	case t.Base == "varchar":
		first = t.Precision
	case t.IsInteger():
		kind, first = "integer", integerBits(t)
	case t.IsDecimal():
		kind, first, second = "decimal", t.Precision, t.Scale
	case t.IsTime() && presto.NeverText(x.Path.Path.Value):
		return e.no(x, "json_value of a number returning %s", t)
	case t.Base == "timestamp" && t.Precision <= 6:
		first = t.Precision
	case t.Base == "double", t.Base == "boolean", t.Base == "date":
	default:
		return e.no(x, "json_value returning %s", orUnknown(t))
	}
	call := fmt.Sprintf("presto_json_value(%s, '%s', %d, %d, %d)", e.jsonPath(x.Path), kind, first, second, flags)
	onEmpty, onError := e.jsonDefault(x.OnEmpty, t), e.jsonDefault(x.OnError, t)
	return onceText(call, func(found string) string {
		return fmt.Sprintf("CASE left(%s, 1) WHEN 'V' THEN CAST(substr(%s, 2) AS %s) WHEN 'E' THEN %s WHEN 'F' THEN %s END",
			found, found, duckType(t), onEmpty, onError)
	})
}

// jsonDefault writes the value for an empty or a failed path. Trino evaluates it
// where it is needed; it may fail there with an error that another clause handles,
// so only names and literals are written.
func (e *emitter) jsonDefault(b *tree.JSONBehavior, t types.Type) string {
	if b == nil || b.Default == nil {
		return "CAST(NULL AS " + duckType(t) + ")"
	}
	if ok, _ := cheap(b.Default); !ok {
		return e.no(b.Default, "a default of json_value that is no literal or column")
	}
	return e.coerced(b.Default, t)
}
