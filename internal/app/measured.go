package app

import (
	"context"
	"errors"
	"time"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/router"
)

// storeKind is what the meter calls the store.
func (a *App) storeKind() meter.Dependency {
	if a.config.Store.Kind == config.StorePostgres {
		return meter.PostgreSQL
	}
	return meter.SQLite
}

// measuredStore tells the meter of what the router asks of its store.
type measuredStore struct {
	router.Store
	meter *meter.Set
	kind  meter.Dependency
}

func (s measuredStore) read(ctx context.Context, do func() error) {
	asked(ctx, s.meter, s.kind, meter.OpRead, do)
}

func (s measuredStore) write(ctx context.Context, do func() error) {
	asked(ctx, s.meter, s.kind, meter.OpWrite, do)
}

// asked measures what do asks of a store.
func asked(ctx context.Context, m *meter.Set, kind meter.Dependency, o meter.Operation, do func() error) {
	answered := m.Ask(ctx, kind, o)
	answered(meter.ResultOf(do()))
}

// CreateSession implements router.Store.
func (s measuredStore) CreateSession(ctx context.Context, p run.Principal, ses store.Session) (err error) {
	s.write(ctx, func() error { err = s.Store.CreateSession(ctx, p, ses); return err })
	return err
}

// Session implements router.Store.
func (s measuredStore) Session(ctx context.Context, p run.Principal, id string) (ses store.Session, err error) {
	s.read(ctx, func() error { ses, err = s.Store.Session(ctx, p, id); return err })
	return ses, err
}

// Sessions implements router.Store.
func (s measuredStore) Sessions(ctx context.Context, p run.Principal, page store.Page) (all []store.Session, next string, err error) {
	s.read(ctx, func() error { all, next, err = s.Store.Sessions(ctx, p, page); return err })
	return all, next, err
}

// DeleteSession implements router.Store.
func (s measuredStore) DeleteSession(ctx context.Context, p run.Principal, id string) (err error) {
	s.write(ctx, func() error { err = s.Store.DeleteSession(ctx, p, id); return err })
	return err
}

// Thread implements router.Store.
func (s measuredStore) Thread(ctx context.Context, p run.Principal, sessionID, chatID string, messages int) (t store.Thread, err error) {
	s.read(ctx, func() error { t, err = s.Store.Thread(ctx, p, sessionID, chatID, messages); return err })
	return t, err
}

// Messages implements router.Store.
func (s measuredStore) Messages(ctx context.Context, p run.Principal, sessionID, chatID string, page store.Page) (all []store.Message, next string, err error) {
	s.read(ctx, func() error { all, next, err = s.Store.Messages(ctx, p, sessionID, chatID, page); return err })
	return all, next, err
}

// ToolCall implements router.Store.
func (s measuredStore) ToolCall(ctx context.Context, p run.Principal, id string) (c store.ToolCall, err error) {
	s.read(ctx, func() error { c, err = s.Store.ToolCall(ctx, p, id); return err })
	return c, err
}

// Run implements router.Store.
func (s measuredStore) Run(ctx context.Context, p run.Principal, id string) (r store.Run, records []run.Record, err error) {
	s.read(ctx, func() error { r, records, err = s.Store.Run(ctx, p, id); return err })
	return r, records, err
}

// Runs implements router.Store.
func (s measuredStore) Runs(ctx context.Context, p run.Principal, f store.RunFilter, page store.Page) (all []store.Run, next string, err error) {
	s.read(ctx, func() error { all, next, err = s.Store.Runs(ctx, p, f, page); return err })
	return all, next, err
}

// RequestCancel implements router.Store.
func (s measuredStore) RequestCancel(ctx context.Context, p run.Principal, runID string) (st run.Status, err error) {
	s.write(ctx, func() error { st, err = s.Store.RequestCancel(ctx, p, runID); return err })
	return st, err
}

// Sweep implements router.Store.
func (s measuredStore) Sweep(ctx context.Context, r store.Retention) (swept store.Swept, err error) {
	s.write(ctx, func() error { swept, err = s.Store.Sweep(ctx, r); return err })
	return swept, err
}

// SaveFeedback implements router.Store.
func (s measuredStore) SaveFeedback(ctx context.Context, p run.Principal, f store.Feedback) (err error) {
	s.write(ctx, func() error { err = s.Store.SaveFeedback(ctx, p, f); return err })
	return err
}

