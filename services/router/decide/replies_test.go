package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/decide"
)

// TestNumberedReplies are the number of an option and nothing else, within the options
// that there are.
func TestNumberedReplies(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	names := [][]string{
		{"1", "the first one", "1st please", "option a", "option one", "number 1", "#1", "top one", "former", "第一个", "选一", "一", "前者", "第1个"},
		{"2", "the second one", "2nd", "option b", "option 2", "number two", "#2", "第二个", "第两个", "选二", "二"},
		{"3", "third", "3rd", "option c", "number 3", "#3", "第三个", "选三", "三"},
		{"4", "the fourth", "4th", "option d", "option four", "#4", "第四个", "选四", "四"},
		{"5", "fifth one", "5th", "option e", "number five", "#5", "第五个", "选五", "五"},
	}
	for at, spelled := range names {
		for _, reply := range spelled {
			got, ok := rules.Numbered(reply, 5)
			require.True(t, ok, reply)
			require.Equal(t, at, got, reply)
			_, ok = rules.Numbered(reply, at)
			require.False(t, ok, "%s of %d options", reply, at)
		}
	}
	for n := 1; n <= 5; n++ {
		for _, reply := range []string{"the last one", "the latter", "last option", "最后一个", "后者"} {
			got, ok := rules.Numbered(reply, n)
			require.True(t, ok, reply)
			require.Equal(t, n-1, got, "%s of %d", reply, n)
		}
	}
	for _, reply := range []string{
		"", "0", "10", "6", "the first quarter", "in the second week", "第一季度", "2 of them in Oslo", "what is 2?", "no, not 2", "2 SELECT a FROM b", "why the second?", "the last month", "the second one for Oslo", "orders", "12 1",
	} {
		_, ok := rules.Numbered(reply, 5)
		require.False(t, ok, reply)
	}
	_, ok := rules.Numbered("the last one", 0)
	require.False(t, ok)
}

// TestNamedReplies are words of one option and of no other; a reply that says more, asks,
// declines or brings a SQL is one of its own.
func TestNamedReplies(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	options := []string{"average delay per depot", "average delay per driver", "各仓库平均延误", "各司机延误次数"}
	for reply, want := range map[string]int{
		"per depot": 0, "depot": 0, "the driver one please": 1, "average delay per driver": 1, "仓库": 2, "平均延误": 2, "司机的": 3, "延误次数": 3, "仓库平均": 2,
	} {
		got, ok := rules.Names(reply, options)
		require.True(t, ok, reply)
		require.Equal(t, want, got, reply)
	}
	for _, reply := range []string{
		"", "average delay", "延误", "depot and weekday", "by depot in May", "why per depot?", "what is a depot?", "no, not the depot", "SELECT depot FROM b", "hello", "yes", "weather", "天气仓库延误城市人口", "哪个仓库", "3",
	} {
		_, ok := rules.Names(reply, options)
		require.False(t, ok, reply)
	}
	got, ok := rules.Names("2024", []string{"deliveries in 2024", "deliveries in 2025"})
	require.True(t, ok, "a number that is no position may name an option")
	require.Equal(t, 0, got)
}

// TestVerdictsOfReplies: a plain yes or no, in whatever words, and all else is more than
// that.
func TestVerdictsOfReplies(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for want, replies := range map[decide.Verdict][]string{
		decide.Yes: {"yes", "yes please", "sure, go ahead", "run it", "ok run it now", "great, do it", "perfect", "yes thanks", "hi, yes", "execute it", "好的，执行", "嗯", "没问题", "跑吧", "太好了"},
		decide.No:  {"no", "nope", "no, thanks", "don't run it", "do not execute", "no need to run it", "cancel", "cancel that please", "never mind", "not now", "hold off", "let me check first", "ok, no", "不用", "取消", "先别跑", "不要执行", "等我确认一下再说"},
		decide.Other: {
			"", "thanks", "hello", "bye", "thanks, bye", "why?", "is it slow?", "explain it", "yes, and for Oslo too", "how many rides?", "run it for Oslo", "no, only for Oslo", "yes: SELECT a FROM b", "cancel the orders of last month", "谢谢", "为什么", "解释一下", "只看奥斯陆",
		},
	} {
		for _, reply := range replies {
			require.Equal(t, want, rules.Verdict(reply), "%q", reply)
		}
	}
}

