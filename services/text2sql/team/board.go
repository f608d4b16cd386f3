package team

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// Board is what the team knows while it works on one task. Members read all of it
// and change it by what they return only.
type Board struct {
	Task Task
	// Move is the planner's last word: to whom it goes, and why.
	Move Move
	// Reading of the question; nil: it was not read yet.
	Reading *Reading
	// Draft of SQL; nil: none was written for this reading yet.
	Draft *Draft
	// Verdict on the draft; nil: it was not looked at yet.
	Verdict *Verdict
	// Learned is what went wrong before, for members that try again.
	Learned []Finding
	// History of steps, oldest first.
	History []Record
	// Repairs of this draft, Returns to the parser.
	Repairs, Returns int

	cfg      Config
	words    words
	warnings []Warning
	down     map[string]bool // members whose model does not answer
}

// Reading is what a question was understood as.
type Reading struct {
	pipeline.Result
	By Strategy
	// Settled readings have their SQL from the written layer, or are a question to
	// the asker or a refusal that stands: the generator has nothing to decide.
	Settled bool
	// Restatement in a sentence; may be empty.
	Restatement string
}

// Draft is what the generator wrote.
type Draft struct {
	// Outcome is Answered where there are candidates.
	Outcome    pipeline.Outcome
	Candidates []Candidate
	// Question and Options, where the asker has to choose; Reason, where there is
	// no SQL.
	Question    string
	Options     []pipeline.Option
	Reason      string
	Restatement string
	By          Strategy
}

// Candidate is a statement that may answer the question.
type Candidate struct {
	SQL         string
	Reason      string
	By          Strategy
	Confidence  float64
	Assumptions []string

	// What the evaluator found.
	Checked bool
	Tables  []string
	// Canonical is the statement without its layout.
	Canonical string
	Constants []tools.Constant
	// Result of a try; nil: it was not run.
	Result *tools.Rows
	// Problem keeps it from being used; nil: it holds.
	Problem *Finding
	// Doubts do not keep it from being used; the reader is told of them.
	Doubts []Finding
}

// holds reports a candidate that was checked and has no problem.
func (c *Candidate) holds() bool { return c.Checked && c.Problem == nil }

// Finding is something wrong or odd, with its class.
type Finding struct {
	// Class is Trino's error name or one of this package.
	Class   string
	Message string
	// SQL that it was found in.
	SQL string
	// Near are stored values or names that may have been meant.
	Near []string
}

// Found reports whether one of some findings is of a statement.
func Found(list []Finding, sql string) bool {
	return sql != "" && slices.ContainsFunc(list, func(f Finding) bool { return f.SQL == sql })
}

// Classes of findings that are no error of an engine.
const (
	ClassEmpty        = "EMPTY_RESULT"
	ClassAllNull      = "ALL_NULL"
	ClassValueUnknown = "VALUE_UNKNOWN" // compared with what no row has
	ClassFanOut       = "FAN_OUT"       // adds up rows that a join repeats
	ClassUnjoined     = "UNJOINED"      // every row of a table stands beside every row of another
	ClassApart        = "JOINED_APART"  // joins by columns that tell different things apart
	ClassNullCompared = "NULL_COMPARED" // compares with NULL, which is never true
	ClassNameAsText   = "NAME_AS_TEXT"  // a column's name is a text there
	ClassMisread      = "MISREAD"       // it answers another question
	ClassTies         = "TIES"          // rows beyond its limit are equal to the last one
	ClassZero         = "ZERO"          // it counts or adds up no row
	ClassReadsNothing = "READS_NOTHING" // its figures are its own
	ClassTried        = "TRIED"         // the caller has it already, and it did not do
)

// Verdict is the evaluator's word on a draft.
type Verdict struct {
	// OK tells that Best may be shown.
	OK   bool
	Best int // index of a candidate
	// Agreed candidates have the result of the best one, itself included; those of
	// rules do not count among a model's.
	Agreed int
	// Apart are candidates that hold and have another result, in groups; the best
	// one's is not among them.
	Apart []int
	// Ask tells that the candidates mean different things and the asker has to say
	// which.
	Ask bool
	// Finding that keeps the draft from being used, where OK is false.
	Finding Finding
	// Summary of the best one's result.
	Summary string
}

// Record is one step of the history.
type Record struct {
	Member string
	By     Strategy
	// In and Out say in a few words what the member was given and what it made.
	In, Out string
	OK      bool
	// Class of what went wrong.
	Class string
	Took  time.Duration
}

// by is the strategy of a member for this task: the model's until it failed.
func (b *Board) by(member string) Strategy {
	if b.Task.Strategy != ByModel || b.down[member] {
		return ByRules
	}
	return ByModel
}

// noModel puts members back to rules; none named: all.
func (b *Board) noModel(members ...string) {
	if len(members) == 0 {
		members = []string{MemberPlanner, MemberParser, MemberGenerator, MemberEvaluator}
	}
	if b.down == nil {
		b.down = map[string]bool{}
	}
	for _, m := range members {
		b.down[m] = true
	}
}

// warn tells the reader something, once.
func (b *Board) warn(w Warning) {
	if !slices.ContainsFunc(b.warnings, func(have Warning) bool { return have.Code == w.Code && have.Message == w.Message }) {
		b.warnings = append(b.warnings, w)
	}
}

// failures counts the failed steps of a member.
func (b *Board) failures(member string) int {
	n := 0
	for _, r := range b.History {
		if r.Member == member && !r.OK {
			n++
		}
	}
	return n
}

// same counts the findings of a class so far.
func (b *Board) same(class string) int {
	n := 0
	for _, f := range b.Learned {
		if f.Class == class {
			n++
		}
	}
	return n
}

// Left is how many repairs of this draft and returns to the parser are left.
func (b *Board) Left() (repairs, returns int) {
	return max(0, b.cfg.MaxRepairs-b.Repairs), max(0, b.cfg.MaxReturns-b.Returns)
}
