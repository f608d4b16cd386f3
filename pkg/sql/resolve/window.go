package resolve

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/sql/resolve/signature"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// window is a window with what it takes over from the ones it refers to.
type window struct {
	partition []tree.Expr
	order     []*tree.SortItem
	frame     *tree.Frame
	spec      *tree.Window // where order is written
	at        tree.Node    // where mistakes of the whole are reported

	partitionTaken, orderTaken, frameTaken bool // taken over: looked at elsewhere
}

// namedWindows resolves the WINDOW clause.
func (r *resolver) namedWindows(sel *selection) {
	for _, w := range sel.node.Windows {
		if _, again := sel.windows[w.Name.Key()]; again {
			r.mistake(DuplicateWindowName, w, nil, "the window '%s' is there twice", w.Name.Name)
			continue
		}
		if resolved := r.windowOf(sel, w.Spec); resolved != nil {
			r.window(resolved, seeing(sel.from))
			if sel.windows == nil {
				sel.windows = map[string]*window{}
			}
			sel.windows[w.Name.Key()] = resolved
		}
	}
}

// callWindows finds the windows of the calls in the SELECT list and in ORDER BY.
func (r *resolver) callWindows(sel *selection) {
	visit := func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Query:
			return false
		case *tree.Over:
			if r.windows == nil {
				r.windows = map[*tree.Over]*window{}
			}
			if _, done := r.windows[n]; !done {
				r.windows[n] = r.overWindow(sel, n)
			}
		}
		return true
	}
	for _, item := range sel.node.Items {
		switch item := item.(type) {
		case *tree.SelectExpr:
			tree.Walk(item.Expr, visit)
		case *tree.Star:
			if item.Qualifier != nil {
				tree.Walk(item.Qualifier, visit)
			}
		}
	}
	for _, o := range sel.order {
		tree.Walk(o.Expr, visit)
	}
}

// overWindow is the window of a call; nil where it cannot be found.
func (r *resolver) overWindow(sel *selection, over *tree.Over) *window {
	if over.Name == nil {
		return r.windowOf(sel, over.Spec)
	}
	named := r.windowNamed(sel, over.Name)
	if named == nil {
		return nil
	}
	w := *named
	w.at = over
	w.partitionTaken, w.orderTaken, w.frameTaken = true, true, true
	return &w
}

func (r *resolver) windowNamed(sel *selection, name *tree.Ident) *window {
	w := sel.windows[name.Key()]
	if w == nil {
		var names []string
		for _, n := range sel.node.Windows {
			names = append(names, n.Name.Name)
		}
		r.mistake(InvalidWindowReference, name, nearest(name.Name, names), "there is no window '%s'", name.Name)
	}
	return w
}

// windowOf is the window of a specification.
func (r *resolver) windowOf(sel *selection, spec *tree.Window) *window {
	w := &window{partition: spec.PartitionBy, order: spec.OrderBy, frame: spec.Frame, spec: spec, at: spec}
	if spec.Base == nil {
		return w
	}
	base := r.windowNamed(sel, spec.Base)
	if base == nil {
		return nil
	}
	switch {
	case len(spec.PartitionBy) > 0:
		r.mistake(InvalidPartitionBy, spec.PartitionBy[0], nil, "a window that extends another cannot have PARTITION BY")
	case len(spec.OrderBy) > 0 && len(base.order) > 0:
		r.mistakeAt(InvalidOrderBy, orderKeyword(spec), spec.OrderBy[0], nil, "the window '%s' has an ORDER BY already", spec.Base.Name)
	case base.frame != nil:
		r.mistake(InvalidWindowReference, spec.Base, nil, "the window '%s' has a frame, so that it cannot be extended", spec.Base.Name)
	}
	if len(w.order) == 0 && len(base.order) > 0 {
		w.order, w.spec, w.orderTaken = base.order, base.spec, true
	}
	if len(base.partition) > 0 {
		w.partition, w.partitionTaken = base.partition, true
	}
	return w
}

// orderKeyword is where ORDER BY of a window begins.
func orderKeyword(spec *tree.Window) spot {
	switch {
	case len(spec.PartitionBy) > 0:
		return behind(spec.PartitionBy[len(spec.PartitionBy)-1], spec)
	case spec.Base != nil:
		return behind(spec.Base, spec)
	}
	return startOf(spec)
}

