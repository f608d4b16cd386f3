package duckdb

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// jsonTable writes JSON_TABLE as a query over the list of the items that its path
// finds, each the input of the paths of its columns.
func (e *emitter) jsonTable(t *tree.JSONTable) string {
	if t.Plan != "" || t.OnError == "ERROR" {
		return e.no(t, "JSON_TABLE with PLAN or ERROR ON ERROR")
	}
	if len(t.Path.Passing) > 0 {
		for _, c := range t.Columns {
			if c.Path != nil && hasVariable(c.Path.Value) || c.Kind == tree.JSONColumnNested {
				return e.no(c, "a variable in a column of JSON_TABLE")
			}
		}
	}
	return "(" + e.jsonLevel(e.jsonPath(t.Path), t.Columns) + ")"
}

// hasVariable reports a path that may name a variable.
func hasVariable(path string) bool {
	for i := 0; i+1 < len(path); i++ {
		if next := path[i+1]; path[i] == '$' && (next == '_' || next|0x20 >= 'a' && next|0x20 <= 'z') {
			return true
		}
	}
	return false
}

// jsonLevel writes the query over the items of a path; input is the arguments by
// which it is followed.
func (e *emitter) jsonLevel(input string, columns []*tree.JSONColumn) string {
	s := e.suffix()
	row, number, nested := "presto_u"+s, "presto_i"+s, "presto_n"+s
	items := "list_transform(presto_json_rows(" + input + "), lambda presto_x" + s + ", " + number + ": {'x': presto_x" + s + ", 'o': " + number + "})"
	item := "struct_extract(" + row + ", 'x')"
	var texts []string
	below := ""
	for _, c := range columns {
		if c.Kind != tree.JSONColumnNested {
			texts = append(texts, e.jsonColumn(c, item, "struct_extract("+row+", 'o')")+" AS "+printer.Quote(variableName(c.Name)))
			continue
		}
		if below != "" {
			return e.no(c, "JSON_TABLE with several nested paths")
		}
		below = " LEFT JOIN LATERAL (" + e.jsonLevel(e.jsonPath(e.pathOver(item, c.Path)), c.Columns) + ") AS " + nested + " ON true"
		texts = append(texts, nested+".*")
	}
	return "SELECT " + strings.Join(texts, ", ") + " FROM (SELECT unnest(" + items + ") AS " + row + ") AS presto_t" + s + below
}

// pathOver is a path over a text of JSON.
func (e *emitter) pathOver(text string, path *tree.String) *tree.JSONPath {
	return &tree.JSONPath{Input: &tree.JSONInput{X: e.stand(text, types.Varchar())}, Path: path}
}

func (e *emitter) jsonColumn(c *tree.JSONColumn, item, number string) string {
	if c.Kind == tree.JSONColumnOrdinality {
		return "CAST(" + number + " AS BIGINT)"
	}
	path := c.Path
	if path == nil {
		path = tree.Str("lax $." + strconv.Quote(variableName(c.Name)))
	}
	t := types.Varchar()
	if c.Type != nil {
		t = types.Parse(c.Type.Text)
	}
	if c.Kind == tree.JSONColumnQuery {
		x := &tree.JSONQuery{Path: e.pathOver(item, path), Returning: c.Type, Format: c.Format, Wrapper: c.Wrapper, Quotes: c.Quotes, OnEmpty: c.OnEmpty, OnError: c.OnError}
		if strings.HasPrefix(x.Format, "JSON") {
			x.Format = ""
		}
		e.given[x] = t
		return e.jsonQuery(x)
	}
	x := &tree.JSONValue{Path: e.pathOver(item, path), Returning: c.Type, OnEmpty: c.OnEmpty, OnError: c.OnError}
	e.given[x] = t
	return e.jsonValue(x)
}
