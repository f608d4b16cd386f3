package schema

import (
	"slices"
	"strings"
)

// Words of the names of columns that say until when something is to be done, of those that say when
// it was, and of those that say when it was paid. They are closed classes of what tables of orders,
// loans, invoices and the like call them.
var (
	dueWords  = []string{"due", "deadline", "expected", "planned", "promised", "agreed", "estimated", "应", "预计", "计划", "截止", "约定", "到期", "期限"}
	doneWords = []string{
		"delivered", "returned", "completed", "closed", "finished", "received", "shipped", "paid", "arrived", "actual", "done", "resolved", "submitted",
		"归还", "完成", "完工", "送达", "交付", "到达", "实际", "缴", "付款", "签收", "结束", "交稿", "提交",
	}
	paidWords = []string{"paid", "payment", "settled", "缴费", "缴款", "付款", "支付", "付清", "结清", "还款", "收款", "交费", "到账", "付费"}
)

// Due are the day until when the rows of a table are to be done, and the day on which they were;
// nil, nil: the table does not have just one of each.
func (t *Table) Due() (due, done *Column) {
	var dues, dones, after []*Column
	for _, c := range t.Columns {
		if !dates(c.Dimension) || hasWord(c.Dimension, asideWords) {
			continue
		}
		switch {
		case hasWord(c.Dimension, dueWords):
			dues = append(dues, c)
		case hasWord(c.Dimension, doneWords):
			dones = append(dones, c)
			if len(dues) > 0 {
				after = append(after, c)
			}
		}
	}
	if len(dones) > 1 && len(after) > 0 { // received, due, delivered
		dones = after
	}
	if len(dones) > 1 { // due, returned, paid: what is paid for was done on the other
		dones = slices.DeleteFunc(dones, func(c *Column) bool { return hasWord(c.Dimension, paidWords) })
	}
	if len(dues) != 1 || len(dones) != 1 {
		return nil, nil
	}
	return dues[0], dones[0]
}

// Paid is the day on which what a row of a table is to be paid for was paid, where it may not have
// been yet; nil: no column says so, or more do.
func (t *Table) Paid() *Column {
	var found []*Column
	for _, c := range t.Columns {
		if dates(c.Dimension) && c.Nullable && hasWord(c.Dimension, paidWords) && !hasWord(c.Dimension, dueWords) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// overWords are words of the names of columns that say when what a row is of came to its end. They
// are a closed class.
var overWords = []string{
	"end", "ended", "ends", "left", "leaving", "leave", "terminated", "termination", "expired", "expires", "resigned", "resignation", "retired", "retirement",
	"exit", "exited", "quit", "closed", "cancelled", "canceled", "deactivated", "dissolved", "discontinued",
	"结束", "终止", "中止", "离职", "离开", "离店", "离院", "离校", "退", "注销", "停用", "停业", "停产", "解除", "解散", "关闭", "下架",
}

// Ended is the day on which what the rows of a table are of came to its end, which those that go on
// do not have; nil: no column says so, or more do.
func (t *Table) Ended() *Column {
	var found *Column
	for _, c := range t.Columns {
		if c.Missing == 0 || !dates(c.Dimension) || !hasWord(c.Dimension, overWords) || hasWord(c.Dimension, asideWords) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

// Words of the names of columns that say when something happened, and when it was agreed that it would:
// the lessons of a year are those held in it, not those booked.
var (
	heldWords   = []string{"held", "happened", "occurred", "performed", "took", "event", "举行", "举办", "发生", "进行"}
	bookedWords = []string{"booked", "reserved", "requested", "registered", "scheduled", "created", "entered", "预约", "预订", "预定", "登记", "申请", "创建", "录入"}
)

// Dated is the column that dates the rows of a table where the question names none: the one that is
// called as the rows are, "adopted on" of adoptions, else that says when something happened, else the
// first that says neither when it was agreed nor when it is due; nil: there is none.
func (t *Table) Dated() *Column {
	days := t.Days()
	own := roleStems(t.Names.EN)
	tests := []func(*Column) bool{
		func(c *Column) bool {
			return slices.ContainsFunc(roleStems(c.Expr), func(s string) bool { return slices.Contains(own, s) })
		},
		func(c *Column) bool { return hasWord(c.Dimension, heldWords) },
		func(c *Column) bool {
			return !slices.ContainsFunc([][]string{bookedWords, dueWords, asideWords}, func(words []string) bool { return hasWord(c.Dimension, words) })
		},
	}
	for _, fits := range tests {
		if i := slices.IndexFunc(days, fits); i >= 0 {
			return days[i]
		}
	}
	if i := slices.IndexFunc(days, func(c *Column) bool { return !IsBirth(c.Dimension) }); i >= 0 {
		return days[i]
	}
	return nil // nothing happens to people on the day of their birth that is asked for without saying so
}

// doneEnds are the ends of Chinese names of columns of days, behind what was done on them.
var doneEnds = []string{"日期", "时间", "时刻", "日"}

// DoneHan reports whether Chinese words are what was done on the days of a column: 离职 of a 离职日期.
func (c *Column) DoneHan(text string) bool {
	return c.Time && slices.ContainsFunc(doneEnds, func(end string) bool { return c.Expr == text+end || c.Names.ZH == text+end })
}

// Year is the one column that holds the year of the things of a table; nil: there is none, or more.
func (t *Table) Year() *Column {
	var found *Column
	for _, c := range t.Columns {
		if c.Nature != Calendar || !slices.ContainsFunc(c.Words(), func(w string) bool {
			return w == "year" || strings.HasSuffix(w, "年") || strings.HasSuffix(w, "年份")
		}) {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}