// TestFragments are of so few words that they are no request of their own.
func TestFragments(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for n := 1; n <= 12; n++ {
		require.Equal(t, n <= 7, rules.IsFragment(strings.TrimSpace(strings.Repeat("zorb ", n))), "%d words", n)
		require.Equal(t, n <= 7, rules.IsFragment(strings.Repeat("仓库", n)), "%d pairs of characters", n)
	}
	require.False(t, rules.IsFragment("SELECT a FROM b"))
}

// TestOptionsOfAMessage: what a message lists is read as it was written, whatever the
// signs of the list.
func TestOptionsOfAMessage(t *testing.T) {
	t.Parallel()
	items := []string{"rides in May", "average fare (NOK)", "司机小费"}
	for _, sign := range []string{"%d) ", "%d. ", "%d、", "%d）"} {
		for _, before := range []string{"Which one? ", "Which one:", "哪一个？", ""} {
			text := before
			for i, item := range items {
				text += fmt.Sprintf(sign, i+1) + item + " "
			}
			require.Equal(t, items, decide.Options(text), text)
		}
	}
	for _, none := range []string{"", "There were 120 rides.", "It is 9.50 in Oslo", "version 1.2", "in 2024) there were none"} {
		require.Empty(t, decide.Options(none), none)
	}
}

// TestPickedOptions: a reply picks by position, else by the words that one option shares
// most with it; as many words of two options pick none.
func TestPickedOptions(t *testing.T) {
	t.Parallel()
	options := []string{"red lorry of depot north", "blue lorry of depot south", "仓库北区延误", "仓库南区次数"}
	for reply, want := range map[string]int{
		"the blue lorry": 1, "lorry of north": 0, "red": 0, "depot south, the blue": 1, "北区": 2, "南区次数": 3, "南区的次数": 3, "4": 3, "the second": 1, "blue or red, blue of the south": 1,
	} {
		got, ok := decide.Pick(reply, options)
		require.True(t, ok, reply)
		require.Equal(t, want, got, reply)
	}
	for _, reply := range []string{"", "lorry", "depot", "仓库", "of", "9", "green van", "red and blue"} {
		_, ok := decide.Pick(reply, options)
		require.False(t, ok, reply)
	}
	for _, reply := range []string{"1", "red", ""} {
		_, ok := decide.Pick(reply, nil)
		require.False(t, ok, reply)
	}
	rules := newRules(t)
	for reply, picked := range map[string]bool{"blue lorry": true, "the second": true, "blue lorry weekly figures": false, "blue lorry weekly": true, "南区次数": true, "南区天气预报如何": false, "9": false} {
		_, ok := rules.PickMost(reply, options)
		require.Equal(t, picked, ok, reply)
	}
}

