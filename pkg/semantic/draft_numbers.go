package semantic

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// figure is what a draft makes of the numbers of a column. A number that is added up without
// being an amount is a wrong answer given with confidence, and one without a metric is read
// off its table: so only what tells that it adds up is added up.
type figure int

const (
	unclear  figure = iota // nothing tells what they are
	added                  // amounts and counts
	averaged               // rates, prices, sizes: of one thing at one time
	noFigure               // flags, numbers of documents, parts of dates, places, results of others
)

// numberOf tells what the numbers of a column are, by its name, its unit and its values.
func numberOf(t *catalog.Table, c *catalog.Column, words []string) figure {
	hasOne := func(of []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
	}
	switch {
	case hasHan(c.Name) && (isFlag(c, words) || RunningNumber(c, t.RowCount)):
		return noFigure
	case hasHan(c.Name):
		return numberOfHan(c)
	case isFlag(c, words) || RunningName(words) || RunningNumber(c, t.RowCount) || hasOne(noFigureWords) || hasOne(resultWords):
		return noFigure
	case hasOne(averagedWords):
		return averaged
	case slices.Contains(currencies, strings.ToLower(c.Unit)) || unitOf(words) != "" || hasOne(moneyWords) || hasOne(countWords) || countsThings(words) || len(words) > 1 && slices.Contains(counters, words[0]):
		return added
	}
	return unclear
}

// Ends of Chinese names of numbers.
var (
	averagedEnds = []string{"单价", "价格", "价", "率", "比例", "占比", "折扣", "评分", "得分", "年龄", "温度", "湿度", "重量", "体重", "身高", "高度", "长度", "宽度", "厚度", "面积", "速度", "时长", "余额"}
	noFigureEnds = []string{"年", "年份", "月", "月份", "日", "季度", "周", "经度", "纬度", "排名", "名次", "最高", "最低", "最大值", "最小值", "中位数"}
	addedEnds    = []string{"金额", "总额", "额", "总价", "费用", "费", "成本", "收入", "利润", "支出", "税", "款", "数量", "件数", "人数", "次数", "销量", "产量", "用量"}
)

// numberOfHan tells what the numbers of a column with a Chinese name are, by its end, which says what they are.
func numberOfHan(c *catalog.Column) figure {
	ends := func(with []string) bool { return endsIn(c.Name, with) }
	switch {
	case ends(averagedEnds) || strings.HasPrefix(c.Name, "平均"):
		return averaged
	case ends(noFigureEnds):
		return noFigure
	case ends(addedEnds):
		return added
	}
	return unclear
}

// flagWords begin or end the names of numbers that say yes or no.
var flagWords = []string{"is", "has", "flag", "active", "enabled", "deleted", "valid"}

// isFlag reports whether a number says yes or no: a sum of it means nothing that people
// call by its name.
func isFlag(c *catalog.Column, words []string) bool {
	return c.Distinct > 0 && c.Distinct <= 2 || len(words) > 0 && (slices.Contains(flagWords, words[0]) || slices.Contains(flagWords, last(words)))
}

// Words of the names of numbers.
var (
	// averagedWords name what is of one thing at one time.
	averagedWords = []string{
		"rate", "ratio", "pct", "percent", "percentage", "price", "score", "rating", "avg", "average", "mean", "age", "share", "margin",
		"temperature", "height", "level", "index", "speed", "weight", "width", "depth", "altitude", "length", "size", "duration", "humidity", "pressure",
	}
	// noFigureWords name parts of dates, places and orders.
	noFigureWords = []string{"year", "month", "week", "day", "hour", "minute", "quarter", "latitude", "longitude", "lat", "lng", "lon", "rank", "ranking", "position", "seq", "sequence"}
	// resultWords name what was picked out of other numbers, and is no part of them.
	resultWords = []string{"max", "min", "maximum", "minimum", "highest", "lowest", "median"}
	// moneyWords name amounts, of money most often, and countWords numbers and amounts of things.
	moneyWords = []string{
		"amount", "amt", "total", "sum", "sales", "revenue", "turnover", "gmv", "income", "cost", "fee", "tax", "vat", "charge", "payment", "paid", "profit", "loss",
		"spend", "spent", "expense", "budget", "refund", "donation", "deposit",
	}
	countWords = []string{"qty", "quantity", "count", "cnt", "usage", "consumption", "production", "attendance"}
	// currencies that names of columns end with, or that are the unit of their values.
	currencies = []string{"usd", "eur", "gbp", "cny", "jpy", "sgd", "brl", "inr", "idr", "chf", "cad", "aud", "krw", "sek", "nok", "dkk", "pln"}
	// irregular plurals are not told by their ends.
	irregular = []string{"people", "children", "men", "women"}
	// spans are in the plural no number of things: the days that something took.
	spans = []string{"days", "weeks", "months", "quarters", "years", "degrees"}
)

// countsThings reports whether a name is one of things in the plural, as goals or
// page_views_7d: how many there were.
func countsThings(words []string) bool {
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		if len(w) < 2 || strings.ContainsFunc(w, unicode.IsDigit) {
			continue // of so many days, behind what is counted
		}
		return slices.Contains(irregular, w) || !slices.Contains(spans, w) && Singular(w) != w
	}
	return false
}

func unitOf(words []string) string {
	if w := last(words); slices.Contains(currencies, w) {
		return strings.ToUpper(w)
	}
	return ""
}
