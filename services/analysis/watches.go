package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/watch"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// Reasons of faults of watches.
const (
	reasonWatchUnknown = "WATCH_UNKNOWN"
	reasonWatchExists  = "WATCH_EXISTS"
	reasonWatchesFull  = "WATCHES_FULL"
	reasonWatchBusy    = "WATCH_BUSY"
	reasonWatchStopped = "WATCH_STOPPED"
	reasonWatchTarget  = "WATCH_TARGET_UNKNOWN"
	reasonWatchName    = "WATCH_NAME_INVALID"
)

const prefixWatch = "watch_"

// retries are the pauses before a result is sent again that a target did not take.
func retries() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}
}

func (s *Service) scheduler() *watch.Scheduler {
	return watch.New(watch.Config{
		Runner: s.instance, Lease: s.config.Lease, Poll: s.config.Poll, Look: s.config.WatchLook, Recheck: s.config.WatchRecheck,
		Retries: retries(), Timeout: s.config.MaxDuration, Batch: s.config.WatchRunning,
	}, watch.Deps{
		Store: s.deps.Store, Engine: &asker{s}, Deliverer: s.deps.Targets, Say: s.words.Say, Clock: s.deps.Clock, IDs: s.deps.IDs, Log: s.deps.Log, Audit: s.deps.Audit,
	})
}

// Watch runs watches that are due until ctx ends. Several processes may do so over one
// store.
func (s *Service) Watch(ctx context.Context) { s.watches.Loop(ctx) }

// RunDue runs the watches that are due now, and returns when they have ended or wait.
func (s *Service) RunDue(ctx context.Context) error { return s.watches.RunDue(ctx) }

// asker answers the questions of watches by analyses.
type asker struct{ s *Service }

// Freshness implements watch.Engine: the guard reads a statement over the table as the
// owner, and nothing is run but what tells its newest partition.
func (a *asker) Freshness(ctx context.Context, spec watch.Spec, tables []string) ([]watch.Mark, error) {
	var out []watch.Mark
	for _, table := range tables {
		name, err := catalog.ParseName(table)
		if err != nil {
			return nil, err
		}
		var parts []string
		for _, part := range []string{name.Region, name.Schema, name.Table} {
			if part != "" {
				parts = append(parts, `"`+strings.ReplaceAll(part, `"`, `""`)+`"`)
			}
		}
		r, err := a.s.deps.ChatBI.EstimateCost(ctx, &chatbiv1.EstimateCostRequest{
			Source: a.s.source(spec), Sql: "SELECT count(*) AS n FROM " + strings.Join(parts, "."), Freshness: true,
		})
		if err != nil {
			return nil, err
		}
		for _, t := range r.GetTables() {
			out = append(out, mark(t))
		}
	}
	return out, nil
}

func mark(t *commonv1.TableFreshness) watch.Mark {
	m := watch.Mark{Table: t.GetTable(), Newest: t.GetLatestPartition()}
	if t.GetUpdatedAt() != nil {
		m.Updated = t.GetUpdatedAt().AsTime()
	}
	return m
}

func (s *Service) source(spec watch.Spec) string {
	if spec.Source != "" {
		return spec.Source
	}
	return s.config.DefaultSource
}

// maxTakenUp is how often an analysis is gone on with whose process dies.
const maxTakenUp = 5

// Ask implements watch.Engine.
func (a *asker) Ask(ctx context.Context, spec watch.Spec, id string) (watch.Answer, error) {
	p := run.From(ctx).Principal
	for range maxTakenUp {
		i, err := a.s.load(ctx, p, id)
		switch {
		case fault.FromStatus(err) != nil && fault.FromStatus(err).Reason == reasonUnknown:
			_, err = a.s.startAs(ctx, p, id, &analysisv1.AnalysisQuery{
				Source: spec.Source, Question: spec.Question, Review: analysisv1.Review_REVIEW_NONE, CostConfirmed: spec.CostConfirmed, AgentId: spec.Agent,
				UserContext: &commonv1.UserContext{TimeZone: spec.TimeZone},
			})
		case err == nil && a.s.interrupted(i.record):
			err = a.s.resume(ctx, p, &analysisv1.ResumeDecision{AnalysisId: id, Decision: analysisv1.Decision_DECISION_CONTINUE})
		}
		if own := fault.FromStatus(err); own != nil {
			if own.Reason == reasonRunning || own.Reason == reasonFull || own.Reason == reasonNotWaiting {
				return watch.Answer{}, &watch.BusyError{Reason: own.Message}
			}
			return watch.Answer{}, err
		}
		if i, err = a.s.followed(ctx, p, id); err != nil {
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				_, _ = a.s.cancel(context.WithoutCancel(ctx), p, id) // it is told as having run out of time
			}
			return watch.Answer{}, err
		}
		if !a.s.interrupted(i.record) {
			return a.s.answered(i.state)
		}
	}
	return watch.Answer{}, &watch.BusyError{Reason: a.s.words.Say(spec.Language(), "watch_interrupted")}
}

