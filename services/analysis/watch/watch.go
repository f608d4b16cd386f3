// Package watch runs saved questions when their schedule says, by the right that their
// owner has given, and sends on what came of them.
//
// schedule.go reads cron lines, store.go says how watches are kept, gates.go when there is
// something to do and to tell, and scheduler.go takes a run from one stored stage to the
// next. What a question is answered with (Engine) and where results go (Deliverer) are
// others' work.
package watch

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
)

// Status is where a watch stands.
type Status string

// Where watches stand.
const (
	Active  Status = "active"
	Paused  Status = "paused"
	Stopped Status = "stopped" // its grant ended
)

// Outcome is how a run ended; empty while it has not.
type Outcome string

// How runs end.
const (
	Delivered   Outcome = "delivered"
	Kept        Outcome = "kept" // there is no target
	Quiet       Outcome = "quiet"
	NoNewData   Outcome = "no_new_data"
	Failed      Outcome = "failed"
	Undelivered Outcome = "undelivered"
	Ended       Outcome = "stopped"
)

// Stage is what a run that has not ended does next. It is stored before it is done.
type Stage string

// The stages of a run, in their order.
const (
	StageData    Stage = "data" // waits for data to arrive
	StageAsk     Stage = "ask"
	StageDeliver Stage = "deliver"
)

// Spec is what a watch does.
type Spec struct {
	Name          string   `json:"name"`
	Question      string   `json:"question"`
	Source        string   `json:"source,omitempty"`
	Schedule      string   `json:"schedule"`
	TimeZone      string   `json:"time_zone,omitempty"`
	OnNewData     bool     `json:"on_new_data,omitempty"`
	Tables        []string `json:"tables,omitempty"`
	OnFinding     bool     `json:"on_finding,omitempty"`
	Target        string   `json:"target,omitempty"`
	CostConfirmed bool     `json:"cost_confirmed,omitempty"`
	Agent         string   `json:"agent_id,omitempty"`
}

// Language is the one that the watch speaks: that of its question.
func (s Spec) Language() lang.Language { return lang.Detect(s.Question) }

// Grant is the right to run as its owner. It holds who they were when they gave it, and
// never the rights of an administrator; what they may read is looked up at each run.
type Grant struct {
	Principal string    `json:"principal"`
	Groups    []string  `json:"groups,omitempty"`
	GrantedAt time.Time `json:"granted_at"`
	ExpiresAt time.Time `json:"expires_at"`
	RevokedAt time.Time `json:"revoked_at,omitzero"`
	RevokedBy string    `json:"revoked_by,omitempty"`
}

// Runs is the principal that runs by the grant.
func (g Grant) Runs() run.Principal { return run.Principal{ID: g.Principal, Groups: g.Groups} }

// Mark says how far the data of a table reaches. The zero value of a field: not known.
type Mark struct {
	Table   string    `json:"table"`
	Newest  string    `json:"newest,omitempty"` // newest partition
	Updated time.Time `json:"updated,omitzero"`
}

// Finding is something that a run found.
type Finding struct {
	// Key is the same for the same thing found again.
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Run is one run of a watch.
type Run struct {
	ID    string    `json:"id"` // "wrun_" and 24 hex digits
	Due   time.Time `json:"due"`
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended,omitzero"`
	// Forced runs whatever the gates say.
	Forced     bool    `json:"forced,omitempty"`
	Stage      Stage   `json:"stage,omitempty"`
	Outcome    Outcome `json:"outcome,omitempty"`
	Message    string  `json:"message,omitempty"`
	AnalysisID string  `json:"analysis_id,omitempty"`
	Tries      int     `json:"delivery_tries,omitempty"`
	// Findings are those that were not told before, Keys those of all that were found.
	Findings []string `json:"findings,omitempty"`
	Keys     []string `json:"keys,omitempty"`
	// Summary is what is sent, Marks how far the data reached that was read.
	Title   string   `json:"title,omitempty"`
	Summary []string `json:"summary,omitempty"`
	Marks   []Mark   `json:"marks,omitempty"`
}

// State is what is kept of a watch beside its columns.
type State struct {
	Spec    Spec   `json:"spec"`
	Grant   Grant  `json:"grant"`
	Stopped string `json:"stopped_because,omitempty"`
	Current *Run   `json:"current,omitempty"`
	Runs    []Run  `json:"runs,omitempty"` // newest first, at most MaxRuns
	// Marks are those of the last run that read data, Told the keys of what its results
	// have told and found again since.
	Marks []Mark   `json:"marks,omitempty"`
	Told  []string `json:"told,omitempty"`
}

// Revoke ends the grant and the run that is at work, with the sentence that says so.
func (s *State) Revoke(by string, at time.Time, why string) {
	s.Grant.RevokedAt, s.Grant.RevokedBy, s.Stopped = at, by, why
	if s.Current != nil {
		ended := *s.Current
		ended.Outcome, ended.Message, ended.Ended, ended.Stage = Ended, why, at, ""
		ended.Keys, ended.Marks, ended.Summary = nil, nil, nil
		s.put(ended)
	}
}

// put adds a run that has ended to those that are kept.
func (s *State) put(r Run) {
	s.Runs = slices.Insert(s.Runs, 0, r)
	s.Runs = s.Runs[:min(len(s.Runs), MaxRuns)]
	s.Current = nil
}

// Bounds of what is kept.
const (
	MaxRuns     = 20
	maxFindings = 20
	maxKeys     = 500
	maxSummary  = 40
)
