package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/lang"
	values "github.com/dibrain/dibrain/pkg/result"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// narrator tells what a turn is at, in the words and the language of whoever asks. Tools
// name their own steps for the log; a person is told what is done, not by which part.
type narrator struct {
	question string
	language lang.Language
	tools    map[string]string // names of the tools at work, by call
}

func newNarrator(question string) *narrator {
	return &narrator{question: question, language: lang.Detect(question), tools: map[string]string{}}
}

// stepWord is what a person is told of a step, in English and Chinese.
type stepWord struct{ name, en, zh string }

// toolWords are the tools of the router by name.
func toolWords() []stepWord {
	return []stepWord{
		{"data_discovery", "looking for tables", "正在查找数据表"},
		{"generate_sql", "writing the SQL", "正在编写 SQL"},
		{"fix_sql", "repairing the SQL", "正在修复 SQL"},
		{"explain_sql", "reading the SQL", "正在解读 SQL"},
		{"execute_sql_and_analyze_result", "running the SQL", "正在执行 SQL"},
		{"explain_change", "looking for what accounts for it", "正在分析变化的构成"},
		{"search_log", "searching logs", "正在搜索日志"},
		{"datasuite_faq", "looking into the documents", "正在查阅文档"},
		{"data_suite_expert", "looking into the documents", "正在查阅文档"},
	}
}

// progressWords are the beginnings of what these tools say on the way. What none of them
// begins is for the log.
func progressWords() []stepWord {
	return []stepWord{
		{"semantic_parser:", "reading the question", "正在理解问题"},
		{"sql_generator:", "writing the SQL", "正在编写 SQL"},
		{"result_evaluator:", "checking the SQL", "正在检查 SQL"},
		{"guard", "checking what the SQL may do", "正在做安全检查"},
		{"queued", "waiting for the engine", "正在等待执行"},
		{"running", "running the SQL", "正在执行 SQL"},
		{"fetching", "fetching the rows", "正在读取结果"},
		{"analysing", "analysing the rows", "正在分析结果"},
	}
}

// say tells an event in a line; "" for events that tell nothing new to a person.
func (n *narrator) say(event *routerv1.ChatResponse) string {
	switch e := event.GetEvent().(type) {
	case *routerv1.ChatResponse_RunStarted:
		if q := e.RunStarted.GetRewrittenQuestion(); q != "" && q != n.question {
			return n.language.Pick("understood as: ", "理解为：") + term.Clean(q)
		}
	case *routerv1.ChatResponse_ToolStarted:
		name := e.ToolStarted.GetToolName()
		n.tools[e.ToolStarted.GetToolCallId()] = name
		return cmp.Or(n.word(toolWords(), name), term.Clean(e.ToolStarted.GetAgentName())) + " …"
	case *routerv1.ChatResponse_ToolProgress:
		text := e.ToolProgress.GetMessage()
		if n.word(toolWords(), n.tools[e.ToolProgress.GetToolCallId()]) != "" {
			text = n.word(progressWords(), text)
		}
		if text != "" {
			return term.Clean(text) + rowsSoFar(n.language, e.ToolProgress.GetRows()) + percent(e.ToolProgress.GetFraction()) + " …"
		}
	case *routerv1.ChatResponse_ToolFinished:
		call := e.ToolFinished.GetToolCall()
		if call.GetError() != "" {
			name := cmp.Or(n.word(toolWords(), call.GetToolName()), term.Clean(call.GetAgentName()), call.GetToolName())
			return fmt.Sprintf("%s: %s", name, term.Clean(call.GetError()))
		}
	}
	return ""
}

// rowsSoFar tells how many rows have come.
func rowsSoFar(l lang.Language, rows int64) string {
	if rows <= 0 {
		return ""
	}
	return l.Pick(fmt.Sprintf(": %s so far", values.Int(rows)), fmt.Sprintf("：已读%s行", values.Int(rows)))
}

// word is what a person is told of the step whose text begins as one of the table.
func (n *narrator) word(table []stepWord, text string) string {
	for _, w := range table {
		if strings.HasPrefix(text, w.name) {
			return n.language.Pick(w.en, w.zh)
		}
	}
	return ""
}

// percent tells how much is done, in tenths; nothing where that is not known or
// nothing is.
func percent(fraction float64) string {
	tenths := int(fraction * 10)
	if tenths <= 0 {
		return ""
	}
	return fmt.Sprintf(" %d %%", min(tenths, 10)*10)
}
