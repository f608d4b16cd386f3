package parse

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// actions are what rules do, by the names that the grammar uses.
func actions() map[string]action {
	return map[string]action{
		"":         func(_ *builder, kids []fragment) fragment { return together(kids) },
		"column":   column,
		"owned":    owned,
		"ofTable":  ofTable,
		"distinct": distinct,
		"flagged":  flagged,
		"rows":     rows,
		"show":     show,
		"count":    func(_ *builder, kids []fragment) fragment { return aggregate(kids, []intent.Agg{intent.AggCount}) },
		"countAll": countAll,
		"agg":      aggName,
		"extreme":  extremeName,
		"apply":    func(_ *builder, kids []fragment) fragment { return aggregate(kids, nil) },
		"star":     star,
		"share":    share,
		"replace":  replace,

		"calc":    calc,
		"calcFns": calcFns,

		"calcAdjectives": calcAdjectives,
		"compareTimes":   compareTimes,
		"ofCalc":         ofCalc,
		"extremeCol":     extremeCol,
		"extremeTime":    extremeTime,
		"term":           term,
		"countTerm":      countTerm,
		"compareCols":    compareCols,
		"perGroup":       perGroup,
		"shareTotal":     shareTotal,

		"lasts":     lasts,
		"lastsOf":   lastsOf,
		"onAverage": onAverage,
		"inTotal":   inTotal,
		"inUnit":    inUnit,
		"inPercent": inPercent,
		"versus":    versus,

		"value":      value,
		"values":     func(_ *builder, kids []fragment) fragment { return together(kids) },
		"holds":      holds,
		"compare":    compare,
		"compareNot": compareNot,
		"operator":   operator,
		"number":     number,
		"between":    between,
		"counted":    counted,
		"aggCond":    aggCond,
		"nested":     nested,
		"adjective":  comparative,
		"pattern":    pattern,
		"null":       null,
		"lack":       lack,
		"has":        has,
		"truth":      flagCond,
		"period":     period,
		"inYear":     inYear,
		"mention":    mention,
		"notExists":  notExists,
		"notValues":  notValues,
		"periodOf":   periodOf,
		"day":        func(_ *builder, kids []fragment) fragment { return fragment{times: items(kids)} },
		"or":         orCond,
		"both":       both,
		"bothConds":  bothConds,
		"texts":      texts,
		"again":      again,

		"group":      group,
		"groupOf":    groupOf,
		"grain":      grain,
		"order":      order,
		"orderBy":    orderBy,
		"sortColumn": sortColumn,
		"sortCount":  sortCount,
		"sortRows":   sortRows,
		"topBy":      topBy,
		"sort":       func(b *builder, kids []fragment) fragment { return show(b, []fragment{order(b, kids)}) },
		"sortFrom":   sortFrom,
		"key":        key,
		"keyCount":   keyCount,
		"keyAgg":     keyAgg,
		"keyAdj":     keyAdj,
		"pick":       pick,
		"pickCount":  pickCount,
		"pickAgg":    pickAgg,
		"pickAdj":    pickAdj,
		"pickLasts":  pickLasts,
		"common":     common,
		"commonShow": commonShow,
		"limit":      limit,
		"limitRows":  limitRows,
	}
}

func column(_ *builder, kids []fragment) fragment {
	it := items(kids)[0]
	return fragment{exprs: []*Expr{{Item: it}}}
}

// owned is "singer name": a column of the table before it.
func owned(_ *builder, kids []fragment) fragment {
	its := items(kids)
	f := fragment{exprs: []*Expr{{Item: its[1], Owner: its[0]}}}
	f.Tables = []*link.Item{its[0]}
	return f
}

// ofTable is "name and age of the singers".
func ofTable(_ *builder, kids []fragment) fragment {
	f := together(kids)
	own := kids[len(kids)-1].exprs
	f.exprs = kids[0].exprs
	for _, e := range f.exprs {
		if e.Owner == nil && !e.Table && len(own) > 0 && own[0].Table {
			e.Owner = own[0].Item
		}
	}
	return f
}

func distinct(_ *builder, kids []fragment) fragment {
	f := together(kids)
	for _, e := range f.exprs {
		e.Distinct = true
	}
	return f
}

