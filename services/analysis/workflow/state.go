package workflow

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/agent"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// Query is what was asked, and how. It never changes.
type Query struct {
	Source   string        `json:"source"`
	Question string        `json:"question"`
	Language lang.Language `json:"language"`
	TimeZone string        `json:"time_zone,omitempty"`
	// Now is the analysis's one clock reading: "this month" stays the month in which it
	// was asked, however long a person thinks about the plan.
	Now           time.Time `json:"now"`
	Review        bool      `json:"review,omitempty"` // human_review_enabled
	OnlySQL       bool      `json:"only_nl2sql,omitempty"`
	CostConfirmed bool      `json:"cost_confirmed,omitempty"`
	Tables        []string  `json:"tables,omitempty"` // that are known to bear on it
	Earlier       []Earlier `json:"multi_turn_context,omitempty"`
	// What the asker said of themselves, for the services that read it.
	Region     string `json:"region,omitempty"`
	Department string `json:"department,omitempty"`
	Background string `json:"background,omitempty"`
	// Agent is what the agent of the analysis knows, nil where it has none (agent_id).
	Agent *agent.Chosen `json:"agent,omitempty"`
}

// Documents are the knowledge bases that are looked into, by name; none: all.
func (q Query) Documents() []string {
	if q.Agent == nil {
		return nil
	}
	return q.Agent.Documents
}

// example is the agent's plan of the same question, nil where it has none.
func (q Query) example() *agent.Plan {
	if q.Agent == nil {
		return nil
	}
	return q.Agent.Plan
}

// Earlier is a question that was analysed before in the same talk.
type Earlier struct {
	Question string `json:"question"`
	Plan     string `json:"plan,omitempty"`
}

// State is all that is known of an analysis, stored after every node. A node replaces
// keys whole.
type State struct {
	ID    string `json:"id"`
	Query Query  `json:"query"`

	Status run.Status `json:"status"`
	// Node ended last, Next is the one that the analysis goes on with.
	Node string `json:"node,omitempty"`
	Next string `json:"next,omitempty"`
	// Message is what happened last, Error why it did not end well: for a person.
	Message string `json:"message,omitempty"`
	Error   string `json:"error,omitempty"`

	Irrelevant    bool       `json:"irrelevant,omitempty"` // intent
	Evidence      []Evidence `json:"evidence,omitempty"`
	Canonical     string     `json:"canonical_query,omitempty"`
	Expanded      []string   `json:"expanded_queries,omitempty"`
	Tables        []Document `json:"table_documents,omitempty"`
	Relations     []string   `json:"relations,omitempty"`
	RelationError string     `json:"error_of_relations,omitempty"`
	RelationRetry bool       `json:"table_relation_exception,omitempty"` // worth another try
	RelationTries int        `json:"retry_count,omitempty"`
	Assessment    Assessment `json:"assessment"`

	// ByModel says that a model makes the plan, Unplanned that nobody could.
	ByModel bool `json:"plan_by_model,omitempty"`
	// ByExample says that the plan is one of the agent's examples.
	ByExample bool `json:"plan_by_example,omitempty"`
	Unplanned bool `json:"unplanned,omitempty"`

	Request  plan.Request   `json:"request"`
	Plan     plan.Plan      `json:"plan"`
	Valid    bool           `json:"plan_validation_status"`
	Problems []plan.Problem `json:"plan_problems,omitempty"`
	Repairs  int            `json:"plan_repair_count"`
	NextNode string         `json:"next_node,omitempty"`
	Current  string         `json:"current_step,omitempty"`

	Human    Human    `json:"human_next_node,omitempty"`
	Approved int      `json:"approved_version,omitempty"`
	Feedback []string `json:"feedback,omitempty"`
	Asked    string   `json:"asked,omitempty"` // what the person is asked

	Written  *Written `json:"sql,omitempty"`
	SQLCount int      `json:"sql_generate_count,omitempty"`
	Reason   string   `json:"regenerate_reason,omitempty"`
	Tried    []Tried  `json:"tried_statements,omitempty"`
	SQLEnd   bool     `json:"sql_end,omitempty"` // the END marker: another try changes nothing
	Verdict  bool     `json:"verdict,omitempty"`
	RunOK    bool     `json:"executed,omitempty"`

	PythonTries    int    `json:"python_tries,omitempty"`
	PythonOK       bool   `json:"python_success,omitempty"`
	PythonFallback bool   `json:"python_fallback,omitempty"`
	PythonOutput   string `json:"python_stdout,omitempty"`
	// PythonCode is the program of the step, PythonProblem what was wrong with the last
	// try, PythonEnd that another changes nothing.
	PythonCode    string `json:"python_generate_output,omitempty"`
	PythonProblem string `json:"python_problem,omitempty"`
	PythonEnd     bool   `json:"python_end,omitempty"`
	// Computed is what Python computed, or this service in its place.
	Computed *Result `json:"computed,omitempty"`

	Results []Result `json:"results,omitempty"`
	Report  *Report  `json:"report,omitempty"`
}

