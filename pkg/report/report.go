// Package report writes documents that people take away: an answer with its evidence, or
// an analysis of several parts. A Document is what is said; HTML and Markdown write it.
// Texts, names and values of a document are untrusted: they are shown and never obeyed.
package report

import (
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// Document is a report. All but the title may be left out, and what is left out has no
// heading. Texts are plain, in the document's language: Markdown and HTML in them are
// shown as they are written.
type Document struct {
	// Language of the headings that the writer adds, and of the page; lang.English where
	// it is empty.
	Language lang.Language
	Title    string
	Asked    Asked
	// Summary is what the reader should know who reads nothing else: a paragraph each.
	Summary []string
	// Warnings are what to know before relying on the report: a sentence each.
	Warnings []string
	Sections []Section
}

// Asked is what the report answers.
type Asked struct {
	Question string
	// By is the person who asked, as people call them.
	By string
	// At is when the data were read; the zero time: not told. Its zone is the reader's.
	At time.Time
	// RunID leads to the record of the run.
	RunID string
}

// Section is one part of a report, in this order on the page.
type Section struct {
	// Heading of the part; empty: it goes on with the part before.
	Heading    string
	Paragraphs []string
	// Findings are a list of sentences.
	Findings []string
	Chart    *Chart
	Table    *Table
	// Method says how the numbers were made: a paragraph each.
	Method []string
	SQL    []Statement
	// Code is a program in Python that made the numbers; empty: none.
	Code        string
	Certificate *Certificate
}

// Chart is a picture of data.
type Chart struct {
	// Option is an ECharts option as JSON, as chat BI makes it (pkg/chart). Whatever of
	// it is no part of a chart.Spec is left out.
	Option string
	// Title above the picture; empty: that of the option.
	Title string
	// Alt says what the picture shows, for whoever does not see it; empty: that of the
	// option, else made from the data.
	Alt string
}

// Table is a result, or the first rows of one. A section with a chart and no table gets
// the table of the chart's data.
type Table struct {
	result.Table
	// Labels are the columns' names for people, one a column; empty: as in the result.
	Labels []string
	// Caption says what the rows are; empty: none.
	Caption string
	// Total is how many rows the whole result has; 0: those that are here.
	Total int64
}

// Statement is SQL as it ran.
type Statement struct {
	// Label says what it computes; empty: none.
	Label string
	Text  string
}

// Certificate is the evidence on which a part rests. What is zero is not written.
type Certificate struct {
	Sources []Source
	// Metrics are "name: definition".
	Metrics      []string
	Filters      []string
	Assumptions  []string
	GuardChanges []string
	// Rows returned, and bytes that the engine read.
	Rows, Bytes int64
	// Confidence is from 0 to 1. It is written where there are metrics alone: without them
	// it does not tell right from wrong.
	Confidence float64
	// Paragraph is the certificate in a few sentences.
	Paragraph string
	// SHA256 of the statement, hex.
	SHA256 string
}

// Source is a table that was read.
type Source struct {
	// Name is idc_region.schema.table.
	Name string
	// Updated is when its data last changed.
	Updated time.Time
	// Newest is its newest partition, such as "2026-11-19".
	Newest string
}

// Options bound a document that is written. A zero field has its default.
type Options struct {
	// MaxRows of a table that are written, 1000 by default; the rest is counted.
	MaxRows int
}

// DefaultMaxRows is how many rows of a table are written unasked.
const DefaultMaxRows = 1000

func (o Options) withDefaults() Options {
	if o.MaxRows <= 0 {
		o.MaxRows = DefaultMaxRows
	}
	return o
}
