package resolve

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve/signature"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// specialForm resolves what is written as a call but is none.
func (r *resolver) specialForm(name string, c *tree.Call, e env) (types.Type, []Origin) {
	if !r.formShape(name, c) {
		r.parts(e, c.Args...)
		return types.Unknown(), r.origins(c.Args)
	}
	switch name {
	case "if":
		return r.ifForm(c, e)
	case "coalesce":
		r.parts(e, c.Args...)
		return r.commonOf(c.Args, "COALESCE"), r.origins(c.Args)
	case "nullif":
		origins := r.parts(e, c.Args...)
		first, second := r.typeOf(c.Args[0]), r.typeOf(c.Args[1])
		if _, ok := types.Common(first, second); !ok {
			r.mistake(TypeMismatch, c, nil, "NULLIF cannot compare %s with %s", first, second)
		}
		return first, origins
	case "format":
		return r.format(c, e)
	}
	origins := r.parts(e, c.Args...) // TRY
	return r.typeOf(c.Args[0]), origins
}

// formShape checks what Trino checks when it reads a special form.
func (r *resolver) formShape(name string, c *tree.Call) bool {
	least, most := 2, mostArguments
	switch name {
	case "if":
		most = 3
	case "nullif":
		most = 2
	case "try":
		least, most = 1, 1
	}
	n := len(c.Args)
	plain := c.Over == nil && c.Quantifier != tree.QuantifierDistinct && c.Filter == nil && c.Nulls == "" && c.Mode == ""
	if n < least || n > most || !plain || c.Star {
		r.mistake(SyntaxError, c, nil, "'%s' has the wrong number of arguments, or something behind them that it cannot have", name)
		return false
	}
	return true
}

func (r *resolver) ifForm(c *tree.Call, e env) (types.Type, []Origin) {
	r.boolean(c.Args[0], e, "IF")
	r.parts(e, c.Args[1:]...)
	origins := r.origins(c.Args)
	t := r.typeOf(c.Args[1])
	if len(c.Args) == 2 {
		return t, origins
	}
	second := r.typeOf(c.Args[2])
	common, ok := types.Common(t, second)
	if !ok || !types.Coercible(t, common) || !types.Coercible(second, common) {
		r.mistake(TypeMismatch, c, nil, "the values of IF have no type in common: %s and %s", t, second)
	}
	return common, origins
}

func (r *resolver) format(c *tree.Call, e env) (types.Type, []Origin) {
	origins := r.parts(e, c.Args...)
	if t := r.typeOf(c.Args[0]); !t.IsUnknown() && t.Base != "varchar" {
		r.mistake(TypeMismatch, c.Args[0], nil, "FORMAT begins with a varchar, this is %s", t)
	}
	return types.Varchar(), origins
}

func (r *resolver) caseExpr(c *tree.Case, e env) (types.Type, []Origin) {
	var origins []Origin
	if c.Operand != nil {
		origins = r.caseOperand(c, e)
	} else {
		for _, w := range c.Whens {
			r.boolean(w.Cond, e, "WHEN")
			origins = union(origins, r.originsOf(w.Cond))
		}
	}
	results := make([]tree.Expr, 0, len(c.Whens)+1)
	for _, w := range c.Whens {
		results = append(results, w.Result)
	}
	if c.Else != nil {
		results = append(results, c.Else)
	}
	origins = union(origins, r.parts(e, results...))
	return r.commonOf(results, "CASE"), origins
}

func (r *resolver) caseOperand(c *tree.Case, e env) []Origin {
	common := r.expr(c.Operand, e)
	origins := r.originsOf(c.Operand)
	for _, w := range c.Whens {
		t := r.expr(w.Cond, e)
		origins = union(origins, r.originsOf(w.Cond))
		both, ok := types.Common(common, t)
		if !ok {
			r.mistake(TypeMismatch, w.Cond, nil, "CASE cannot compare %s with %s", common, t)
			continue
		}
		common = both
	}
	return origins
}

func (r *resolver) cast(x *tree.Cast, e env) (types.Type, []Origin) {
	to, ok := types.Read(x.Type.Text)
	switch {
	case !ok:
		r.mistake(TypeMismatch, x, nil, "there is no type '%s'", x.Type.Text)
	case to.IsNull():
		r.mistake(TypeMismatch, x, nil, "nothing can be cast to unknown")
		to = types.Unknown()
	case wrongDecimal(to):
		r.mistakeAt(InvalidFunctionArgument, spot{}, x, nil, "a decimal has 1 to %d digits, and no more behind its point", types.MaxDecimal)
		to = types.Unknown()
	}
	from := r.expr(x.X, e)
	if !types.Castable(from, to) {
		r.mistake(TypeMismatch, x, nil, "%s cannot be cast to %s", from, to)
	}
	return to, r.originsOf(x.X)
}

func wrongDecimal(t types.Type) bool {
	for _, a := range t.Args {
		if wrongDecimal(a) {
			return true
		}
	}
	return t.IsDecimal() && (t.Precision < 1 || t.Precision > types.MaxDecimal || t.Scale > t.Precision)
}