// Human is what a person did with a plan.
type Human string

// What a person may do; the zero value is that nobody has said anything.
const (
	Waiting  Human = "waiting"
	Approved Human = "approved"
	Rejected Human = "rejected"
	Edited   Human = "edited"
)

// Evidence is business knowledge that bears on the question. What was recalled once is
// not changed by feedback.
type Evidence struct {
	Kind string `json:"kind"` // "term", "rule", "document", "metric" or "example"
	Name string `json:"name"`
	Text string `json:"text"`
}

// Document is a table that bears on the question, with its columns.
type Document struct {
	Name    string   `json:"name"`
	Why     string   `json:"why,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// References are columns that point to other tables, "column -> table.column".
	References []string `json:"references,omitempty"`
}

// Assessment says whether the data can answer, and what kind of request it is.
type Assessment struct {
	Analysis bool   `json:"analysis"`
	Kind     string `json:"kind,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// Written is what a step runs: a statement, or the plan of a change.
type Written struct {
	SQL string `json:"sql,omitempty"`
	// Opaque is what the service that wrote it gives the one that runs it, as it is.
	Opaque []byte `json:"opaque,omitempty"`
	// Said is what the writer took the instruction to say.
	Said Said `json:"said"`
}

// Tried is a statement that did not do for the step at work, and why.
type Tried struct {
	SQL    string `json:"sql"`
	Reason string `json:"reason"`
}

// Said is what a statement says, for the check against what its step asks.
type Said struct {
	NotUnderstood []string `json:"not_understood,omitempty"`
	// ByTime and ByCategory say what its rows are grouped by.
	ByTime     bool `json:"by_time,omitempty"`
	ByCategory bool `json:"by_category,omitempty"`
	// Change says that it looks into a change.
	Change bool `json:"change,omitempty"`
	// Known is false for a writer that does not say how rows are grouped.
	Known bool `json:"known,omitempty"`
}

// StepStatus is where a step stands.
type StepStatus string

// Where steps stand.
const (
	StepRunning    StepStatus = "running"
	StepDone       StepStatus = "done"
	StepUnanswered StepStatus = "unanswered"
)

// Result is what came of a step.
type Result struct {
	Step    string     `json:"step"`
	Status  StepStatus `json:"status"`
	Problem string     `json:"problem,omitempty"`
	Answer  string     `json:"answer,omitempty"`
	Tables  []Table    `json:"tables,omitempty"`
	// Outcome of a change: "one_cause", "evenly_spread" and so on; empty for others.
	Outcome  string    `json:"outcome,omitempty"`
	Chart    Chart     `json:"chart,omitzero"`
	Evidence Evidences `json:"certificate,omitzero"`
	SQL      []string  `json:"sql,omitempty"`
	Code     string    `json:"code,omitempty"` // Python that made the tables
	Warnings []Warning `json:"warnings,omitempty"`
	Tries    int       `json:"tries,omitempty"`
	// Findings are what chat BI found in the rows beyond chance.
	Findings []Finding `json:"findings,omitempty"`
	// Files are those that a program left beside its tables.
	Files []File `json:"files,omitempty"`
}

// Finding is something found in the rows of a result.
type Finding struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	// At tells it from others of its kind that are said with other numbers on another day;
	// empty where the sentence without its numbers does.
	At string `json:"at,omitempty"`
}

// File is what a program left.
type File struct {
	Name string `json:"name"` // letters, digits, dots, dashes and underscores
	Data []byte `json:"data"`
}

// Warning is something the reader should know.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Chart is how a step's first table is drawn.
type Chart struct {
	Kind   int    `json:"kind,omitempty"` // as in the contract
	Title  string `json:"title,omitempty"`
	Option string `json:"option,omitempty"` // ECharts, JSON
}

