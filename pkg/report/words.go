package report

import "github.com/dibrain/dibrain/pkg/lang"

// words are what the writer itself says.
type words struct {
	Question, AskedBy, ReadAt, Run, Warnings, Summary, Data, Method, SQL, Evidence string
	Tables, Newest, Updated, Metrics, Filters, Assumptions, Guard, Rows, Bytes     string
	Confidence, Statement, NoScript, MoreRows, MoreRow, Series, InShort            string
}

func wordsOf(l lang.Language) words {
	if l == lang.Chinese {
		return words{
			Question: "问题", AskedBy: "提问人", ReadAt: "数据读取时间", Run: "运行编号", Warnings: "注意", Summary: "摘要", Data: "数据", Method: "计算方法", SQL: "Presto SQL", Evidence: "依据",
			Tables: "数据表", Newest: "最新分区 ", Updated: "更新于 ", Metrics: "指标", Filters: "筛选条件", Assumptions: "假设", Guard: "安全检查所做的修改", Rows: "行数", Bytes: "读取字节数",
			Confidence: "置信度", Statement: "SQL 的 SHA-256", NoScript: "查看交互图表需要启用脚本；数据见下表。", MoreRows: "… 还有 %s 行", MoreRow: "… 还有 1 行", Series: "系列", InShort: "概述",
		}
	}
	return words{
		Question: "Question", AskedBy: "Asked by", ReadAt: "Data read at", Run: "Run", Warnings: "Notes", Summary: "Summary", Data: "Data", Method: "Method", SQL: "Presto SQL", Evidence: "Evidence",
		Tables: "Tables", Newest: "newest partition ", Updated: "changed ", Metrics: "Metrics", Filters: "Filters", Assumptions: "Assumed", Guard: "Changed by the guard", Rows: "Rows", Bytes: "Bytes read",
		Confidence: "Confidence", Statement: "SHA-256 of the SQL", NoScript: "The interactive chart needs scripts; its data are in the table below.", MoreRows: "… %s more rows", MoreRow: "… 1 more row", Series: "Series", InShort: "In short",
	}
}