// flagged is "active members": the flag is one of theirs.
func flagged(_ *builder, kids []fragment) fragment {
	f := together(kids)
	for _, p := range kids[0].Preds {
		if p.Left != nil && len(f.exprs) > 0 && f.exprs[0].Table {
			p.Left.Owner = f.exprs[0].Item
		}
	}
	return f
}

func rows(_ *builder, kids []fragment) fragment {
	it := items(kids)[0]
	f := fragment{exprs: []*Expr{{Item: it, Table: true}}}
	f.Tables = []*link.Item{it}
	return f
}

// show puts columns and things into the select list.
func show(_ *builder, kids []fragment) fragment {
	f := together(kids)
	for _, e := range f.exprs {
		f.Distinct = f.Distinct || e.Distinct && !e.Table
		f.Outputs = append(f.Outputs, e)
	}
	f.exprs = nil
	return f
}

func aggName(_ *builder, kids []fragment) fragment {
	_, arg := find(kids, "agg")
	return fragment{aggs: []intent.Agg{intent.Agg(arg)}}
}

func extremeName(_ *builder, kids []fragment) fragment {
	_, arg := find(kids, "super")
	return fragment{aggs: []intent.Agg{extreme(arg == "max")}}
}

// aggregate shows aggregates of all columns.
func aggregate(kids []fragment, aggs []intent.Agg) fragment {
	f := together(kids)
	if aggs == nil {
		aggs = f.aggs
	}
	for _, e := range f.exprs {
		for _, a := range aggs {
			o := *e
			o.Agg = a
			if a == intent.AggCount && !e.Table && e.Distinct {
				o.Agg = intent.AggCountDistinct
			}
			f.Outputs = append(f.Outputs, &o)
		}
	}
	f.exprs, f.aggs = nil, nil
	return f
}

func countAll(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.Outputs = append(f.Outputs, &Expr{Agg: intent.AggCount})
	return f
}

func star(_ *builder, kids []fragment) fragment {
	f := together(kids)
	f.exprs, f.Star = nil, true
	return f
}

// share marks that a share of rows is asked for; the conditions say of which.
func share(_ *builder, kids []fragment) fragment {
	f := together(kids)
	_, arg := find(kids, "rate")
	f.exprs, f.rate, f.percent = nil, true, arg == percentArg
	return f
}

// percentArg is the argument of words that ask for a part of a hundred.
const percentArg = "percent"

// shareTotal is "share of the total amount": each group's part of the sum of all.
func shareTotal(_ *builder, kids []fragment) fragment {
	f := together(kids)
	_, arg := find(kids, "rate")
	for _, e := range f.exprs {
		o := *e
		o.Agg, o.Percent = intent.AggShare, arg == percentArg
		f.Outputs = append(f.Outputs, &o)
	}
	f.exprs, f.aggs = nil, nil
	return f
}

// replace is a second sentence: what it asks for stands instead of what the first
// one only named.
func replace(_ *builder, kids []fragment) fragment {
	first, second := kids[0], kids[len(kids)-1]
	if len(second.Outputs) > 0 && !slices.ContainsFunc(first.Outputs, func(e *Expr) bool { return e.Agg != "" || e.Calc != nil }) {
		first.Outputs, first.Distinct = nil, false
	}
	return together([]fragment{first, second})
}

func group(_ *builder, kids []fragment) fragment {
	f := together(kids)
	word := "by"
	if its := items(kids); len(its) > 0 {
		word = lower(its[0])
	}
	for _, e := range f.exprs {
		e.Prep = word
		f.Groups = append(f.Groups, e)
	}
	f.exprs = nil
	return f
}

// groupOf is "of each singer": the columns before it are those of the groups.
func groupOf(b *builder, kids []fragment) fragment {
	f := group(b, kids)
	if it, _ := find(kids, "group"); it != nil {
		for _, e := range f.Groups {
			e.Prep = lower(it)
		}
	}
	return f
}

func grain(_ *builder, kids []fragment) fragment {
	its := items(kids)
	it := its[len(its)-1]
	f := together(kids)
	by := &Expr{Adj: TimeColumn, Grain: it.Period.Grain, Prep: "by"}
	if len(f.exprs) > 0 { // "hired each year"
		by.Adj, by.Item, by.Owner = nil, f.exprs[0].Item, f.exprs[0].Owner
	}
	f.Groups, f.exprs = append(f.Groups, by), nil
	return f
}