// followed follows an analysis to its end.
func (s *Service) followed(ctx context.Context, p run.Principal, id string) (last *item, err error) {
	err = s.follow(ctx, p, id, func(i *item) error {
		last = i
		return nil
	})
	return last, err
}

// answered is what an analysis that has ended came to.
func (s *Service) answered(state *workflow.State) (watch.Answer, error) {
	if state.Status != run.StatusSucceeded || state.Report == nil {
		reason := state.Error
		if reason == "" {
			reason = state.Message
		}
		return watch.Answer{}, &watch.CannotError{Reason: reason}
	}
	out := watch.Answer{Title: state.Report.Title, Summary: state.Report.Summary}
	problem, some := "", false
	for _, r := range state.Results {
		switch {
		case r.Status == workflow.StepUnanswered && problem == "":
			problem = r.Problem
		case r.Status == workflow.StepDone && len(r.Tables) > 0:
			some = true
		}
		for _, source := range r.Evidence.Sources {
			m := watch.Mark{Table: source.Name, Newest: source.Newest, Updated: source.Updated}
			if !slices.ContainsFunc(out.Marks, func(have watch.Mark) bool { return have.Table == m.Table }) {
				out.Marks = append(out.Marks, m)
			}
		}
	}
	if !some && problem != "" {
		return watch.Answer{}, &watch.CannotError{Reason: problem}
	}
	out.Findings = s.found(state)
	return out, nil
}

