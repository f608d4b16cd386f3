package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a change of one place. It is put into the source as text before and after
// what it changes, never across lines, so that many fit into one file and lines stay.
type mutant struct {
	id   int // set when it is built in
	file *file
	line int
	end  int    // the line where its function ends, of a statement left out
	what string // the change, for people

	edits []edit
	outer int // of two with the same span, the greater is outside
}

// edit puts text around a span of the source, or over it.
type edit struct {
	from, to      int
	before, after string // {id} stands for the number of the mutant
	over          bool   // before replaces the span
}

func (m *mutant) String() string {
	dir := filepath.Base(m.file.pkg.Dir)
	return fmt.Sprintf("%s/%s:%d  %s", dir, filepath.Base(m.file.path), m.line, m.what)
}

// finder walks a file and keeps what can be changed.
type finder struct {
	*file
	path  []ast.Node
	found []*mutant
}

// find returns all changes of a package that the tool knows.
func (p *pkg) find() []*mutant {
	var all []*mutant
	for _, f := range p.files {
		x := &finder{file: f}
		ast.Inspect(f.ast, x.visit)
		all = append(all, x.found...)
	}
	return all
}

func (x *finder) visit(n ast.Node) bool {
	if n == nil {
		x.path = x.path[:len(x.path)-1]
		return true
	}
	if x.leaveOut(n) {
		return false
	}
	x.statement(n)
	if e, ok := n.(ast.Expr); ok {
		x.expression(e)
	}
	x.path = append(x.path, n)
	return true
}

// leaveOut says what is no behaviour that a test should hold, or cannot be changed
// while the program runs: constants, types, logs and traces, the wording of errors.
func (x *finder) leaveOut(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.ArrayType, *ast.StructType, *ast.InterfaceType, *ast.FuncType, *ast.Comment:
		return true
	case *ast.GenDecl:
		return n.Tok == token.CONST || n.Tok == token.TYPE || n.Tok == token.IMPORT
	case *ast.CallExpr:
		switch x.packageOf(n.Fun) {
		case "log/slog", "fmt", "errors", "go.opentelemetry.io/otel/trace", "go.opentelemetry.io/otel/attribute",
			"go.opentelemetry.io/otel/codes", "go.opentelemetry.io/otel/metric":
			return true
		}
		return strings.HasSuffix(x.packageOf(n.Fun), "/pkg/fault") || strings.HasSuffix(x.packageOf(n.Fun), "/pkg/telemetry")
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		return ok && x.leaveOut(call) && x.packageOf(call.Fun) != "fmt"
	case *ast.DeferStmt:
		return x.leaveOut(n.Call)
	}
	return false
}

// packageOf is the path of the package of a function or method that is called.
func (x *finder) packageOf(fun ast.Expr) string {
	var id *ast.Ident
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return ""
	}
	if o := x.pkg.info.Uses[id]; o != nil && o.Pkg() != nil && o.Pkg() != x.pkg.types {
		return o.Pkg().Path()
	}
	return ""
}

func (x *finder) offset(p token.Pos) int { return x.pkg.set.Position(p).Offset }

func (x *finder) text(n ast.Node) string {
	return string(x.source[x.offset(n.Pos()):x.offset(n.End())])
}

// short is the text of a node on one line.
func (x *finder) short(n ast.Node) string {
	s := []rune(strings.Join(strings.Fields(x.text(n)), " "))
	if len(s) > 90 {
		return string(s[:90]) + "…"
	}
	return string(s)
}

func (x *finder) add(n ast.Node, outer int, what string, edits ...edit) {
	x.found = append(x.found, &mutant{file: x.file, line: x.pkg.set.Position(n.Pos()).Line, what: what, edits: edits, outer: outer})
}

// around is an edit that puts text around a node.
func (x *finder) around(n ast.Node, before, after string) edit {
	return edit{from: x.offset(n.Pos()), to: x.offset(n.End()), before: before, after: after}
}

func (x *finder) parent() ast.Node {
	if len(x.path) == 0 {
		return nil
	}
	return x.path[len(x.path)-1]
}

// statement finds statements that can be left out.
func (x *finder) statement(n ast.Node) {
	switch x.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return
	}
	switch s := n.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || onlyBlank(s.Lhs) {
			return
		}
	case *ast.ReturnStmt:
		// The last statement of a function cannot be left out.
		if len(x.path) > 1 {
			if _, ok := x.path[len(x.path)-2].(*ast.FuncDecl); ok {
				return
			}
		}
	case *ast.CaseClause, *ast.CommClause, *ast.BlockStmt, *ast.DeclStmt, *ast.EmptyStmt, *ast.LabeledStmt, *ast.IfStmt,
		*ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return
	case ast.Stmt:
	default:
		return
	}
	x.add(n, 9, fmt.Sprintf("left out: %s", x.short(n)), x.around(n, "if !mutantOn({id}) { ", " }"))
	for _, p := range slices.Backward(x.path) {
		switch p.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			x.found[len(x.found)-1].end = x.pkg.set.Position(p.End()).Line
			return
		}
	}
}

