package answer

import commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"

// words are the headings of an answer.
type words struct {
	tables, notes, findings, understood, guard, next, confidence, filters string
	moreRow, moreRows                                                     string // the second with the number of rows
}

func wordsOf(language commonv1.Language) words {
	if language == commonv1.Language_LANGUAGE_ZH {
		return words{
			tables: "数据表", notes: "注意", findings: "发现", understood: "对问题的理解",
			guard: "安全检查所做的修改", next: "还可以问", confidence: "置信度", filters: "筛选条件：",
			moreRows: "… 还有 %d 行", moreRow: "… 还有 1 行",
		}
	}
	return words{
		tables: "Tables", notes: "Notes", findings: "Findings", understood: "Understood",
		guard: "Changed by the guard", next: "You could ask next", confidence: "confidence", filters: "Filters: ",
		moreRows: "… %d more rows", moreRow: "… 1 more row",
	}
}
