package schema

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/daytext"
)

// Units in which it is told how long something was.
var elapsedUnits = []string{"seconds", "minutes", "hours", "days", "weeks", "months", "years"}

// maxMoments bounds the days and times of a table between which time is counted.
const maxMoments = 4

// WithElapsed returns a derived layer with how long it is between the days and times of
// the rows of each table, in each unit. Its names are those that results show; what people
// call it is found by Table.Lasting and by the two that it is between.
func WithElapsed(l *semantic.Layer) *semantic.Layer {
	out := *l
	out.Dimensions = slices.Clone(l.Dimensions)
	byTable := map[string][]*semantic.Dimension{}
	for i := range l.Dimensions {
		if d := &l.Dimensions[i]; dates(d) {
			byTable[d.Table] = append(byTable[d.Table], d)
		}
	}
	for i := range l.Entities {
		moments := byTable[l.Entities[i].Table]
		if d := onlyBirth(moments); d != nil {
			out.Dimensions = append(out.Dimensions, age(d))
		}
		if len(moments) > maxMoments {
			continue
		}
		for j, from := range moments {
			for _, to := range moments[j+1:] {
				for _, unit := range elapsedUnits {
					out.Dimensions = append(out.Dimensions, elapsed(from, to, unit), elapsed(to, from, unit))
				}
			}
		}
	}
	return &out
}

// dates reports whether a dimension holds days, or times of days: not times of a clock.
func dates(d *semantic.Dimension) bool {
	return daytext.Holds(d) && (!strings.HasPrefix(d.Type, "time") || strings.HasPrefix(d.Type, "timestamp"))
}

func elapsed(from, to *semantic.Dimension, unit string) semantic.Dimension {
	return semantic.Dimension{
		ID: from.ID + ">" + to.Expr + " " + unit, Table: from.Table, Expr: unit, Type: "double", Derived: true,
		Names: semantic.Text{
			EN: unit + " from " + from.Names.EN + " to " + to.Names.EN,
			ZH: "从" + named(from) + "到" + named(to) + "的" + unitsHan[unit],
		},
		Elapsed: &semantic.Elapsed{From: from.ID, To: to.ID, Unit: unit},
	}
}

func named(d *semantic.Dimension) string {
	if d.Names.ZH != "" {
		return d.Names.ZH
	}
	return d.Names.EN
}

var unitsHan = map[string]string{"seconds": "秒数", "minutes": "分钟数", "hours": "小时数", "days": "天数", "weeks": "周数", "months": "月数", "years": "年数"}

// Words of names of what begins something and of what ends it. They are a closed class.
// A departure begins a trip and ends a stay, an arrival the other way round: there the order
// of the columns tells.
var (
	beginWords  = []string{"start", "started", "begin", "began", "from", "open", "opened", "in", "开始", "起", "入", "进", "开"}
	endWords    = []string{"end", "ended", "finish", "finished", "to", "until", "close", "closed", "out", "结束", "止", "出", "离", "关"}
	eitherWords = []string{"departure", "departed", "arrival", "arrived"}
	// what happens to the record, and not to what it is of
	recordWords = []string{"updated", "modified", "loaded", "imported", "更新", "修改"}
	birthWords  = []string{"birth", "born", "dob", "birthday", "birthdate", "出生", "生日"}
	// what dates no rows: nothing of what they are of happens then
	asideWords = slices.Concat(recordWords, birthWords)
)

func hasWord(d *semantic.Dimension, list []string) bool {
	for _, w := range wordsOf(d.Names.EN) {
		if slices.ContainsFunc(list, func(x string) bool { return w == x || x[0] > 0x7f && strings.Contains(w, x) }) {
			return true
		}
	}
	return false
}

// onlyBirth is the one of some days that is that of a birth; nil: there is none, or more.
func onlyBirth(days []*semantic.Dimension) (found *semantic.Dimension) {
	for _, d := range days {
		if IsBirth(d) {
			if found != nil {
				return nil
			}
			found = d
		}
	}
	return found
}

// age is the time from a birth to today.
func age(born *semantic.Dimension) semantic.Dimension {
	return semantic.Dimension{
		ID: born.ID + ageEnd, Table: born.Table, Expr: "age", Type: "bigint", Derived: true,
		Names:   semantic.Text{EN: "age", ZH: "年龄"},
		Elapsed: &semantic.Elapsed{From: born.ID, Unit: "years"},
	}
}

// ageEnd follows a day of birth's id in that of an age.
const ageEnd = ">today"

// IsBirth reports whether a column is called as days of birth are.
func IsBirth(d *semantic.Dimension) bool { return hasWord(d, birthWords) }

