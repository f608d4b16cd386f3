package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// Which of several columns of days is meant where a question names none; which two say what is late;
// which says what is paid.
func TestColumnsOfDays(t *testing.T) {
	t.Parallel()
	day := func(names ...string) []catalog.Column {
		var out []catalog.Column
		for _, n := range names {
			out = append(out, catalog.Column{Name: n, Type: "date"})
		}
		return out
	}
	for _, c := range []struct {
		table                    string
		columns                  []string
		dated, due, done, settle string
	}{
		{"sessions", []string{"booked_on", "held_on"}, "held_on", "", "", ""},
		{"adoptions", []string{"returned_on", "adopted_on"}, "adopted_on", "", "", ""},
		{"tickets", []string{"opened_on", "closed_on"}, "opened_on", "", "", ""},
		{"jobs", []string{"received_on", "due_on", "delivered_on"}, "received_on", "due_on", "delivered_on", ""},
		{"loans", []string{"due_date", "lent_on", "returned_on"}, "lent_on", "due_date", "returned_on", ""},
		{"invoices", []string{"issued_on", "due_on", "paid_on"}, "issued_on", "due_on", "paid_on", "paid_on"},
		{"课程", []string{"预约日期", "上课日期"}, "上课日期", "", "", ""},
		{"账单", []string{"出账日期", "应缴日期", "缴费日期"}, "出账日期", "应缴日期", "缴费日期", "缴费日期"},
		{"rentals", []string{"rented_on", "due_back_on", "returned_on", "paid_on"}, "rented_on", "due_back_on", "returned_on", "paid_on"},
		{"deliveries", []string{"delivered_on", "returned_on", "due_on"}, "delivered_on", "", "", ""},
	} {
		tables := []catalog.Table{{Name: catalog.Name{Table: c.table}, Columns: day(c.columns...)}}
		v := view(t, semantic.Derive(tables), tables...)
		table := v.Tables[0]
		require.Equal(t, c.dated, table.Dated().Expr, c.table)
		due, done := table.Due()
		if c.due == "" {
			require.Nil(t, due, c.table)
		} else {
			require.Equal(t, []string{c.due, c.done}, []string{due.Expr, done.Expr}, c.table)
		}
		if paid := table.Paid(); c.settle == "" {
			require.Nil(t, paid, c.table)
		} else {
			require.Equal(t, c.settle, paid.Expr, c.table)
		}
	}
}

// TestColumnsOfEnds: when what the rows are of came to its end, which those that go on do not have.
func TestColumnsOfEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns []catalog.Column
		want    string
	}{
		"who left":                   {[]catalog.Column{{Name: "joined_on", Type: "date"}, {Name: "left_on", Type: "date", Missing: 4}}, "left_on"},
		"离职日期":                       {[]catalog.Column{{Name: "入职日期", Type: "date"}, {Name: "离职日期", Type: "date", Missing: 4}}, "离职日期"},
		"each has ended":             {[]catalog.Column{{Name: "ended_on", Type: "date"}}, ""},
		"no day":                     {[]catalog.Column{{Name: "left", Type: "boolean", Missing: 4}}, ""},
		"when it was changed":        {[]catalog.Column{{Name: "updated_on", Type: "date", Missing: 4}}, ""},
		"what was published goes on": {[]catalog.Column{{Name: "出版日期", Type: "date", Missing: 4}}, ""},
		"two ends":                   {[]catalog.Column{{Name: "closed_on", Type: "date", Missing: 4}, {Name: "cancelled_on", Type: "date", Missing: 9}}, ""},
	} {
		tables := []catalog.Table{{Name: catalog.Name{Table: "things"}, Columns: c.columns}}
		got := ""
		if e := view(t, semantic.Derive(tables), tables...).Tables[0].Ended(); e != nil {
			got = e.Expr
		}
		require.Equal(t, c.want, got, name)
	}
}
