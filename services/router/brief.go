package router

import (
	"fmt"
	"slices"
	"strings"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// brief tells what came of a call in a few lines, for a model: no documents, no
// rows, the names of the first tables.
func (c *call) brief() string {
	switch o := c.output.(type) {
	case nil:
		return c.Error
	case *findatav1.DiscoverResult:
		if !usable(o) {
			return "no table was found. " + o.GetAnswer()
		}
		var lines []string
		for _, t := range o.GetRelatedTables() {
			if len(lines) < maxTablesNamed && !t.GetLocked() {
				lines = append(lines, tableName(t.GetTable().GetRef())+": "+t.GetTable().GetDescription())
			}
		}
		return "tables found:\n" + strings.Join(lines, "\n")
	case *text2sqlv1.GenerateResult:
		if sql := sqlOf(c); sql != "" {
			return "SQL written:\n" + sql
		}
		return "no SQL was written: " + o.GetAbstainedReason()
	case *fixsqlv1.FixSQLResponse:
		return "SQL after the repair:\n" + o.GetFixed().GetSql()
	case *chatbiv1.ExecuteResult:
		if e := o.GetError(); e != nil {
			return "the run failed: " + e.GetMessage()
		}
		if showsPersons(o.GetWarnings()) {
			return fmt.Sprintf("the run gave %d columns, with data of persons that are kept from you", len(o.GetPage().GetColumns()))
		}
		return fmt.Sprintf("the run gave %d columns: %s", len(o.GetPage().GetColumns()), o.GetAnswer())
	case *chatbiv1.ExplainResult:
		if e := o.GetError(); e != nil {
			return "the run failed: " + e.GetMessage()
		}
		if showsPersons(o.GetWarnings()) {
			return "what accounts for the change was found; it shows data of persons that are kept from you"
		}
		return "what accounts for the change: " + o.GetAnswer()
	case *knowledgev1.KnowledgeAnswer:
		if !usable(o) {
			return "the documents say nothing of it"
		}
		return ""
	case *text2sqlv1.PlanChangeResponse:
		return "the change cannot be looked into: " + o.GetAbstainedReason()
	default:
		return ""
	}
}

// warnPersonal is the code of chatbi's warning that a result shows data of persons.
const warnPersonal = "PERSONAL_DATA"

func showsPersons(warnings []*commonv1.Warning) bool {
	return slices.ContainsFunc(warnings, func(w *commonv1.Warning) bool { return w.GetCode() == warnPersonal })
}

// personal reports whether what a call brought shows data of persons.
func (c *call) personal() bool {
	switch o := c.output.(type) {
	case *chatbiv1.ExecuteResult:
		return showsPersons(o.GetWarnings())
	case *chatbiv1.ExplainResult:
		return showsPersons(o.GetWarnings())
	}
	return false
}
