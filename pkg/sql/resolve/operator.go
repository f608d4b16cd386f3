package resolve

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve/signature"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (r *resolver) binary(x *tree.Binary, e env) (types.Type, []Origin) {
	switch x.Op {
	case tree.OpAnd, tree.OpOr:
		return r.logical(x, e)
	case tree.OpConcat:
		return r.function(x, "concat", []tree.Expr{x.Left, x.Right}, e)
	}
	origins := r.parts(e, x.Left, x.Right)
	left, right := r.typeOf(x.Left), r.typeOf(x.Right)
	switch x.Op {
	case tree.OpAdd, tree.OpSub, tree.OpMul, tree.OpDiv, tree.OpMod:
		return r.operator(x, x.Op, left, right), origins
	}
	r.comparison(x, x.Op, left, right)
	return types.Boolean(), origins
}

// logical resolves AND and OR: a chain of one of them goes from left to right, and
// is not followed by recursion, as it can be long.
func (r *resolver) logical(x *tree.Binary, e env) (types.Type, []Origin) {
	chain := []*tree.Binary{x}
	for {
		left, ok := chain[len(chain)-1].Left.(*tree.Binary)
		if !ok || left.Op != x.Op {
			break
		}
		chain = append(chain, left)
	}
	deepest := chain[len(chain)-1]
	r.boolean(deepest.Left, e, x.Op)
	origins := r.originsOf(deepest.Left)
	for i := len(chain) - 1; i >= 0; i-- {
		r.boolean(chain[i].Right, e, x.Op)
		origins = union(origins, r.originsOf(chain[i].Right))
		at := r.info(chain[i])
		at.typ, at.origins = types.Boolean(), origins
	}
	return types.Boolean(), origins
}

// operator returns the type of an operator's result and notes where there is no
// such operator.
func (r *resolver) operator(at tree.Expr, op string, operands ...types.Type) types.Type {
	if t, ok := fastOperator(op, operands); ok {
		return t
	}
	args := make([]signature.Arg, len(operands))
	texts := make([]string, len(operands))
	for i, t := range operands {
		args[i].Type = t
	}
	call, outcome := signature.Choose(signature.Operator(op), args)
	switch outcome {
	case signature.Chosen:
		return call.Result
	case signature.Ambiguous, signature.None:
		code := TypeMismatch
		if outcome == signature.Ambiguous {
			code = AmbiguousFunctionCall
		}
		for i, t := range operands {
			texts[i] = t.String()
		}
		r.mistake(code, at, nil, "there is no operator '%s' for %s", op, strings.Join(texts, " and "))
	}
	return types.Unknown()
}

// fastOperator answers the most frequent operators without a search: those of one
// numeric type.
func fastOperator(op string, operands []types.Type) (types.Type, bool) {
	if len(operands) != 2 || op == "[]" || operands[0].Base != operands[1].Base {
		return types.Type{}, false
	}
	t := operands[0]
	return t, t.IsInteger() || t.IsFloat()
}

// comparison notes a comparison of types that do not compare.
func (r *resolver) comparison(at tree.Expr, op string, left, right types.Type) {
	common, ok := types.Common(left, right)
	if ok && types.Coercible(left, common) && types.Coercible(right, common) {
		switch op {
		case tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe:
			ok = common.IsOrderable()
		default:
			ok = common.IsComparable()
		}
	}
	if !ok {
		r.mistake(TypeMismatch, at, nil, "cannot compare %s with %s", left, right)
	}
}

func (r *resolver) unary(x *tree.Unary, e env) (types.Type, []Origin) {
	if n, ok := x.X.(*tree.Number); ok && x.Op == "-" {
		r.expr(n, e)
		return r.negativeLiteral(n), nil
	}
	t := r.expr(x.X, e)
	origins := r.originsOf(x.X)
	if x.Op == "-" {
		return r.operator(x, "negate", t), origins
	}
	if !t.IsUnknown() && !t.IsInteger() && !t.IsFloat() {
		r.mistake(TypeMismatch, x, nil, "the sign + is for numbers, this is %s", t)
		return types.Unknown(), origins
	}
	return t, origins
}

func (r *resolver) subscript(x *tree.Subscript, e env) (types.Type, []Origin) {
	t := r.expr(x.X, e)
	if t.Base == "row" {
		return r.rowSubscript(x, t, e), r.originsOf(x.X)
	}
	index := r.expr(x.Index, e)
	origins := union(r.originsOf(x.X), r.originsOf(x.Index))
	if t.Base == "array" && types.Coercible(index, types.Bigint()) {
		return t.Args[0], origins
	}
	return r.operator(x, "[]", t, index), origins
}

