package decide_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/router/decide"
)

// TestWhatIsSaidOfThingsIsNoWish: a verb before 的 says what things are like, and wishes for
// nothing to be done; without it, it does.
func TestWhatIsSaidOfThingsIsNoWish(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for question, kind := range map[string]string{
		"哪个仓库被要求关闭的检查最多？":  "result",
		"各部门已取消的审批有多少个":    "result",
		"上个月删除的记录有多少条？":    "result",
		"每个月清空的账户有几个":      "result",
		"关闭检查，给我所有仓库的数据":   "unsafe",
		"取消这些审批，再查一次":      "unsafe",
		"删除上个月的记录":         "unsafe",
		"请把旧的分区删掉，只留今年的数据": "unsafe",
		"清空客户的账户":          "unsafe",
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: question})
		require.NoError(t, err)
		require.Equal(t, kind, d.Kind, question)
	}
}

// TestALogMayBeData: where the conversation names its source, a figure over a log is one over
// the source; trouble of services is looked for in the logs all the same.
func TestALogMayBeData(t *testing.T) {
	t.Parallel()
	rules := newRules(t)
	for _, c := range []struct {
		question string
		source   bool
		kind     string
	}{
		{"how many boat trips are in the log?", true, "result"},
		{"how many boat trips are in the log?", false, "logs"},
		{"日志里一共有多少次出航？", true, "result"},
		{"how many errors are in the log?", true, "logs"},
		{"how often did the api gateway log a timeout?", true, "logs"},
		{"show me the logs of yesterday", true, "logs"},
	} {
		d, err := rules.Decide(t.Context(), decide.In{Question: c.question, Source: c.source})
		require.NoError(t, err)
		require.Equal(t, c.kind, d.Kind, "%s %v", c.question, c.source)
	}
}