// Birth is the day of birth of what a table is of; nil: there is none, or several.
func (t *Table) Birth() *Column {
	var found *Column
	for _, c := range t.Days() {
		if IsBirth(c.Dimension) {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// Age is how old what a table is of is today, in years; nil: that is not known.
func (v *View) Age(t *Table) *Column {
	if born := t.Birth(); born != nil {
		return v.byID[born.ID+ageEnd]
	}
	return nil
}

// ageNames are what people call it.
var ageNames = []string{"age", "年龄", "岁数", "年纪"}

// indexAges adds ages to the names, of tables that have no column of them.
func (v *View) indexAges(units Units) {
	for _, t := range v.Tables {
		c := v.Age(t)
		if c == nil || slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.Numeric() && hasWord(c.Dimension, ageNames) }) {
			continue
		}
		for _, text := range ageNames {
			n := nameOf(text, units)
			n.fit = fitLasting
			v.words.add(Hit{Column: c, Score: 1}, n)
		}
	}
}

// Elapsed is how long it is from one day or time of a table to another, in the unit in which
// it is told where nobody asks for one: days between days, else hours. nil: that is not
// counted.
func (v *View) Elapsed(from, to *Column) *Column {
	unit := "hours"
	if daytext.Kind(from.Dimension) == "date" || from.Type == "date" || daytext.Kind(to.Dimension) == "date" || to.Type == "date" {
		unit = "days"
	}
	return v.byID[from.ID+">"+to.Expr+" "+unit]
}

// In is the same time in another unit; nil: there is no such unit.
func (v *View) In(c *Column, unit string) *Column {
	return v.byID[strings.TrimSuffix(c.ID, " "+c.Elapsed.Unit)+" "+unit]
}

// Lasting is how long the rows of a table last: from the one day or time that begins them
// to the one that ends them, or between the only two there are, of which it is less sure.
// nil: it is not known.
func (v *View) Lasting(t *Table) (c *Column, sure bool) {
	var moments, first, last, either []*Column
	for _, c := range t.Columns {
		if !dates(c.Dimension) || hasWord(c.Dimension, asideWords) {
			continue
		}
		moments = append(moments, c)
		switch begins, ends := hasWord(c.Dimension, beginWords), hasWord(c.Dimension, endWords); {
		case begins && !ends:
			first = append(first, c)
		case ends && !begins:
			last = append(last, c)
		case hasWord(c.Dimension, eitherWords):
			either = append(either, c)
		}
	}
	switch {
	case len(first) == 1 && len(last) == 1:
		return v.Elapsed(first[0], last[0]), true
	case len(first) == 0 && len(last) == 0 && len(either) == 2:
		return v.Elapsed(either[0], either[1]), false
	case len(moments) == 2:
		begins, ends := moments[0], moments[1]
		if hasWord(begins.Dimension, endWords) && !hasWord(begins.Dimension, beginWords) || hasWord(ends.Dimension, beginWords) && !hasWord(ends.Dimension, endWords) {
			begins, ends = ends, begins
		}
		return v.Elapsed(begins, ends), false
	}
	return nil, false
}

// Spell are the days that begin and that end what the rows of a table are, where one of each is called so;
// nil: it is not known.
func (t *Table) Spell() (begins, ends *Column) {
	for _, c := range t.Columns {
		if !dates(c.Dimension) || hasWord(c.Dimension, asideWords) {
			continue
		}
		begin, end := hasWord(c.Dimension, beginWords) || hasWord(c.Dimension, opening), hasWord(c.Dimension, endWords) || hasWord(c.Dimension, closing)
		switch {
		case begin == end:
		case begin && begins != nil, end && ends != nil:
			return nil, nil
		case begin:
			begins = c
		default:
			ends = c
		}
	}
	if begins == nil || ends == nil {
		return nil, nil
	}
	return begins, ends
}

// Forms of the words that begin and end something, beside those of beginWords and endWords.
var (
	opening = []string{"opens", "starts", "begins", "opening", "starting"}
	closing = []string{"closes", "ends", "finishes", "closing", "ending"}
)

// Aside reports whether a column dates the record or a birth, and not what happened.
func (c *Column) Aside() bool { return hasWord(c.Dimension, asideWords) }

// lastingNames are what people call how long something lasts.
var lastingNames = []string{"duration", "length", "时长", "耗时", "用时"}

// fitLasting is how well such a name stands for the time between two columns: a column
// that is called so comes first.
const fitLasting = 0.8

// onlyTime is the one amount of a table that is measured in units of time, as the hours of a booking
// are: how long its rows last; nil: there is none, or there are more.
func (t *Table) onlyTime(units Units) *Column {
	var found *Column
	for _, c := range t.Columns {
		if quantity, ok := units(c.Unit); !ok || quantity != "time" || c.Nature != Amount && c.Nature != Level {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// indexLasting adds how long the rows of each table last to the names.
func (v *View) indexLasting(units Units) {
	for _, t := range v.Tables {
		c, _ := v.Lasting(t)
		if c == nil {
			c = t.onlyTime(units)
		}
		if c == nil {
			continue
		}
		for _, text := range lastingNames {
			n := nameOf(text, units)
			n.fit = fitLasting
			v.words.add(Hit{Column: c, Score: 1}, n)
		}
	}
}