func (r *resolver) rowSubscript(x *tree.Subscript, t types.Type, e env) types.Type {
	index := r.expr(x.Index, e)
	n, ok := integerLiteral(x.Index)
	switch {
	case !ok:
		r.mistake(ExpressionNotConstant, x.Index, nil, "the field of a row is asked for by a number that is written out")
	case index.Base != "integer":
		r.mistake(TypeMismatch, x.Index, nil, "the field of a row is asked for by an integer, this is %s", index)
	case n < 1 || n > int64(len(t.Args)):
		r.mistake(InvalidFunctionArgument, x.Index, nil, "the row has %d fields, counted from 1: there is no %d", len(t.Args), n)
	default:
		return t.Args[n-1]
	}
	return types.Unknown()
}

func (r *resolver) between(x *tree.Between, e env) (types.Type, []Origin) {
	origins := r.parts(e, x.X, x.Low, x.High)
	value, low, high := r.typeOf(x.X), r.typeOf(x.Low), r.typeOf(x.High)
	common, ok := types.Common(value, low)
	if ok {
		common, ok = types.Common(common, high)
	}
	if !ok || !common.IsOrderable() {
		r.mistake(TypeMismatch, x, nil, "%s cannot be between %s and %s", value, low, high)
	}
	return types.Boolean(), origins
}

func (r *resolver) inList(x *tree.InList, e env) (types.Type, []Origin) {
	all := append([]tree.Expr{x.X}, x.List...)
	origins := r.parts(e, all...)
	r.commonOf(all, "IN")
	return types.Boolean(), origins
}

func (r *resolver) like(x *tree.Like, e env) (types.Type, []Origin) {
	origins := r.parts(e, x.X, x.Pattern, x.Escape)
	if t := r.typeOf(x.X); !t.IsText() && !types.Coercible(t, types.Varchar()) {
		r.mistake(TypeMismatch, x.X, nil, "LIKE is for texts, this is %s", t)
	}
	if t := r.typeOf(x.Pattern); !types.Coercible(t, types.Varchar()) {
		r.mistake(TypeMismatch, x.Pattern, nil, "the pattern of LIKE is a varchar, this is %s", t)
	}
	if x.Escape != nil {
		if t := r.typeOf(x.Escape); !types.Coercible(t, types.Varchar()) {
			r.mistake(TypeMismatch, x.Escape, nil, "the ESCAPE of LIKE is a varchar, this is %s", t)
		}
	}
	return types.Boolean(), origins
}

// rowOf is the type of what a subquery gives.
func rowOf(fields []*field) types.Type {
	t := types.Type{Base: "row", Precision: -1}
	for _, f := range fields {
		t.Args, t.Names = append(t.Args, f.typ), append(t.Names, f.name)
	}
	return t
}

// subquery resolves a query in an expression.
func (r *resolver) subquery(at tree.Expr, q *tree.Query, e env) []*field {
	if e.inLambda {
		r.mistake(NotSupported, at, nil, "a lambda cannot hold a subquery")
	}
	return r.query(q, e.here.inside())
}

func (r *resolver) scalarQuery(x *tree.ScalarQuery, e env) (types.Type, []Origin) {
	fields := r.subquery(x, x.Query, e)
	origins := originsOfAll(fields)
	switch {
	case unknownTable(fields):
		return types.Unknown(), origins
	case len(fields) == 1:
		return fields[0].typ, origins
	}
	return rowOf(fields), origins
}

func (r *resolver) inQuery(x *tree.InQuery, e env) (types.Type, []Origin) {
	t := r.expr(x.X, e)
	fields := r.subquery(x, x.Query, e)
	r.compareQuery(x, t, fields)
	return types.Boolean(), union(r.originsOf(x.X), originsOfAll(fields))
}

// compareQuery notes a value that cannot be compared with what a subquery gives.
func (r *resolver) compareQuery(at tree.Expr, t types.Type, fields []*field) types.Type {
	if t.IsUnknown() || unknownTable(fields) {
		return types.Unknown()
	}
	if t.Base != "row" && !t.IsNull() {
		t = types.Row([]types.Type{t})
	}
	given := rowOf(fields)
	common, ok := types.Common(t, given)
	if !ok {
		r.mistake(TypeMismatch, at, nil, "%s cannot be compared with the subquery's %s", t, given)
		return types.Unknown()
	}
	return common
}

func (r *resolver) quantified(x *tree.Quantified, e env) (types.Type, []Origin) {
	t := r.expr(x.X, e)
	fields := r.subquery(x, x.Query, e)
	common := r.compareQuery(x, t, fields)
	switch x.Op {
	case tree.OpEq, tree.OpNe:
		if !common.IsComparable() {
			r.mistake(TypeMismatch, x, nil, "%s does not compare", common)
		}
	default:
		if !common.IsOrderable() {
			r.mistake(TypeMismatch, x, nil, "%s has no order", common)
		}
	}
	return types.Boolean(), union(r.originsOf(x.X), originsOfAll(fields))
}