// window resolves the parts of a window that are its own.
func (r *resolver) window(w *window, e env) {
	var parts []tree.Node
	if !w.partitionTaken {
		for _, x := range w.partition {
			parts = append(parts, x)
		}
	}
	if !w.orderTaken {
		for _, o := range w.order {
			parts = append(parts, o)
		}
	}
	if w.frame != nil && !w.frameTaken {
		parts = append(parts, w.frame)
	}
	if nested := innermost(parts...); nested != nil {
		r.mistake(NestedWindow, nested, nil, "a window cannot be made of window functions: use a subquery")
	}
	if !w.partitionTaken {
		for _, x := range w.partition {
			if t := r.expr(x, e); !t.IsComparable() {
				r.mistake(TypeMismatch, x, nil, "PARTITION BY compares, and %s does not", t)
			}
		}
	}
	if !w.orderTaken {
		for _, o := range w.order {
			if t := r.expr(o.Expr, e); !t.IsOrderable() {
				r.mistakeAt(TypeMismatch, startOf(o), o.Expr, nil, "ORDER BY needs an order, and %s has none", t)
			}
		}
	}
	if w.frame != nil && !w.frameTaken {
		r.frame(w, e)
	}
}

// checkWindows notes window functions that are used in a wrong way.
func (r *resolver) checkWindows(sel *selection) {
	for _, s := range []*survey{&sel.listed, &sel.ordered} {
		for _, c := range s.windows {
			r.mistake(MissingOver, c, nil, "the window function '%s' needs OVER (...)", c.Name)
		}
		for _, x := range s.over {
			if c, ok := x.(*tree.Call); ok {
				r.windowCall(sel, c)
			}
		}
	}
}

// windowCall checks a call with OVER.
func (r *resolver) windowCall(sel *selection, c *tree.Call) {
	if c.Filter != nil {
		r.mistakeAt(NotSupported, startOf(sel.node), c, nil, "FILTER is not supported in window functions")
	}
	var parts []tree.Node
	for _, a := range c.Args {
		parts = append(parts, a)
	}
	for _, o := range c.OrderBy {
		parts = append(parts, o)
	}
	if nested := innermost(parts...); nested != nil {
		r.mistake(NestedWindow, nested, nil, "a window function cannot hold another: use a subquery")
	}
	w := r.windows[c.Over]
	if w == nil {
		return
	}
	name := c.Name.Key()
	if (name == "lag" || name == "lead") && len(w.order) == 0 {
		r.mistakeAt(MissingOrderBy, startOf(w.at), c, nil, "'%s' needs ORDER BY in its window", c.Name)
	}
	if w.frame != nil && hasNoFrame(name) {
		r.mistake(InvalidWindowFrame, w.frame, nil, "'%s' works on the whole partition: no frame", c.Name)
	}
	if c.Nulls != "" && !takesNulls(name) {
		r.mistake(NullTreatmentNotAllowed, c, nil, "'%s' has no IGNORE or RESPECT NULLS", c.Name)
	}
	kind := callKind(c)
	switch {
	case kind == "":
	case kind != signature.KindAggregate && kind != signature.KindWindow:
		r.mistakeAt(FunctionNotWindow, startOf(sel.node), c, nil, "'%s' is no window function", c.Name)
	case kind != signature.KindAggregate && c.Quantifier == tree.QuantifierDistinct:
		r.mistakeAt(NotSupported, startOf(sel.node), c, nil, "DISTINCT is for aggregates, and '%s' is none", c.Name)
	case kind != signature.KindAggregate && len(c.OrderBy) > 0:
		r.mistake(NotSupported, c, nil, "ORDER BY is for aggregates, and '%s' is none", c.Name)
	}
}

func hasNoFrame(name string) bool {
	return slices.Contains([]string{"lead", "lag", "ntile", "rank", "dense_rank", "percent_rank", "cume_dist", "row_number"}, name)
}

func takesNulls(name string) bool {
	return slices.Contains([]string{"lead", "lag", "first_value", "last_value", "nth_value"}, name)
}

