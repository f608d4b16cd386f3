package schema

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// Nature is what the values of a column are; what may be done with them hangs on it.
type Nature int

// Natures.
const (
	Text       Nature = iota // texts
	Category                 // texts or flags that many rows share
	Amount                   // numbers that add up
	Level                    // numbers of one thing at one time: an age, a price, a rate
	Flag                     // yes or no
	Calendar                 // parts of a date as numbers: a year
	Identifier               // tells rows apart, in digits or not
	Moment                   // days and times
)

// Words of names that tell natures; the last word of a name counts, and of Chinese
// names how they end.
var natureWords = map[Nature][]string{
	Identifier: {"id", "ids", "key", "code", "uuid", "guid", "uid", "pk", "sk", "fk", "sku", "ip", "serial", "seq", "sequence", "url", "phone", "telephone", "fax", "mobile", "zip", "zipcode", "postcode", "isbn", "ssn", "iban", "barcode", "latitude", "longitude", "lat", "lng", "lon", "编号", "编码", "代码", "号", "序号", "次序", "电话", "手机", "邮编"},
	Level:      {"age", "rate", "rating", "ratio", "percent", "percentage", "pct", "temperature", "rank", "ranking", "gpa", "humidity", "score", "grade", "mark", "price", "speed", "height", "weight", "length", "width", "depth", "altitude", "discount", "size", "level", "index", "mass", "duration", "年龄", "率", "价格", "单价", "售价", "原价", "定价", "标价", "现价", "进价", "票价", "均价", "评分", "分数", "成绩", "绩点", "等级", "温度", "体重", "身高", "长度", "高度", "深度", "折扣"},
}

// measureWords are words beside those of levels that say that numbers are meant, and not of
// what.
var measureWords = []string{"amount", "value", "number", "figure", "quantity", "volume", "total", "grade", "point", "degree"}

// Measure reports whether the stem of a word says no more than that a number is meant.
func Measure(stem string) bool {
	return slices.ContainsFunc(slices.Concat(natureWords[Level], measureWords), func(w string) bool { return token.Stem(w) == stem })
}

// stateNames are last words of the names of columns that hold how things stand.
var stateNames = []string{"status", "stage", "phase", "状态", "阶段", "进度"}

// NamesStates reports whether a column of a table is called as those of states are, or its rows have several days.
func (t *Table) NamesStates() bool {
	return len(t.Days()) > 1 || slices.ContainsFunc(t.Columns, func(c *Column) bool { return endAs(c.Words(), stateNames) })
}

// KeepsStates reports whether the rows of a table say what became of them: by a status,
// by values that say what was done, or by more than one date.
func (t *Table) KeepsStates() bool {
	return t.NamesStates() || slices.ContainsFunc(t.Columns, func(c *Column) bool {
		done := 0
		for _, v := range c.Values {
			if text := strings.ToLower(v.Value); len(text) > 4 && strings.HasSuffix(text, "ed") || strings.HasPrefix(text, "已") || strings.HasPrefix(text, "未") {
				done++
			}
		}
		return done > 1
	})
}

// natureOf says what a column's values are. points tells that it points to the rows of
// another table.
func natureOf(c *Column, points bool) Nature {
	words := wordsOf(c.Names.EN)
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	is := func(n Nature) bool { return endAs(words, natureWords[n]) }
	switch {
	case c.Time:
		return Moment
	case points || c.Role == semantic.RoleKey:
		return Identifier
	case c.Type == "boolean" || flagValues(c) || c.Numeric() && c.Distinct > 0 && c.Distinct <= 2 && len(c.Values) == 0 && flagName(words):
		return Flag
	case !c.Numeric():
		if c.Role == semantic.RoleCategory || len(c.Values) > 0 && c.Complete {
			return Category
		}
		return Text
	case slices.Contains(c.Of.Entity.Key, c.Expr) && len(c.Of.Entity.Key) == 1:
		return Identifier
	case is(Identifier), semantic.RunningName(words), c.serial, len(words) > 1 && last == "by" && semantic.WholeNumber(c.Type): // trained_by: by whom, though nothing says who that is
		return Identifier
	case semantic.CalendarName(words) && !measuredIn(c.Expr):
		return Calendar
	case is(Level), slices.Contains(words, "per"): // "price per ton"
		return Level
	}
	return Amount
}

