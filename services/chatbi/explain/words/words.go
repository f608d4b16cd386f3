// Package words says an explanation in English and Chinese.
package words

import (
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// Labels are what people call things, in the language of the text. What has no label
// is called by its id.
type Labels struct {
	Metric string
	// Unit of the metric, as in analyse.Column: "USD", "fraction", empty.
	Unit string
	// Factors and Dimensions by id; units of factors by id.
	Factors, FactorUnits, Dimensions map[string]string
	// Before and After are the periods in words, such as "1 to 7 March".
	Before, After string
	// Filters of the question in words; they are part of the headline.
	Filters []string
}

// Text is an explanation in words. Every part but Headline may be empty.
type Text struct {
	// Headline says the change and what accounts for it.
	Headline string
	// Factors has a sentence for the factors, or for the rate and mix of a ratio.
	Factors []string
	// Cells has one sentence for each of Explanation.Telling, in that order.
	Cells []string
	// When says the onset and the events at it.
	When []string
	// Notes say what usual changes are and what could not be split, and why.
	Notes []string
}

// Writer says explanations. It is safe for concurrent use.
type Writer struct{}

// New returns a writer. An error means that its embedded file is broken.
func New() (*Writer, error) { return &Writer{}, nil }

// Say returns the explanation in words.
func (w *Writer) Say(_ explain.Explanation, _ Labels, _ lang.Language) Text { return Text{} }