// frame checks the frame of a window.
func (r *resolver) frame(w *window, e env) {
	f := w.frame
	r.framePattern(f, e)
	start, end := f.Start.Kind, "CURRENT ROW"
	if f.End != nil {
		end = f.End.Kind
	}
	wrong := func(why string) { r.mistake(InvalidWindowFrame, f, nil, "%s", why) }
	switch {
	case start == "UNBOUNDED FOLLOWING":
		wrong("a frame cannot start after the last row")
	case end == "UNBOUNDED PRECEDING":
		wrong("a frame cannot end before the first row")
	case start == "CURRENT ROW" && end == "PRECEDING", start == "FOLLOWING" && (end == "PRECEDING" || end == "CURRENT ROW"):
		wrong("a frame cannot end before it starts")
	}
	for _, b := range []*tree.Bound{f.Start, f.End} {
		if b == nil || b.X == nil {
			continue
		}
		if f.Unit == "RANGE" {
			r.rangeBound(w, b, e)
			continue
		}
		if f.Unit == "GROUPS" && len(w.order) == 0 {
			r.mistakeAt(MissingOrderBy, startOf(w.at), b.X, nil, "a frame of GROUPS needs ORDER BY")
		}
		t := r.expr(b.X, e)
		if !t.IsUnknown() && !t.IsInteger() && (!t.IsDecimal() || t.Scale != 0) {
			r.mistake(TypeMismatch, b.X, nil, "a frame of %s is bound by whole numbers, this is %s", f.Unit, t)
		}
	}
}

// rangeBound checks a bound of a RANGE frame: what it is ordered by, moved by the
// bound, must make sense.
func (r *resolver) rangeBound(w *window, b *tree.Bound, e env) {
	switch {
	case len(w.order) == 0:
		r.mistakeAt(MissingOrderBy, startOf(w.at), b.X, nil, "a frame of RANGE needs ORDER BY")
		r.expr(b.X, e)
		return
	case len(w.order) > 1:
		r.mistakeAt(InvalidOrderBy, orderKeyword(w.spec), w.order[1], nil, "a frame of RANGE needs one expression in ORDER BY")
		r.expr(b.X, e)
		return
	}
	key := r.typeOf(w.order[0].Expr)
	t := r.expr(b.X, e)
	if key.IsUnknown() || t.IsUnknown() {
		return
	}
	if !key.IsNumeric() && !key.IsTime() && !key.IsInterval() {
		r.mistake(TypeMismatch, w.order[0].Expr, nil, "a frame of RANGE is ordered by numbers or times, not %s", key)
		return
	}
	op := tree.OpAdd
	if (b.Kind == "PRECEDING") == !w.order[0].Desc {
		op = tree.OpSub
	}
	call, outcome := signature.Choose(signature.Operator(op), []signature.Arg{{Type: key}, {Type: t}})
	if key.IsNumeric() != t.IsNumeric() || !key.IsNumeric() && !t.IsInterval() || outcome != signature.Chosen {
		r.mistake(TypeMismatch, b.X, nil, "a frame of RANGE over %s cannot be bound by %s", key, t)
		return
	}
	if !types.Coercible(key, call.Args[0]) || !types.Coercible(key, call.Result) {
		r.mistake(TypeMismatch, w.order[0].Expr, nil, "a frame of RANGE over %s cannot be bound by %s", key, t)
	}
}

// framePattern checks row pattern recognition in a window.
func (r *resolver) framePattern(f *tree.Frame, e env) {
	if f.Pattern == nil {
		if len(f.Measures) > 0 {
			r.mistake(MissingRowPattern, f, nil, "MEASURES need PATTERN")
		}
		if len(f.Subsets) > 0 {
			r.mistake(MissingRowPattern, f.Subsets[0], nil, "SUBSET needs PATTERN")
		}
		for _, m := range f.Measures {
			r.expr(m.X, e)
		}
		return
	}
	switch {
	case len(f.Define) == 0:
		r.mistake(MissingDefinitions, f, nil, "PATTERN needs DEFINE")
	case f.Unit != "ROWS":
		r.mistake(InvalidWindowFrame, f, nil, "PATTERN needs a frame of ROWS")
	case f.Start.Kind != "CURRENT ROW" || f.End == nil:
		r.mistake(InvalidWindowFrame, f, nil, "PATTERN needs a frame BETWEEN CURRENT ROW AND ...")
	}
	p := r.pattern(f.Pattern, f.Subsets, f.Define)
	r.patternParts(p, e, f.Define, f.Measures)
}
