package pipeline

import (
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// Outcome says what came of a question.
type Outcome string

// Outcomes.
const (
	Answered  Outcome = "sql"
	Asked     Outcome = "ask"
	Abstained Outcome = "abstain"
)

// Input is a question over a schema.
type Input struct {
	Question string
	Schema   *Schema
	Now      time.Time // in the asker's location
	Language lang.Language
	// Chosen is the id of the option that answers an earlier question.
	Chosen string
	// FollowUp is what was said to change the intent of the question before; then
	// Question is the whole in plain words. Previous nil: there is none.
	Previous *intent.Intent
	FollowUp string
	// Alone says that Question is FollowUp by itself, which may stand without Previous.
	Alone bool
	// Terms and Rules that apply: definitions are put in the place of what they
	// define, other rules about what was asked lower the confidence.
	Terms []catalog.Term
	Rules []catalog.Rule
	// ShowBasis: what the first rows were chosen by stands beside them, see basis.
	ShowBasis bool

	asked *reader.Question // see ask
	wish  string           // for a chart, which Question is without
	clock dataClock        // see onDataClock
}

// Span is a piece of the question and what it was taken for.
type Span struct {
	Text, Kind, Meaning string
	Score               float64
}

// Option of a question to the asker.
type Option struct {
	ID, Label string
	// Description is what choosing it comes to, such as the number that it has; may be
	// empty.
	Description string
}

// Result is what came of a question. Statement and SQL are set only when it was
// answered.
type Result struct {
	Outcome    Outcome
	Statement  *tree.Statement
	SQL        string
	Intent     *intent.Intent
	Confidence float64 // from 0 to 1
	// Reason says why there is no SQL, and what would help; or why this SQL.
	Reason        string
	Question      string
	Options       []Option
	Understood    []Span
	NotUnderstood []string
	Doubts        []string // for logs and evaluation, in English
	Assumptions   []string // sentences, in the asker's language
	Metrics       []string // "name: definition" of the metrics used
	// Meaning says what a metric means where the question asks for that, in a sentence of the
	// asker's language; the SQL is of its current figure.
	Meaning string
	Changes []string // made to the intent before, sentences in the asker's language
	// Restated is the whole question as it was read, after a change too, from the intent alone: it stands by itself.
	// Empty where a part of the intent has no words.
	Restated     string
	Labels       []Label // of the columns of the result, as far as they have names of their own
	Alternatives []Alternative
	// MissingTables are tables that the answer needs and the schema lacks.
	MissingTables []string
	// Reads are all tables that the answer may need, as the written layer names
	// them: without the idc_region, which may be any and more than one.
	Reads []string
	// Draft is the best SQL of an abstention, for evaluation and logs only.
	Draft string
}

// Label says how people call a column of the result.
type Label struct {
	Column string
	Label  string
	Unit   string // "%" for rates, which are fractions of 1; empty for counts
	// Better is the good end of a figure, where the layer says so.
	Better semantic.Better
	// Level says that values add up over groups and not over time.
	Level bool
}

// Alternative is another reading.
type Alternative struct {
	SQL        string
	Confidence float64
}
