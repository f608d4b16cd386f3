package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
)

const codeUnavailable = codes.Unavailable

// ReasonConflict is the reason of a write that another one excludes.
const ReasonConflict = "STORE_CONFLICT"

// Codes of PostgreSQL that the store looks at by themselves (SQLSTATE; a code's first
// two characters are its class).
const (
	undefinedTable       = "42P01"
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	queryCanceled        = "57014"
)

// errAway marks errors of a database that cannot be reached or used at present.
var errAway = errors.New("the database is away")

// told is what is said of a class of answers of the server: to clients, and to
// whoever operates it.
type told struct {
	codes             []string // whole codes, or classes
	message, operator string
}

// answers has the first that fits, whole codes before their classes; store is what it is
// called.
func answers(store string) []told {
	busy := store + " is busy. Try again in a moment."
	away := store + " cannot be reached. Nothing stored is lost; try again in a moment."
	return []told{
		{[]string{serializationFailure, deadlockDetected, lockNotAvailable, queryCanceled}, busy,
			"others write to the same rows, or PostgreSQL is too slow: look at pg_stat_activity and pg_locks"},
		{[]string{"53100"}, store + " has no room on its disk. Nothing stored so far is lost.", "make room on PostgreSQL's disk"},
		{[]string{"53300"}, busy, "PostgreSQL has no connection left: lower store.max_connections or raise its max_connections"},
		{[]string{"53"}, busy, "PostgreSQL lacks memory or another resource"},
		{[]string{"57P", "08"}, away, "PostgreSQL stops, starts or was restarted"},
		{[]string{"28"}, away, "PostgreSQL refuses the user: check user and password in store.dsn_file (or store.dsn) and pg_hba.conf"},
		{[]string{"3D000"}, away, "the database does not exist: make it (CREATE DATABASE), or mend store.dsn_file"},
		{[]string{"3F000"}, away, "the schema of search_path does not exist: make it (CREATE SCHEMA), or mend store.dsn_file"},
		{[]string{"25006"}, away, "the database is read-only, as a standby is: let the connection string name the primary, or add target_session_attrs=read-write"},
		{[]string{"42501"}, away, "the user may not do this: let it own the database's schema, or grant it CREATE and USAGE on it"},
		{[]string{undefinedTable}, away, "a table of the store is missing: bring the database back from a backup, or start with an empty one"},
	}
}

// passes reports errors of a try that left nothing behind and may go through when it
// is made again.
func passes(err error) bool {
	var own *fault.Error
	if errors.Is(err, errUnsure) || errors.As(err, &own) {
		return false
	}
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		return slices.Contains([]string{serializationFailure, deadlockDetected}, answer.Code) || class(answer.Code, "57P", "08")
	}
	return lost(err)
}

func class(code string, classes ...string) bool {
	return slices.ContainsFunc(classes, func(c string) bool { return len(code) >= len(c) && code[:len(c)] == c })
}

// lost reports errors of the way to the database.
func lost(err error) bool {
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) || errors.Is(err, errUnsure)
}

// outcome is what a failed call says of the database's health. Whatever it answers it is
// there, also where it refuses; a fault is what the caller made of an answer, but where the
// database was already found to be away.
func outcome(err error) circuit.Outcome {
	var answer *pgconn.PgError
	var own *fault.Error
	switch {
	case errors.Is(err, errAway), errors.Is(err, errSlow):
		return circuit.Broken
	case errors.As(err, &answer):
		if class(answer.Code, "57P", "08") {
			return circuit.Broken
		}
		return circuit.Healthy
	case errors.As(err, &own):
		return circuit.Healthy
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return circuit.Unclear
	case lost(err):
		return circuit.Broken
	}
	return circuit.Unclear
}

// leftAlone is the error while no calls are let through.
func (s *database) leftAlone(wait time.Duration) error {
	since, _ := s.circuit.Open()
	e := unavailable(fmt.Sprintf("The store of %s does not answer since %s. Nothing stored is lost; try again in %s.",
		s.schema.Of, since.UTC().Format(time.TimeOnly+" UTC"), wait.Truncate(time.Second)+time.Second))
	e.RetryAfter = max(wait, time.Second)
	return e.ForOperator("%s: store.failures calls in a row had no answer, one is let through every store.probe_after", place(s.cfg)).Because(errAway)
}

// fault turns an error of the database into one that says what to do. Faults and the
// end of the caller's context pass as they are.
func (s *database) fault(doing string, err error) error {
	if err == nil {
		return nil
	}
	var own *fault.Error
	slow := errors.Is(err, errSlow)
	if errors.As(err, &own) || !slow && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	at, name := place(s.cfg), "The store of "+s.schema.Of
	err = fmt.Errorf("store %s: %s: %w", at, doing, err)
	if s.closed.Load() {
		return fault.New(codes.Unavailable, store.ReasonClosed, "The store is closed. The server is stopping; send this again to another one.").Because(err)
	}
	away := func(message, operator string) error {
		return unavailable(message).ForOperator("%s: %s", at, operator).Because(errors.Join(errAway, err))
	}
	var answer *pgconn.PgError
	switch isAnswer := errors.As(err, &answer); {
	case isAnswer && class(answer.Code, "XX001", "XX002"):
		return fault.New(codes.DataLoss, store.ReasonCorrupt,
			name+" is damaged. Nothing was changed. Whoever operates this server can bring back a copy.").ForOperator(
			"%s: PostgreSQL says that its data is damaged: bring it back from a backup", at).Because(err)
	case isAnswer && answer.Code == uniqueViolation:
		return fault.New(codes.Aborted, ReasonConflict, "Something else wrote the same at the same moment. Read it again, then send this again.").Because(err)
	case isAnswer:
		for _, t := range answers(name) {
			if class(answer.Code, t.codes...) {
				return away(t.message, t.operator)
			}
		}
		return err
	case errors.Is(err, errUnsure):
		return away(name+" was lost while something was being written: it may be stored or not. Look before you send it again.",
			"the connection was lost")
	case slow:
		return away(name+" does not answer in time. Try again in a moment.",
			"no answer within store.timeout: look at PostgreSQL and at the network, or raise store.max_connections where many wait for a connection")
	case lost(err):
		return away(name+" cannot be reached. Nothing stored is lost; try again in a moment.",
			"look whether PostgreSQL runs there and whether store.dsn_file (or store.dsn) names it")
	default:
		return err
	}
}