func onlyBlank(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// expression finds what can be changed of an expression.
func (x *finder) expression(e ast.Expr) {
	t, ok := x.pkg.info.Types[e]
	if !ok || !t.IsValue() || x.isTarget(e) {
		return
	}
	if basic, ok := t.Type.Underlying().(*types.Basic); ok {
		switch {
		case basic.Info()&types.IsBoolean != 0:
			x.boolean(e, t)
		case basic.Info()&types.IsInteger != 0 && t.Value != nil:
			x.integer(e, t)
		case basic.Info()&types.IsString != 0 && t.Value != nil:
			x.str(e, t)
		}
	}
	x.loop(e, t)
	x.field(e, t)
	x.call(e)
	x.sign(e, t)
}

// isTarget reports whether an expression is assigned to, or its address is taken.
func (x *finder) isTarget(e ast.Expr) bool {
	switch p := x.parent().(type) {
	case *ast.AssignStmt:
		return slices.Contains(p.Lhs, e)
	case *ast.RangeStmt:
		return p.Key == e || p.Value == e
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		return p.Op == token.AND
	case *ast.SelectorExpr:
		return true
	case *ast.ParenExpr:
		return true
	case *ast.KeyValueExpr:
		if p.Key != e || len(x.path) < 2 {
			return false
		}
		lit, ok := x.path[len(x.path)-2].(*ast.CompositeLit)
		if !ok {
			return false
		}
		_, isStruct := x.pkg.info.Types[lit].Type.Underlying().(*types.Struct)
		return isStruct
	}
	return false
}

// boolean finds changes of an expression that is true or false.
func (x *finder) boolean(e ast.Expr, t types.TypeAndValue) {
	if p, ok := x.parent().(*ast.UnaryExpr); ok && p.Op == token.NOT {
		return // the same as a change of the whole
	}
	text := x.short(e)
	negate := func() { x.add(e, 3, fmt.Sprintf("turned round: %s", text), x.around(e, "((", ") != mutantOn({id}))")) }
	if t.Value != nil {
		negate()
		return
	}
	if b, ok := e.(*ast.BinaryExpr); ok {
		x.operator(b, text)
	}
	x.add(e, 3, fmt.Sprintf("always true: %s", text), x.around(e, "(mutantOn({id}) || (", "))"))
	x.add(e, 3, fmt.Sprintf("always false: %s", text), x.around(e, "(!mutantOn({id}) && (", "))"))
	negate()
}

// operator finds another operator for a comparison, && and ||.
func (x *finder) operator(b *ast.BinaryExpr, text string) {
	other := map[token.Token]token.Token{
		token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
		token.LAND: token.LOR, token.LOR: token.LAND,
	}[b.Op]
	if other == token.ILLEGAL {
		return
	}
	op := edit{from: x.offset(b.OpPos), to: x.offset(b.OpPos) + len(b.Op.String()), over: true}
	what := fmt.Sprintf("%s for %s: %s", other, b.Op, text)
	switch b.Op {
	case token.LAND:
		op.before = ", func() bool { return "
		x.add(b, 0, what, x.around(b, "mutantAnd({id}, ", " })"), op)
	case token.LOR:
		op.before = ", func() bool { return "
		x.add(b, 0, what, x.around(b, "mutantOr({id}, ", " })"), op)
	default:
		op.before = ", "
		name := map[token.Token]string{token.LSS: "Less", token.LEQ: "LessEqual", token.GTR: "Greater", token.GEQ: "GreaterEqual"}[b.Op]
		x.add(b, 0, what, x.around(b, "mutant"+name+"({id}, ", ")"), op)
	}
}

// whole reports whether a constant is not part of a greater one.
func (x *finder) whole() bool {
	p, ok := x.parent().(ast.Expr)
	return !ok || x.pkg.info.Types[p].Value == nil
}

// name is how a file writes a type; false where it cannot.
func (x *finder) name(t types.Type) (string, bool) {
	t = types.Default(t)
	ok := true
	s := types.TypeString(t, func(p *types.Package) string {
		if p == x.pkg.types {
			return ""
		}
		for _, i := range x.ast.Imports {
			if strings.Trim(i.Path.Value, `"`) == p.Path() {
				if i.Name != nil {
					return i.Name.Name
				}
				return p.Name()
			}
		}
		ok = false
		return p.Name()
	})
	return s, ok
}

func (x *finder) integer(e ast.Expr, t types.TypeAndValue) {
	name, ok := x.name(t.Type)
	if !ok || !x.whole() || x.isHint(e) {
		return
	}
	switch e.(type) {
	case *ast.BasicLit, *ast.Ident, *ast.SelectorExpr, *ast.BinaryExpr, *ast.UnaryExpr:
	default:
		return
	}
	if b, ok := t.Type.(*types.Basic); !ok || b.Kind() == types.UntypedRune || b.Kind() == types.Int32 || b.Kind() == types.Uint8 {
		if _, isNumber := e.(*ast.BasicLit); !isNumber || !ok {
			return // a member of an enumeration, a letter: one more is no boundary
		}
	}
	x.add(e, 2, fmt.Sprintf("one more: %s", x.context(e)), x.around(e, "mutantMore["+name+"]({id}, ", ")"))
	if v, exact := constant.Int64Val(constant.ToInt(t.Value)); !exact || v > 0 {
		x.add(e, 2, fmt.Sprintf("one less: %s", x.context(e)), x.around(e, "mutantLessOne["+name+"]({id}, ", ")"))
	}
}

// context is a small expression with what it is in.
func (x *finder) context(e ast.Expr) string {
	if p := x.parent(); p != nil {
		if s := x.short(p); len(s) < 80 {
			return fmt.Sprintf("%s in %s", x.short(e), s)
		}
	}
	return x.short(e)
}

// isHint reports whether a number is how much room is made at first.
func (x *finder) isHint(e ast.Expr) bool {
	call, ok := x.parent().(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == "make" && call.Args[len(call.Args)-1] == e && (len(call.Args) == 3 || x.text(e) != "1")
	case *ast.SelectorExpr:
		return f.Sel.Name == "Grow"
	}
	return false
}

// str finds names: texts that are compared, looked up or kept in a table. What has a
// space is taken for wording.
func (x *finder) str(e ast.Expr, t types.TypeAndValue) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || !x.whole() || strings.ContainsAny(lit.Value, " %") || lit.Value == `""` {
		return
	}
	switch p := x.parent().(type) {
	case *ast.BinaryExpr:
		if p.Op == token.ADD {
			return
		}
	case *ast.CaseClause, *ast.CompositeLit, *ast.KeyValueExpr, *ast.IndexExpr, *ast.ReturnStmt:
	default:
		return
	}
	name, ok := x.name(t.Type)
	if !ok {
		return
	}
	x.add(e, 2, fmt.Sprintf("another text: %s", x.context(e)), x.around(e, "mutantText["+name+"]({id}, ", ")"))
}