// Lock implements router.Store.
func (s measuredStore) Lock(ctx context.Context, p run.Principal, sessionID string, lease time.Duration) (l store.Lock, err error) {
	s.write(ctx, func() error { l, err = s.Store.Lock(ctx, p, sessionID, lease); return err })
	return l, err
}

// Renew implements router.Store.
func (s measuredStore) Renew(ctx context.Context, l store.Lock, runID string, lease time.Duration) (renewed store.Lock, cancel bool, err error) {
	s.write(ctx, func() error { renewed, cancel, err = s.Store.Renew(ctx, l, runID, lease); return err })
	return renewed, cancel, err
}

// Unlock implements router.Store.
func (s measuredStore) Unlock(ctx context.Context, l store.Lock) (err error) {
	s.write(ctx, func() error { err = s.Store.Unlock(ctx, l); return err })
	return err
}

// Commit implements router.Store.
func (s measuredStore) Commit(ctx context.Context, p run.Principal, l store.Lock, c store.Changes) (err error) {
	s.write(ctx, func() error { err = s.Store.Commit(ctx, p, l, c); return err })
	return err
}

// measuredAnalyses tells the meter of what is asked of the store of analyses.
type measuredAnalyses struct {
	analysis.Store
	meter *meter.Set
	kind  meter.Dependency
}

// asked measures do. That an analysis is unknown, changed or one too many is said by the
// store, not wrong with it.
func (s measuredAnalyses) asked(ctx context.Context, o meter.Operation, do func() error) {
	answered := s.meter.Ask(ctx, s.kind, o)
	err := do()
	for _, said := range []error{analysis.ErrUnknown, analysis.ErrChanged, analysis.ErrFull} {
		if errors.Is(err, said) {
			answered(meter.Refused)
			return
		}
	}
	answered(meter.ResultOf(err))
}

// Create implements analysis.Store.
func (s measuredAnalyses) Create(ctx context.Context, r analysis.Record, most int) (err error) {
	s.asked(ctx, meter.OpWrite, func() error { err = s.Store.Create(ctx, r, most); return err })
	return err
}

// Get implements analysis.Store.
func (s measuredAnalyses) Get(ctx context.Context, owner, id string) (r analysis.Record, err error) {
	s.asked(ctx, meter.OpRead, func() error { r, err = s.Store.Get(ctx, owner, id); return err })
	return r, err
}

// Revision implements analysis.Store.
func (s measuredAnalyses) Revision(ctx context.Context, owner, id string) (revision int64, err error) {
	s.asked(ctx, meter.OpRead, func() error { revision, err = s.Store.Revision(ctx, owner, id); return err })
	return revision, err
}

// Save implements analysis.Store.
func (s measuredAnalyses) Save(ctx context.Context, r analysis.Record) (revision int64, err error) {
	s.asked(ctx, meter.OpWrite, func() error { revision, err = s.Store.Save(ctx, r); return err })
	return revision, err
}

// Extend implements analysis.Store.
func (s measuredAnalyses) Extend(ctx context.Context, id, runner string, until time.Time) (err error) {
	s.asked(ctx, meter.OpWrite, func() error { err = s.Store.Extend(ctx, id, runner, until); return err })
	return err
}

// List implements analysis.Store.
func (s measuredAnalyses) List(ctx context.Context, owner string, after store.Cursor, limit int) (all []analysis.Record, err error) {
	s.asked(ctx, meter.OpRead, func() error { all, err = s.Store.List(ctx, owner, after, limit); return err })
	return all, err
}

// measuredSmall tells the meter of what is asked of a small store.
type measuredSmall struct {
	small.Store
	meter *meter.Set
	kind  meter.Dependency
}

// Read implements small.Store.
func (s measuredSmall) Read(ctx context.Context, doing string, do func(context.Context, small.Querier) error) (err error) {
	asked(ctx, s.meter, s.kind, meter.OpRead, func() error { err = s.Store.Read(ctx, doing, do); return err })
	return err
}

// Write implements small.Store.
func (s measuredSmall) Write(ctx context.Context, doing string, do func(context.Context, small.Tx) error) (err error) {
	asked(ctx, s.meter, s.kind, meter.OpWrite, func() error { err = s.Store.Write(ctx, doing, do); return err })
	return err
}

// Change implements small.Store.
func (s measuredSmall) Change(ctx context.Context, doing string, do func(context.Context, small.Tx) error) (err error) {
	asked(ctx, s.meter, s.kind, meter.OpWrite, func() error { err = s.Store.Change(ctx, doing, do); return err })
	return err
}