// Evidences are the certificate of a step.
type Evidences struct {
	Sources     []Source `json:"sources,omitempty"`
	Metrics     []string `json:"metrics,omitempty"`
	Filters     []string `json:"filters,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	Guard       []string `json:"guard,omitempty"`
	Rows        int64    `json:"rows,omitempty"`
	Bytes       int64    `json:"bytes,omitempty"`
	Confidence  float64  `json:"confidence,omitempty"`
	SHA256      string   `json:"sha256,omitempty"`
	Paragraph   string   `json:"paragraph,omitempty"`
}

// Source is a table that was read.
type Source struct {
	Name    string    `json:"name"`
	Updated time.Time `json:"updated,omitzero"`
	Newest  string    `json:"newest,omitempty"`
}

// Column of a table, with how people call it.
type Column struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Label string `json:"label,omitempty"`
	Unit  string `json:"unit,omitempty"`
}

// IsCurrency reports whether a unit is that of money, an ISO 4217 code.
func IsCurrency(unit string) bool {
	return len(unit) == 3 && unit == strings.ToUpper(unit)
}

// Identifies reports whether a column of whole numbers names its rows: it is called an id.
func (c Column) Identifies() bool {
	name := strings.ToLower(c.Name)
	return (result.Column{Type: c.Type}).Kind() == result.KindInteger && (name == "id" || strings.HasSuffix(name, "_id"))
}

// Table is a table of a step's result. Its cells are what the numbers of a report are.
type Table struct {
	Name      string   `json:"name"`
	Columns   []Column `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Total     int64    `json:"total,omitempty"`
	Truncated bool     `json:"truncated,omitempty"`
	ResultID  string   `json:"result_id,omitempty"`
}

// Result returns the table as a plain result.
func (t Table) Result() result.Table {
	out := result.Table{Rows: t.Rows, Truncated: t.Truncated}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, result.Column{Name: c.Name, Type: c.Type})
	}
	return out
}

// UnmarshalJSON reads whole numbers exactly: as the column's type says, not as floats.
func (t *Table) UnmarshalJSON(raw []byte) error {
	type plainTable Table
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode((*plainTable)(t)); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i, v := range row {
			n, is := v.(json.Number)
			if !is || i >= len(t.Columns) {
				continue
			}
			row[i] = exact(n, result.Column{Type: t.Columns[i].Type}.Kind())
		}
	}
	return nil
}

func exact(n json.Number, kind result.Kind) any {
	if kind != result.KindFloat {
		if whole, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
			return whole
		}
	}
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return f
}

// Report is what is kept of a report that was checked: the rest is written again of the
// results whenever somebody reads it.
type Report struct {
	Title   string   `json:"title"`
	Summary []string `json:"summary"`
}

// result returns the result of a step, nil where it has none.
func (s *State) result(step string) *Result {
	for i := range s.Results {
		if s.Results[i].Step == step {
			return &s.Results[i]
		}
	}
	return nil
}

// put replaces the result of a step.
func (s *State) put(r Result) {
	kept := slices.DeleteFunc(slices.Clone(s.Results), func(have Result) bool { return have.Step == r.Step })
	s.Results = slices.Concat(kept, []Result{r})
}

// Names of the tables of a change.
const (
	TableResult   = "result"
	TableFigures  = "figures"  // metric, before_period, before, after_period, after, change, change_rate
	TableElements = "elements" // name, before, after, accounts, share
	TableFactors  = "factors"  // likewise
	TableForecast = "forecast" // day, forecast, low, high
	TableMethods  = "methods"  // method, error, error_share, origins; the one taken first
	TableUnusual  = "unusual"  // figure, kind, day, value, usual, difference, score
	TableSwept    = "swept"    // figure, first_day, last_day, days, problem

	TableSegments     = "segments"     // segment, members, share, and the mean of each figure
	TableMembers      = "members"      // the rows that were divided, and the segment of each
	TableDivision     = "division"     // rows, left_out, segments, silhouette, chance
	TableCorrelations = "correlations" // first, second, rows, independent, pearson, spearman, p, more_than_chance
	TableDifferences  = "differences"  // figure, group_a, group_b, rows_a, rows_b, mean_a, mean_b, difference, low, high, test, p, more_than_chance
)