// measuredIn reports whether a name that ends as those of parts of dates do says in brackets that it is measured in that:
// 时长(小时) is no hour of the day.
func measuredIn(name string) bool {
	_, _, bracketed := bracketedEnd(name)
	return bracketed
}

// moneyWords are last words of the names of columns that hold amounts of money, though nothing says in
// which currency.
var moneyWords = []string{
	"price", "cost", "costs", "fee", "fees", "fare", "revenue", "turnover", "income", "spending", "spend", "spent", "takings", "earnings", "paid", "salary", "wage", "wages", "bonus",
	"budget", "profit", "profits", "refund", "refunded", "deposit", "tip", "rent", "donation", "donated",
	"价", "价格", "金额", "费", "费用", "收入", "营业额", "销售额", "消费额", "工资", "薪", "薪水", "薪资", "奖金", "货款", "付款", "利润", "成本", "押金", "运费", "租金", "票价",
}

// isCurrency reports whether a word is the code of a currency.
func isCurrency(word string, units Units) bool {
	const code = 3 // letters
	quantity, ok := units(word)
	return ok && quantity == "money" && len(word) == code && word[0] < 0x80
}

// sayMoney reports whether the words of a name say that a column holds money.
func sayMoney(words []string) bool { return endAs(words, moneyWords) }

// endAs reports whether the words of a name end in one of some words; in Chinese, whether the last one ends so.
func endAs(words, ends []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.ContainsFunc(ends, func(w string) bool { return last == w || w[0] > 0x7f && strings.HasSuffix(last, w) })
}

// personNames are words of the names of columns that name persons; first and last stand
// before "name".
var personNames = []string{"firstname", "lastname", "fullname", "surname", "forename", "姓名"}

// personTraits are words of the names of columns that hold what persons have, and animals.
var personTraits = []string{"sex", "gender", "birth", "birthday", "birthdate", "dob", "born", "age", "性别", "出生", "生日", "年龄"}

// agentEnds are how English words end for those who do something, and Chinese ones for persons.
var agentEnds = []string{"er", "or", "ee", "ist", "ant", "ent", "员", "者", "人", "客", "师", "生", "手"}

// agents reports whether a table is called for those who do something and its rows have names and what
// persons have: runners with a name and a year of birth.
func (t *Table) agents() bool {
	name := strings.TrimSuffix(strings.ToLower(t.Names.EN), "s")
	if !slices.ContainsFunc(agentEnds, func(end string) bool { return strings.HasSuffix(name, end) }) {
		return false
	}
	return slices.ContainsFunc(t.Columns, (*Column).ownName) && slices.ContainsFunc(t.Columns, func(c *Column) bool {
		return slices.ContainsFunc(c.Words(), func(w string) bool {
			return slices.ContainsFunc(personTraits, func(trait string) bool { return w == trait || w[0] > 0x7f && strings.HasPrefix(w, trait) })
		})
	})
}

// Persons reports whether the rows of a table are persons: one of its columns holds names
// that only persons have, or it is called for those who do something.
func (t *Table) Persons() bool { return t.persons }

// holdsPersons works out what Persons tells: once for a view, as every reading of a question asks.
func (t *Table) holdsPersons() bool {
	return t.agents() || slices.ContainsFunc(t.Columns, func(c *Column) bool {
		words := c.Words()
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(personNames, w) || strings.HasSuffix(w, "姓名") }) ||
			c.partOfName(words)
	})
}

// OfPersons reports whether each row is one person of whom nothing but figures is kept.
func (t *Table) OfPersons() bool { return t.ofPersons }