var number = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*`)

// found are the findings of an analysis that go beyond chance: those that chat BI has
// tested, unusual days, and relations and differences that were.
func (s *Service) found(state *workflow.State) []watch.Finding {
	var out []watch.Finding
	say := func(key string, args ...string) string { return s.words.Say(state.Query.Language, key, args...) }
	var swept []string // series whose unusual days are told by the step that looked for them
	for _, step := range state.Plan.Steps {
		if slices.ContainsFunc(state.Results, func(r workflow.Result) bool {
			return step.Kind == plan.Anomalies && r.Step == step.ID && r.Status == workflow.StepDone
		}) {
			swept = append(swept, step.Inputs...)
		}
	}
	for _, r := range state.Results {
		for _, f := range r.Findings {
			if slices.Contains(swept, r.Step) {
				break
			}
			out = append(out, watch.Finding{Key: f.Kind + "|" + f.At + "|" + lang.Shorten(number.ReplaceAllString(f.Text, "#"), 300), Text: f.Text})
		}
		for _, t := range r.Tables {
			for _, row := range t.Rows {
				cell := func(name string) string {
					at := slices.IndexFunc(t.Columns, func(c workflow.Column) bool { return c.Name == name })
					if at < 0 || at >= len(row) || row[at] == nil {
						return ""
					}
					text, _ := result.Text(row[at], result.Column{Name: name, Type: t.Columns[at].Type, Unit: t.Columns[at].Unit})
					return text
				}
				tested := func() bool {
					at := slices.IndexFunc(t.Columns, func(c workflow.Column) bool { return c.Name == "more_than_chance" })
					yes, _ := row[max(at, 0)].(bool)
					return at >= 0 && yes
				}
				switch t.Name {
				case workflow.TableUnusual:
					figure, kind, day := cell("figure"), cell("kind"), cell("day")
					out = append(out, watch.Finding{
						Key:  strings.Join([]string{"unusual", figure, kind, day}, "|"),
						Text: say("watch_unusual", "figure", figure, "kind", kind, "day", day, "value", cell("value"), "usual", cell("usual")),
					})
				case workflow.TableCorrelations:
					if tested() {
						first, second := cell("first"), cell("second")
						out = append(out, watch.Finding{Key: "related|" + first + "|" + second, Text: say("watch_related", "first", first, "second", second)})
					}
				case workflow.TableDifferences:
					if tested() {
						figure, one, other := cell("figure"), cell("group_a"), cell("group_b")
						out = append(out, watch.Finding{
							Key: strings.Join([]string{"differs", figure, one, other}, "|"), Text: say("watch_differs", "figure", figure, "group_a", one, "group_b", other),
						})
					}
				}
			}
		}
	}
	return out
}

// specOf reads and checks what a person wants watched.
func (s *Service) specOf(p run.Principal, m *analysisv1.WatchSpec) (watch.Spec, watch.Schedule, error) {
	spec := watch.Spec{
		Name: strings.TrimSpace(m.GetName()), Question: strings.TrimSpace(m.GetQuestion()), Source: m.GetSource(),
		Schedule: strings.TrimSpace(m.GetSchedule()), TimeZone: m.GetTimeZone(),
		OnNewData: m.GetGates().GetOnNewData(), Tables: m.GetGates().GetTables(), OnFinding: m.GetGates().GetOnFinding(),
		Target: m.GetTarget(), CostConfirmed: m.GetCostConfirmed(), Agent: m.GetAgentId(),
	}
	switch {
	case spec.Name == "" || spec.Name != prose.Line(prose.Visible(spec.Name)) || !utf8.ValidString(spec.Name) || strings.HasPrefix(spec.Name, prefixWatch):
		return spec, watch.Schedule{}, fault.Invalid("spec.name", reasonWatchName, "Give the watch a name of one line that does not begin with %s.", prefixWatch)
	case spec.Question == "":
		return spec, watch.Schedule{}, fault.Invalid("spec.question", "QUESTION_EMPTY", "The question is empty: say what to watch.")
	case len(spec.Tables) > 0 && !spec.OnNewData:
		return spec, watch.Schedule{}, fault.Invalid("spec.gates.tables", "WATCH_GATES_INVALID", "Tables are for on_new_data: set it, or leave them out.")
	}
	for _, table := range spec.Tables {
		if _, err := catalog.ParseName(table); err != nil {
			return spec, watch.Schedule{}, fault.Invalid("spec.gates.tables", "WATCH_GATES_INVALID", "%q is no name of a table: write idc_region.schema.table.", lang.Shorten(table, 100))
		}
	}
	if spec.Target != "" {
		var names []string
		for _, t := range s.deps.Targets.List() {
			names = append(names, t.Name)
		}
		if !slices.Contains(names, spec.Target) {
			known := "there are none: whoever runs the server allows them with analysis.watch_targets_file"
			if len(names) > 0 {
				known = "there are " + strings.Join(names[:min(len(names), 20)], ", ")
			}
			return spec, watch.Schedule{}, fault.Invalid("spec.target", reasonWatchTarget, "There is no target %q: %s.", lang.Shorten(spec.Target, 64), known)
		}
	}
	if spec.Agent != "" {
		chosen, err := s.agentFor(p, spec.Agent, spec.Question)
		if err != nil {
			return spec, watch.Schedule{}, err
		}
		spec.Source = cmp.Or(spec.Source, chosen.Source) // whose data the gates look at
	}
	schedule, err := watch.ParseSchedule(spec.Schedule, spec.TimeZone)
	if err != nil {
		return spec, schedule, err
	}
	return spec, schedule, schedule.Check(s.deps.Clock(), s.config.WatchInterval)
}

// grant is the right that a caller gives a watch.
func (s *Service) grant(p run.Principal) watch.Grant {
	now := s.deps.Clock()
	return watch.Grant{Principal: p.ID, Groups: p.Groups, GrantedAt: now, ExpiresAt: now.Add(s.config.WatchGrant)}
}

// CreateWatch implements the rpc.
func (s *Service) CreateWatch(ctx context.Context, r *analysisv1.CreateWatchRequest) (*analysisv1.CreateWatchResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	spec, schedule, err := s.specOf(p, r.GetSpec())
	if err != nil {
		return nil, err
	}
	now := s.deps.Clock()
	record := watch.Record{
		ID: s.deps.IDs(prefixWatch), Owner: p.ID, Name: spec.Name, Status: watch.Active, Revision: 1, Due: schedule.Next(now), Created: now, Updated: now,
	}
	state := watch.State{Spec: spec, Grant: s.grant(p)}
	if record.State, err = json.Marshal(state); err != nil {
		return nil, fmt.Errorf("store a watch: %w", err)
	}
	switch err := s.deps.Store.CreateWatch(ctx, record, s.config.MaxWatches); {
	case errors.Is(err, watch.ErrExists):
		return nil, fault.New(codes.AlreadyExists, reasonWatchExists, fmt.Sprintf("There is a watch %q of yours: give another name, or remove that one.", spec.Name))
	case errors.Is(err, watch.ErrFull):
		return nil, fault.New(codes.ResourceExhausted, reasonWatchesFull, fmt.Sprintf("You have %d watches, which is the most (analysis.max_watches). Remove one.", s.config.MaxWatches))
	case err != nil:
		return nil, err
	}
	return &analysisv1.CreateWatchResponse{Watch: s.toWatch(record, state)}, nil
}

// watchOf reads a watch of a person's own.
func (s *Service) watchOf(ctx context.Context, owner, idOrName string) (watch.Record, watch.State, error) {
	var state watch.State
	r, err := s.deps.Store.GetWatch(ctx, owner, idOrName)
	if errors.Is(err, watch.ErrUnknown) {
		return r, state, fault.NotFound(reasonWatchUnknown, "There is no watch %q of yours. ListWatches, or `dibrain watch list`, lists them.", lang.Shorten(idOrName, 100))
	}
	if err == nil {
		if err = json.Unmarshal(r.State, &state); err != nil {
			err = fmt.Errorf("read the stored watch %s: %w", r.ID, err)
		}
	}
	return r, state, err
}

// changeWatch changes a watch as it is then, also while it is at work.
func (s *Service) changeWatch(ctx context.Context, owner, idOrName string, change func(*watch.Record, *watch.State) error) (*analysisv1.Watch, error) {
	for range maxCancelTries {
		r, state, err := s.watchOf(ctx, owner, idOrName)
		if err != nil {
			return nil, err
		}
		if err := change(&r, &state); err != nil {
			return nil, err
		}
		r.Updated = s.deps.Clock()
		if r.State, err = json.Marshal(state); err != nil {
			return nil, fmt.Errorf("store a watch: %w", err)
		}
		revision, err := s.deps.Store.SaveWatch(ctx, r)
		if errors.Is(err, watch.ErrChanged) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Revision = revision
		return s.toWatch(r, state), nil
	}
	return nil, fault.New(codes.Aborted, reasonWatchBusy, "The watch changes too quickly: try again.")
}

// GetWatch implements the rpc.
func (s *Service) GetWatch(ctx context.Context, r *analysisv1.GetWatchRequest) (*analysisv1.GetWatchResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	record, state, err := s.watchOf(ctx, p.ID, r.GetWatchId())
	if err != nil {
		return nil, err
	}
	return &analysisv1.GetWatchResponse{Watch: s.toWatch(record, state)}, nil
}

// ListWatches implements the rpc.
func (s *Service) ListWatches(ctx context.Context, _ *analysisv1.ListWatchesRequest) (*analysisv1.ListWatchesResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	records, err := s.deps.Store.ListWatches(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	out := &analysisv1.ListWatchesResponse{}
	for _, r := range records {
		var state watch.State
		if err := json.Unmarshal(r.State, &state); err != nil {
			return nil, fmt.Errorf("read the stored watch %s: %w", r.ID, err)
		}
		state.Runs = nil
		out.Watches = append(out.Watches, s.toWatch(r, state))
	}
	return out, nil
}

// RunWatch implements the rpc.
func (s *Service) RunWatch(ctx context.Context, r *analysisv1.RunWatchRequest) (*analysisv1.RunWatchResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	record, state, err := s.watchOf(ctx, p.ID, r.GetWatchId())
	if err != nil {
		return nil, err
	}
	if record.Status == watch.Stopped {
		return nil, fault.New(codes.FailedPrecondition, reasonWatchStopped, strings.TrimSpace(prose.Safe(state.Stopped)+" "+s.words.Say(state.Spec.Language(), "watch_resume", "name", state.Spec.Name)))
	}
	busy := fault.New(codes.FailedPrecondition, reasonWatchBusy, "The watch is at work: GetWatch, or `dibrain watch show`, says where it stands.")
	if s.watches.Busy(record) {
		return nil, busy
	}
	if err := s.watches.RunNow(ctx, record, r.GetIgnoreGates()); errors.Is(err, watch.ErrChanged) {
		return nil, busy
	} else if err != nil {
		return nil, err
	}
	if record, state, err = s.watchOf(ctx, p.ID, record.ID); err != nil {
		return nil, err
	}
	return &analysisv1.RunWatchResponse{Watch: s.toWatch(record, state)}, nil
}

// PauseWatch implements the rpc.
func (s *Service) PauseWatch(ctx context.Context, r *analysisv1.PauseWatchRequest) (*analysisv1.PauseWatchResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	w, err := s.changeWatch(ctx, p.ID, r.GetWatchId(), func(r *watch.Record, state *watch.State) error {
		if r.Status == watch.Active { // one that is stopped needs more than an end of its pause
			r.Status, r.Due = watch.Paused, time.Time{}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &analysisv1.PauseWatchResponse{Watch: w}, nil
}

// ResumeWatch implements the rpc.
func (s *Service) ResumeWatch(ctx context.Context, r *analysisv1.ResumeWatchRequest) (*analysisv1.ResumeWatchResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	w, err := s.changeWatch(ctx, p.ID, r.GetWatchId(), func(r *watch.Record, state *watch.State) error {
		schedule, err := watch.ParseSchedule(state.Spec.Schedule, state.Spec.TimeZone)
		if err != nil {
			return err
		}
		now := s.deps.Clock()
		r.Status, state.Grant, state.Stopped = watch.Active, s.grant(p), ""
		if r.Due = schedule.Next(now); state.Current != nil {
			r.Due = now // it goes on where it was
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &analysisv1.ResumeWatchResponse{Watch: w}, nil
}

// DeleteWatch implements the rpc.
func (s *Service) DeleteWatch(ctx context.Context, r *analysisv1.DeleteWatchRequest) (*analysisv1.DeleteWatchResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	record, state, err := s.watchOf(ctx, p.ID, r.GetWatchId())
	if err != nil {
		return nil, err
	}
	if err := s.deps.Store.DeleteWatch(ctx, p.ID, record.ID); err != nil && !errors.Is(err, watch.ErrUnknown) {
		return nil, err
	}
	return &analysisv1.DeleteWatchResponse{}, s.endRun(ctx, record.Owner, state.Current)
}

// endRun ends the analysis of a run that is at work.
func (s *Service) endRun(ctx context.Context, owner string, current *watch.Run) error {
	if current == nil || current.Stage != watch.StageAsk {
		return nil
	}
	_, err := s.cancel(ctx, run.Principal{ID: owner}, current.AnalysisID)
	if own := fault.FromStatus(err); own != nil && own.Reason == reasonUnknown {
		return nil // it has not begun, and does not any more
	}
	return err
}

// RevokeWatchGrants implements the rpc.
func (s *Service) RevokeWatchGrants(ctx context.Context, r *analysisv1.RevokeWatchGrantsRequest) (*analysisv1.RevokeWatchGrantsResponse, error) {
	p, err := principal(ctx)
	if err != nil {
		return nil, err
	}
	owner := r.GetPrincipal()
	if owner == "" {
		owner = p.ID
	}
	if owner != p.ID && !p.Admin {
		return nil, fault.New(codes.PermissionDenied, "WATCH_GRANT_FORBIDDEN", "Only an administrator ends the grants of somebody else.")
	}
	var ids []string
	if id := r.GetWatchId(); id != "" {
		record, _, err := s.watchOf(ctx, owner, id)
		if err != nil {
			return nil, err
		}
		ids = []string{record.ID}
	} else {
		records, err := s.deps.Store.ListWatches(ctx, owner)
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			ids = append(ids, record.ID)
		}
	}
	out := &analysisv1.RevokeWatchGrantsResponse{}
	for _, id := range ids {
		var current *watch.Run
		stopped := false
		_, err := s.changeWatch(ctx, owner, id, func(r *watch.Record, state *watch.State) error {
			current, stopped = state.Current, state.Grant.RevokedAt.IsZero()
			if !stopped {
				return nil
			}
			now := s.deps.Clock()
			state.Revoke(p.ID, now, s.words.Say(state.Spec.Language(), "watch_revoked", "who", p.ID, "at", now.UTC().Format(time.DateOnly)))
			r.Status, r.Due, r.Runner, r.LeaseUntil = watch.Stopped, time.Time{}, "", time.Time{}
			return nil
		})
		if own := fault.FromStatus(err); own != nil && own.Reason == reasonWatchUnknown {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		if !stopped {
			continue
		}
		out.Stopped++
		if err := s.endRun(ctx, owner, current); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ListWatchTargets implements the rpc.
func (s *Service) ListWatchTargets(ctx context.Context, _ *analysisv1.ListWatchTargetsRequest) (*analysisv1.ListWatchTargetsResponse, error) {
	if _, err := principal(ctx); err != nil {
		return nil, err
	}
	out := &analysisv1.ListWatchTargetsResponse{}
	for _, t := range s.deps.Targets.List() {
		out.Targets = append(out.Targets, &analysisv1.WatchTarget{Name: t.Name, Kind: string(t.Kind)})
	}
	return out, nil
}

var watchStatuses = map[watch.Status]analysisv1.WatchStatus{
	watch.Active: analysisv1.WatchStatus_WATCH_STATUS_ACTIVE, watch.Paused: analysisv1.WatchStatus_WATCH_STATUS_PAUSED, watch.Stopped: analysisv1.WatchStatus_WATCH_STATUS_STOPPED,
}

func (s *Service) toWatch(r watch.Record, state watch.State) *analysisv1.Watch {
	spec, grant := state.Spec, state.Grant
	out := &analysisv1.Watch{
		WatchId: r.ID, Status: watchStatuses[r.Status], StoppedBecause: prose.Safe(state.Stopped), CreatedAt: timestamppb.New(r.Created), NextAt: stamp(r.Due),
		Spec: &analysisv1.WatchSpec{
			Name: prose.Safe(spec.Name), Question: prose.Safe(spec.Question), Source: spec.Source, Schedule: spec.Schedule, TimeZone: spec.TimeZone,
			Gates:  &analysisv1.WatchGates{OnNewData: spec.OnNewData, Tables: spec.Tables, OnFinding: spec.OnFinding},
			Target: spec.Target, CostConfirmed: spec.CostConfirmed, AgentId: spec.Agent,
		},
		Grant: &analysisv1.WatchGrant{
			Principal: grant.Principal, Groups: grant.Groups, GrantedAt: stamp(grant.GrantedAt), ExpiresAt: stamp(grant.ExpiresAt),
			RevokedAt: stamp(grant.RevokedAt), RevokedBy: grant.RevokedBy,
		},
	}
	if state.Current != nil {
		out.Current = toWatchRun(*state.Current)
	}
	for _, one := range state.Runs {
		out.Runs = append(out.Runs, toWatchRun(one))
	}
	return out
}

func toWatchRun(r watch.Run) *analysisv1.WatchRun {
	return &analysisv1.WatchRun{
		RunId: r.ID, DueAt: stamp(r.Due), BeganAt: stamp(r.Began), EndedAt: stamp(r.Ended), Message: prose.Safe(r.Message), AnalysisId: r.AnalysisID,
		Outcome:       analysisv1.WatchOutcome(analysisv1.WatchOutcome_value["WATCH_OUTCOME_"+strings.ToUpper(string(r.Outcome))]),
		DeliveryTries: int32(r.Tries), Findings: prose.SafeAll(r.Findings), //nolint:gosec // a few tries
	}
}

func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
