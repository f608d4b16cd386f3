package remote

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/dibrain/dibrain/pkg/sandbox"
)

// Box is a sandbox that a runner serves.
type Box interface {
	Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error)
	Interpreter() sandbox.Interpreter
}

// Server is a runner over HTTP. It may be used concurrently.
type Server struct {
	box    Box
	token  [sha256.Size]byte
	most   int64
	places chan struct{}
	log    *slog.Logger
	mux    *http.ServeMux
}

// NewServer returns a runner over a sandbox whose limits are given. waiting bounds the programs
// that are taken at a time, at work or not; others are told to come again.
func NewServer(box Box, token string, l sandbox.Limits, waiting int, log *slog.Logger) (*Server, error) {
	if token == "" {
		return nil, errors.New("a runner needs a token")
	}
	s := &Server{box: box, token: sha256.Sum256([]byte(token)), most: onWire(l.Input), places: make(chan struct{}, waiting), log: log, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET "+pathReady, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.mux.HandleFunc("GET "+pathInterpreter, s.known(s.interpreter))
	s.mux.HandleFunc("POST "+pathRun, s.known(s.run))
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// known lets only those in who have the token.
func (s *Server) known(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		const bearer = "Bearer "
		given := r.Header.Get("Authorization")
		sum := sha256.Sum256([]byte(given[min(len(given), len(bearer)):]))
		if len(given) < len(bearer) || given[:len(bearer)] != bearer || subtle.ConstantTimeCompare(sum[:], s.token[:]) != 1 {
			s.fail(w, http.StatusUnauthorized, failure{Problem: "the token is not this runner's"})
			return
		}
		next(w, r)
	}
}

func (s *Server) interpreter(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, http.StatusOK, s.box.Interpreter())
}

func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		s.fail(w, http.StatusTooManyRequests, failure{Problem: "as many programs as the runner takes are there already"})
		return
	}
	var j job
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.most))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		if over := (*http.MaxBytesError)(nil); errors.As(err, &over) {
			s.fail(w, http.StatusRequestEntityTooLarge, failure{Unfit: true, Problem: "code and input files have more bytes than the runner takes (input)"})
			return
		}
		s.fail(w, http.StatusBadRequest, failure{Problem: "the request is not one of this runner's"})
		return
	}
	got, err := s.box.Run(r.Context(), sandbox.Job{Code: j.Code, Files: toFiles(j.Files)})
	if unfit := (*sandbox.UnfitError)(nil); errors.As(err, &unfit) {
		s.fail(w, http.StatusUnprocessableEntity, failure{Unfit: true, Problem: unfit.Problem})
		return
	}
	if err != nil {
		if r.Context().Err() == nil {
			s.log.ErrorContext(r.Context(), "a program could not be run", "error", err)
		}
		s.fail(w, http.StatusInternalServerError, failure{Problem: "the runner could not run the program; its log says why"})
		return
	}
	s.log.InfoContext(r.Context(), "a program has run", "exit", got.Exit, "code", got.Code, "took", got.Took)
	s.answer(w, http.StatusOK, result{
		Exit: got.Exit, Code: got.Code, Stdout: got.Stdout, Stderr: got.Stderr, Files: fromFiles(got.Files), Problem: got.Problem, Took: got.Took,
	})
}

func (s *Server) fail(w http.ResponseWriter, code int, f failure) { s.answer(w, code, f) }

func (s *Server) answer(w http.ResponseWriter, code int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(what); err != nil {
		s.log.Warn("an answer was not taken", "error", err)
	}
}