// holdsFigures works out what OfPersons tells, of so many rows: that the age and the sex are kept, no name,
// nothing that tells others apart and no day on which anything was, as events have one; or that they are of a survey.
func (t *Table) holdsFigures(rows int64) bool {
	if t.ofAnswers(rows) {
		return true
	}
	age, sex := false, false
	for _, c := range t.Columns {
		words := c.Words()
		age = age || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(agesOf, w) })
		sex = sex || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(sexesOf, w) })
		if c.Time || c.Points || c.Nature == Identifier && !c.Unique() && c.Distinct < rows {
			return false
		}
	}
	return age && sex && len(t.Label) == 0
}

// Located reports whether the rows of a table are places: they have names and an address, and are no persons.
func (t *Table) Located() bool {
	return !t.Persons() && len(t.Label) > 0 && slices.ContainsFunc(t.Columns, func(c *Column) bool {
		return !c.Points && slices.ContainsFunc(c.Words(), func(w string) bool { return slices.Contains(addressWords, w) })
	})
}

// addressWords are words of the names of columns that say where a place is.
var addressWords = []string{"address", "street", "postcode", "zipcode", "latitude", "lat", "地址"}

// surveyWords are words of the names of tables each row of which is what one person answered.
var surveyWords = []string{"survey", "surveys", "questionnaire", "questionnaires", "poll", "respondents"}

// ofAnswers reports whether each of so many rows is what one person answered in a survey: it says how old or
// of which sex they are, and nothing but the rows themselves is told apart.
func (t *Table) ofAnswers(rows int64) bool {
	return len(t.Label) == 0 && slices.ContainsFunc(wordsOf(t.Names.EN), func(w string) bool { return slices.Contains(surveyWords, w) }) && slices.ContainsFunc(t.Columns, func(c *Column) bool {
		return slices.ContainsFunc(c.Words(), func(w string) bool { return slices.Contains(agesOf, w) || slices.Contains(sexesOf, w) })
	}) && !slices.ContainsFunc(t.Columns, func(c *Column) bool {
		return c.Points || c.Nature == Identifier && !c.Unique() && c.Distinct < rows
	})
}

// agesOf and sexesOf are words of the names of columns that only persons, or other living things, have.
var (
	agesOf  = []string{"age", "年龄"}
	sexesOf = []string{"sex", "gender", "性别"}
)

// partOfName reports whether the words of a column's name, but for its table's own before them, are those of a
// part of a person's name: emp_fname of employee.
func (c *Column) partOfName(words []string) bool {
	n := len(words)
	if n < 2 || words[n-1] != "name" || !slices.Contains([]string{"first", "last", "full", "given", "family", "middle"}, words[n-2]) {
		return false
	}
	return !slices.ContainsFunc(words[:n-2], func(w string) bool { return !ownWord(c, w) })
}

// PartOfName reports whether a column holds parts of the names of persons.
func (c *Column) PartOfName() bool {
	words := c.Words()
	return c.partOfName(words) || slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(personNames, w) && w != "fullname" && w != "姓名"
	})
}

// minPrefix is how many letters a word has at least that stands for a longer one by its beginning.
const minPrefix = 3

// kindNames are last words of the names of columns that say of which kind a thing is.
var kindNames = []string{"kind", "type", "species", "category", "breed", "variety", "class", "sort", "genre", "种类", "类别", "类型", "品种", "种", "类"}

// placeNames are last words of the names of columns that hold places in an order, of which the first is the best.
var placeNames = []string{"rank", "ranking", "position", "place", "standing", "名次", "排名", "位次"}

// Place reports whether a column of numbers holds places in an order.
func (c *Column) Place() bool { return c.Numeric() && endAs(c.Words(), placeNames) }