// TestWhatIsPastedIsTakenApart: a statement, the text of an error and words are told apart
// in whatever order and on whatever lines they come.
func TestWhatIsPastedIsTakenApart(t *testing.T) {
	t.Parallel()
	statements := []string{
		"SELECT a FROM t", "select a, b\nfrom shop.orders\nwhere a = 1", "WITH x AS (SELECT 1 AS a) SELECT a FROM x", "SELECT count(*) FROM \"订单\" WHERE \"城市\" = '北京'",
		"SELECT a\nFROM t\nWHERE b LIKE '%x%'\nORDER BY a", "DELETE FROM shop.orders WHERE a = 1", "UPDATE shop.orders SET a = 1", "INSERT INTO shop.orders SELECT a FROM t", "DROP TABLE shop.orders",
		"TRUNCATE TABLE shop.orders", "ALTER TABLE shop.orders ADD COLUMN a int", "CREATE TABLE shop.orders AS SELECT a FROM t",
	}
	errors := []string{"", "COLUMN_NOT_FOUND: line 1:8: Column 'a' cannot be resolved", "Query failed (#2024): line 1:8: mismatched input 'FORM'", "Table 'x.y' does not exist"}
	before := []string{"", "fix this", "this fails, why", "请修复", "repair and run it"}
	for _, sql := range statements {
		for _, failure := range errors {
			for _, words := range before {
				lines := slices.DeleteFunc([]string{words, sql, failure}, func(line string) bool { return line == "" })
				want := decide.Pasted{SQL: sql, Error: failure, Words: words}
				require.Equal(t, want, decide.Split(strings.Join(lines, "\n")), "%q", lines)
				if failure != "" && words != "" { // the error first
					got := decide.Split(strings.Join([]string{failure, words, sql}, "\n"))
					require.Equal(t, []string{sql, failure}, []string{got.SQL, got.Error}, "%q %q %q", failure, words, sql)
					require.Contains(t, got.Words, words)
				}
				for _, fence := range []string{"```sql\n", "```\n", "```SQL\n"} {
					text := words + "\n" + fence + sql + "\n```\n" + failure
					got := decide.Split(text)
					require.Equal(t, []string{sql, failure}, []string{got.SQL, got.Error}, "%q", text)
					require.Contains(t, got.Words, words)
				}
			}
		}
	}
	for _, sql := range statements[:4] {
		for _, wish := range []string{
			"please explain", "can you run it", "why does it fail?", "what does it return", "tell me the slow part", "this fails on Mondays", "it throws an error", "thanks", "-- why is this slow?",
			"为什么这么慢", "帮我看看哪里错了",
		} {
			for _, between := range []string{"\n", "; ", ";\n", "\n\n"} {
				got := decide.Split(sql + between + wish)
				require.Equal(t, sql, strings.TrimRight(got.SQL, "; \n"), "%q %q", between, wish)
				require.Contains(t, got.Words, strings.TrimSpace(wish), "%q", between)
			}
		}
	}
	for text, want := range map[string]decide.Pasted{
		"SELECT a FROM t LIMIT 10 为什么这么慢":    {SQL: "SELECT a FROM t LIMIT 10", Words: "为什么这么慢"},
		"SELECT a FROM t LIMIT 10\n为什么这么慢":   {SQL: "SELECT a FROM t LIMIT 10", Words: "为什么这么慢"},
		"SELECT a FROM t WHERE b = 7，只看北京":   {SQL: "SELECT a FROM t WHERE b = 7", Words: "只看北京"},
		"SELECT a FROM t LIMIT 10\n3月的也要":    {SQL: "SELECT a FROM t LIMIT 10", Words: "3月的也要"},
		"SELECT a FROM t LIMIT 10; 3月的也要":    {SQL: "SELECT a FROM t LIMIT 10", Words: "3月的也要"},
		"SELECT a FROM t LIMIT 10 （按周）看":     {SQL: "SELECT a FROM t LIMIT 10", Words: "（按周）看"},
		"SELECT a FROM t LIMIT 10\n\n  改成按周": {SQL: "SELECT a FROM t LIMIT 10", Words: "改成按周"},
	} {
		got := decide.Split(text)
		require.Equal(t, want.SQL, strings.TrimRight(got.SQL, ";"), text)
		require.Equal(t, want.Words, strings.Trim(got.Words, "，；; "), text)
	}
	for _, english := range []string{
		"how many did they select from the list", "select the best of them", "update me on sales", "drop me a line", "with love as always", "insert coin", "a grant to the school", "please select a country from Europe for me", "compare with last year", "create a report", "merge the two lists", "alter ego",
	} {
		require.Empty(t, decide.Split(english).SQL, english)
		require.Equal(t, english, decide.Split(english).Words)
	}
}

// TestSlipsOfTheKeyboardInAStatement: a SELECT or FROM with one letter more, less, other or
// changed places begins a statement all the same; with two it is a word.
func TestSlipsOfTheKeyboardInAStatement(t *testing.T) {
	t.Parallel()
	for _, slip := range []string{"SELCT", "SLECT", "SEELCT", "SELLECT", "SELEKT", "ELECT", "SELEC"} {
		require.NotEmpty(t, decide.Split(slip+" a, b FROM shop.orders").SQL, slip)
		require.NotEmpty(t, decide.Split(slip+" count(*) FORM shop.orders").SQL, slip)
		require.Empty(t, decide.Split(slip+" a b of shop orders").SQL, "%s: nothing that SQL has", slip)
		require.Empty(t, decide.Split(slip+" a, b of shop orders").SQL, "%s: no FROM", slip)
	}
	for _, word := range []string{"selected", "selects", "sect", "collect", "reflect"} {
		require.Empty(t, decide.Split(word+" a, b from the list").SQL, word)
	}
	for _, from := range []string{"FORM", "FRM", "FRON", "FROMM", "FOM"} {
		require.NotEmpty(t, decide.Split("SELECT a "+from+" shop.orders").SQL, from)
		require.Empty(t, decide.Split("select the "+from+" of it").SQL, from)
	}
}
