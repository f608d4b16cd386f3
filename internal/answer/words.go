package answer

import commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"

// words are the headings of an answer.
type words struct {
	language                                                              commonv1.Language
	modelCall, modelCalls, tokens                                         string // with their number
	noPrice                                                               string
	tables, notes, findings, understood, guard, next, confidence, filters string
	moreRow, moreRows                                                     string // the second with the number of rows
	moreColumns                                                           string // with their number, one or more
	newest, changed, rows, noWhy, noChart                                 string // rows with their number
	chartAsBars, chartInFile                                              string // with the kind of chart
}

func wordsOf(language commonv1.Language) words {
	if language == commonv1.Language_LANGUAGE_ZH {
		return words{
			language: language, modelCall: "调用模型 %d 次", modelCalls: "调用模型 %d 次", tokens: "%s 个 token", noPrice: "费用未知（未配置 llm.input_price 与 llm.output_price）",
			tables: "数据表", notes: "注意", findings: "发现", understood: "对问题的理解",
			guard: "安全检查所做的修改", next: "还可以问", confidence: "置信度", filters: "筛选条件：",
			moreRows: "… 还有 %d 行", moreRow: "… 还有 1 行", moreColumns: "… 右侧还有 %d 列（--export 文件.csv 可得到全部）",
			newest: "最新分区 ", changed: "更新于 ", rows: "结果共 %d 行", noWhy: "还没有可以说明的回答。", noChart: "这个回答没有图表。",
			chartAsBars: "%s在终端中以条形显示；--export 文件.png（对话中用 /export）可得到原图。",
			chartInFile: "%s不在终端中绘制；--export 文件.png（对话中用 /export）可得到该图。",
		}
	}
	return words{
		language: language, modelCall: "%d model call", modelCalls: "%d model calls", tokens: "%s tokens", noPrice: "cost unknown (no llm.input_price and llm.output_price)",
		tables: "Tables", notes: "Notes", findings: "Findings", understood: "Understood",
		guard: "Changed by the guard", next: "You could ask next", confidence: "confidence", filters: "Filters: ",
		moreRows: "… %d more rows", moreRow: "… 1 more row", moreColumns: "… columns without room at the right: %d (--export FILE.csv has all)",
		newest: "newest partition ", changed: "changed ", rows: "rows of the result: %d", noWhy: "there is no answer to tell of yet", noChart: "this answer has no chart",
		chartAsBars: "%s: a terminal has it as bars; --export FILE.png (in a talk /export) draws it as it is.",
		chartInFile: "%s: --export FILE.png (in a talk /export) draws it.",
	}
}