// adverseNames are words of the names of columns of which less is better.
var adverseNames = []string{
	"delay", "wait", "waiting", "late", "lateness", "overdue", "error", "fault", "defect", "complaint", "loss", "damage", "injury", "death", "crime", "cancellation", "failure", "absence",
	"unemployment", "churn", "debt", "延误", "晚点", "迟到", "逾期", "等待", "投诉", "损失", "故障", "缺勤", "失业", "死亡", "事故", "差评",
}

// Adverse reports whether a column of numbers holds what there is better less of: delays, losses.
func (c *Column) Adverse() bool {
	return c.Numeric() && slices.ContainsFunc(c.Words(), func(w string) bool {
		return slices.ContainsFunc(adverseNames, func(bad string) bool { return token.Stem(bad) == token.Stem(w) || han(w) && strings.Contains(w, bad) })
	})
}

// Kind is the one column that says of which kind the rows of a table are; nil: none, or
// more.
func (t *Table) Kind() *Column {
	var found *Column
	for _, c := range t.Columns {
		if c.Nature != Category && c.Nature != Text || !endAs(c.Words(), kindNames) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// aspectNames are last words of the names of columns that say something of each row, beside kinds:
// of what the words before them say the rows are.
var aspectNames = []string{"status", "method", "mode", "channel", "reason", "outcome", "result", "source"}

// Noun is what the rows of its table are called by the name of a column that says of which kind each
// is, or how it stands: "job" of job_type. Empty: the name says no such thing.
func (c *Column) Noun() string {
	words := c.Words()
	n := len(words)
	if n != 2 || c.Nature != Category && c.Nature != Text || words[0][0] > 0x7f ||
		!slices.Contains(kindNames, words[1]) && !slices.Contains(aspectNames, words[1]) {
		return ""
	}
	return words[0]
}

// ends are words of names of columns that hold the lowest or the highest of something.
var ends = map[bool][]string{false: {"min", "minimum", "low", "lowest", "最低", "最小"}, true: {"max", "maximum", "high", "highest", "peak", "最高", "最大"}}

// OtherEnd reports whether a column holds the lowest where the highest is asked for, or
// the other way round.
func (c *Column) OtherEnd(highest bool) bool {
	return slices.ContainsFunc(c.Words(), func(w string) bool {
		return slices.ContainsFunc(ends[!highest], func(end string) bool { return w == end || end[0] > 0x7f && strings.HasPrefix(w, end) })
	})
}

// PairedEnd reports whether a column holds the lowest where the highest is asked for, or the other way round,
// beside one of its table that holds the other end: temp_min beside temp_max. The min of a running time may
// be minutes.
func (c *Column) PairedEnd(highest bool) bool {
	if !c.OtherEnd(highest) {
		return false
	}
	words := c.Words()
	return slices.ContainsFunc(c.Of.Columns, func(o *Column) bool {
		other := o.Words()
		if o == c || len(other) != len(words) {
			return false
		}
		differ := 0
		for i := range words {
			if words[i] != other[i] {
				differ++
			}
		}
		return differ == 1 && o.OtherEnd(!highest)
	})
}

// Flow is the way that the numbers of a column go, of two columns of one table for both ways.
type Flow int

// The ways that numbers go.
const (
	NoFlow  Flow = iota
	Inward       // paid in, credits, 收入
	Outward      // paid out, debits, 支出
)

// flowNames are words of the names of columns that hold what comes in and what goes out.
var flowNames = map[Flow][]string{
	Inward:  {"in", "incoming", "inflow", "credit", "deposit", "income", "received", "receipt", "earned", "收入", "转入", "存入", "流入", "进账", "贷方"},
	Outward: {"out", "outgoing", "outflow", "debit", "withdrawal", "withdrawn", "expense", "expenditure", "spent", "支出", "转出", "取出", "流出", "付出", "借方"},
}

// said is the way that the name of a column of numbers says.
func (c *Column) said() Flow {
	if !c.Numeric() {
		return NoFlow
	}
	for _, way := range []Flow{Inward, Outward} {
		if slices.ContainsFunc(c.Words(), func(w string) bool {
			return slices.ContainsFunc(flowNames[way], func(name string) bool {
				return w == name || w == name+"s" || name[0] > 0x7f && (strings.HasPrefix(w, name) || strings.HasSuffix(w, name))
			})
		}) {
			return way
		}
	}
	return NoFlow
}

// flowing are the columns that hold what comes in, and what goes out, of the tables that have one of each.
func (v *View) flowing() map[Flow][]*Column {
	ways := map[Flow][]*Column{}
	for _, t := range v.Tables {
		own, money := map[Flow][]*Column{}, 0
		for _, c := range t.Columns {
			if c.Money {
				money++
			}
			if way := c.said(); way != NoFlow {
				own[way] = append(own[way], c)
			}
		}
		if len(own[Inward]) != 1 || len(own[Outward]) != 1 {
			continue
		}
		in, out := own[Inward][0], own[Outward][0]
		other := in.Unit != "" && !in.Money || out.Unit != "" && !out.Money // pieces that go in and out of a stock
		if !other && (money == 0 || in.Money && out.Money) {
			ways[Inward], ways[Outward] = append(ways[Inward], own[Inward]...), append(ways[Outward], own[Outward]...)
		}
	}
	return ways
}

// Flows are the columns that hold what comes in, and what goes out; empty: no table has one of each.
func (v *View) Flows() map[Flow][]*Column { return v.flows }

// FlagLike reports whether a column is called as those of yes and no are.
func (c *Column) FlagLike() bool { return flagName(c.Words()) }

// flagName reports whether a name is one of a yes or a no, and not of a number.
func flagName(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"is", "has", "flag", "active", "enabled", "deleted", "opt", "can"}, w)
	})
}