// loop finds loops over slices and maps that can be left out.
func (x *finder) loop(e ast.Expr, t types.TypeAndValue) {
	r, ok := x.parent().(*ast.RangeStmt)
	if !ok || r.X != e {
		return
	}
	switch t.Type.Underlying().(type) {
	case *types.Slice:
		x.add(e, 1, fmt.Sprintf("loop over none: range %s", x.short(e)), x.around(e, "mutantZero({id}, ", ")"))
		x.add(e, 1, fmt.Sprintf("loop over all but the last: range %s", x.short(e)), x.around(e, "mutantButLast({id}, ", ")"))
	case *types.Map:
		x.add(e, 1, fmt.Sprintf("loop over none: range %s", x.short(e)), x.around(e, "mutantZero({id}, ", ")"))
	}
}

// field finds fields of a struct that is made which can be left out.
func (x *finder) field(e ast.Expr, t types.TypeAndValue) {
	kv, ok := x.parent().(*ast.KeyValueExpr)
	if !ok || kv.Value != e || t.IsNil() || t.Value != nil {
		return
	}
	lit, ok := x.path[len(x.path)-2].(*ast.CompositeLit)
	if !ok {
		return
	}
	if _, ok := x.pkg.info.Types[lit].Type.Underlying().(*types.Struct); ok {
		x.add(e, 1, fmt.Sprintf("left out: %s", x.short(kv)), x.around(e, "mutantZero({id}, ", ")"))
	}
}

// call finds two arguments of one type that stand beside each other.
func (x *finder) call(e ast.Expr) {
	c, ok := e.(*ast.CallExpr)
	if !ok || x.pkg.info.Types[c.Fun].IsType() {
		return
	}
	if id, ok := c.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
		return
	}
	for i := 1; i < len(c.Args); i++ {
		a, b := c.Args[i-1], c.Args[i]
		if !plain(a) || !plain(b) || x.text(a) == x.text(b) {
			continue
		}
		ta, tb := x.pkg.info.Types[a], x.pkg.info.Types[b]
		if !ta.IsValue() || !tb.IsValue() || ta.Value != nil || tb.Value != nil || ta.IsNil() || tb.IsNil() || !types.Identical(ta.Type, tb.Type) {
			continue
		}
		x.add(a, 2, fmt.Sprintf("%s and %s swapped: %s", x.text(a), x.text(b), x.short(c)),
			x.around(a, "mutantPick({id}, ", ", "+x.text(b)+")"), x.around(b, "mutantPick({id}, ", ", "+x.text(a)+")"))
	}
}

// plain reports whether reading an expression twice changes nothing.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plain(e.X)
	}
	return false
}

// sign finds sums and differences.
func (x *finder) sign(e ast.Expr, t types.TypeAndValue) {
	p, ok := x.parent().(*ast.BinaryExpr)
	if !ok || p.Y != e || (p.Op != token.ADD && p.Op != token.SUB) || x.pkg.info.Types[p].Value != nil {
		return
	}
	basic, ok := x.pkg.info.Types[p].Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsNumeric == 0 {
		return
	}
	if name, ok := x.name(x.pkg.info.Types[p].Type); ok {
		x.add(e, 2, fmt.Sprintf("sign of %s in %s", x.short(e), x.short(p)), x.around(e, "mutantNegative["+name+"]({id}, ", ")"))
	}
}