func specialType(s *tree.Special) types.Type {
	precision := 3
	if n, ok := s.Precision.(*tree.Number); ok {
		if p, err := strconv.Atoi(n.Text); err == nil {
			precision = p
		}
	}
	switch s.Name {
	case "CURRENT_DATE":
		return types.Date()
	case "CURRENT_TIMESTAMP":
		return types.Type{Base: "timestamp with time zone", Precision: precision}
	case "LOCALTIMESTAMP":
		return types.Timestamp(precision)
	case "CURRENT_TIME":
		return types.Type{Base: "time with time zone", Precision: precision}
	case "LOCALTIME":
		return types.Type{Base: "time", Precision: precision}
	}
	return types.Varchar()
}

func (r *resolver) extract(x *tree.Extract, e env) (types.Type, []Origin) {
	t := r.expr(x.X, e)
	if !t.IsUnknown() && !extractable(x.Field, t.Base) {
		r.mistake(TypeMismatch, x.X, nil, "%s has no %s", t, x.Field)
	}
	return types.Bigint(), r.originsOf(x.X)
}

// extractable reports whether a type has a field of EXTRACT.
func extractable(field, base string) bool {
	point := base == "timestamp" || base == "timestamp with time zone"
	switch field {
	case "YEAR", "MONTH":
		return point || base == "date" || base == "interval year to month"
	case "DAY":
		return point || base == "date" || base == "interval day to second"
	case "HOUR", "MINUTE", "SECOND":
		return point || strings.HasPrefix(base, "time") || base == "interval day to second"
	case "TIMEZONE_MINUTE", "TIMEZONE_HOUR":
		return strings.HasSuffix(base, " with time zone")
	}
	return point || base == "date"
}

func (r *resolver) atTimeZone(x *tree.AtTimeZone, e env) (types.Type, []Origin) {
	t := r.expr(x.X, e)
	r.expr(x.Zone, e)
	origins := r.originsOf(x.X)
	switch t.Base {
	case "timestamp", "time":
		t.Base += " with time zone"
	case "", "timestamp with time zone", "time with time zone":
	default:
		r.mistake(TypeMismatch, x.X, nil, "AT TIME ZONE is for points in time, this is %s", t)
		return types.Unknown(), origins
	}
	return t, origins
}

func (r *resolver) trim(x *tree.Trim, e env) (types.Type, []Origin) {
	name := "trim"
	switch x.Side {
	case "LEADING":
		name = "ltrim"
	case "TRAILING":
		name = "rtrim"
	}
	args := []tree.Expr{x.X}
	if x.Chars != nil {
		args = append(args, x.Chars)
	}
	return r.function(x, name, args, e)
}

func (r *resolver) substring(x *tree.Substring, e env) (types.Type, []Origin) {
	args := []tree.Expr{x.X, x.From}
	if x.For != nil {
		args = append(args, x.For)
	}
	return r.function(x, "substr", args, e)
}

func (r *resolver) normalize(x *tree.Normalize, e env) (types.Type, []Origin) {
	t := r.expr(x.X, e)
	call, outcome := signature.Choose(signature.Functions("normalize"), []signature.Arg{{Type: t}, {Type: types.VarcharOf(len(x.Form))}})
	if outcome == signature.None {
		r.mistake(FunctionNotFound, x, nil, "NORMALIZE does not take %s", t)
	}
	return call.Result, r.originsOf(x.X)
}

func (r *resolver) row(x *tree.Row, e env) (types.Type, []Origin) {
	origins := r.parts(e, x.Items...)
	fields := make([]types.Type, len(x.Items))
	for i, item := range x.Items {
		fields[i] = r.typeOf(item)
	}
	return types.Row(fields), origins
}

func (r *resolver) listAgg(x *tree.ListAgg, e env) (types.Type, []Origin) {
	if x.Filter != nil {
		r.boolean(x.Filter, e, "FILTER")
	}
	origins := r.parts(e, x.X, x.Separator, x.Filter)
	if t := r.typeOf(x.X); !t.IsUnknown() && t.Base != "varchar" {
		r.mistake(TypeMismatch, x, nil, "LISTAGG is for varchar, this is %s", t)
	}
	for _, o := range x.OrderBy {
		if t := r.expr(o.Expr, e); !t.IsOrderable() {
			r.mistakeAt(TypeMismatch, startOf(x), o.Expr, nil, "ORDER BY needs an order, and %s has none", t)
		}
	}
	return types.Varchar(), origins
}

func (r *resolver) groupingCall(x *tree.Grouping, e env) (types.Type, []Origin) {
	var origins []Origin
	for _, c := range x.Columns {
		origins = union(origins, r.parts(e, c))
	}
	switch n := len(x.Columns); {
	case n > 63:
		r.mistake(TooManyArguments, x, nil, "GROUPING takes up to 63 columns")
	case n > 31:
		return types.Bigint(), origins
	}
	return types.Integer(), origins
}

// windowMeasure is a measure of a window that recognises patterns.
func (r *resolver) windowMeasure(x *tree.WindowMeasure, e env) (types.Type, []Origin) {
	w := r.windows[x.Over]
	if w == nil {
		return types.Unknown(), nil
	}
	r.window(w, e)
	if w.frame != nil {
		for _, m := range w.frame.Measures {
			if m.Name.Key() == x.Name.Key() {
				return r.typeOf(m.X), r.originsOf(m.X)
			}
		}
	}
	r.mistake(InvalidWindowMeasure, x, nil, "the window has no measure '%s'", x.Name.Name)
	return types.Unknown(), nil
}