// flagValues reports whether the stored values are those of yes and no.
func flagValues(c *Column) bool {
	if !c.Complete || len(c.Values) == 0 || len(c.Values) > 2 {
		return false
	}
	for _, v := range c.Values {
		if _, ok := truth[strings.ToLower(v.Value)]; !ok {
			return false
		}
	}
	return true
}

// truth are texts that say yes or no.
var truth = map[string]bool{
	"0": false, "1": true, "n": false, "y": true, "no": false, "yes": true, "f": false, "t": true, "false": false, "true": true, "否": false, "是": true, "无": false, "有": true,
}

// nothing are stored values that say that there is none of what a column is of.
var nothing = []string{"none", "no", "nil", "n/a", "nothing", "无", "没有"}

// Nothing returns the stored value that says that there is none.
func (c *Column) Nothing() (string, bool) {
	for _, v := range c.Values {
		if slices.Contains(nothing, strings.ToLower(v.Value)) {
			return v.Value, true
		}
	}
	return "", false
}

// Says returns the stored value of a flag that says yes, or no.
func (c *Column) Says(yes bool) (string, bool) {
	if c.Numeric() && len(c.Values) == 0 {
		return map[bool]string{true: "1", false: "0"}[yes], true
	}
	if c.Type == "boolean" {
		return map[bool]string{true: "true", false: "false"}[yes], true
	}
	for _, v := range c.Values {
		if is, ok := truth[strings.ToLower(v.Value)]; ok && is == yes {
			return v.Value, true
		}
	}
	return "", false
}

// pointers are the ids of the columns that point to another table.
func pointers(l *semantic.Layer) map[string]bool {
	out := map[string]bool{}
	for _, j := range l.Joins {
		for i, c := range j.Columns {
			switch j.Cardinality {
			case semantic.ManyToOne, semantic.OneToOne, "":
				out[j.From+"."+c] = true
			case semantic.OneToMany:
				out[j.To+"."+j.ToColumns[i]] = true
			case semantic.ManyToMany:
				out[j.From+"."+c], out[j.To+"."+j.ToColumns[i]] = true, true
			}
		}
	}
	return out
}
