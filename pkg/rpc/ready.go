package rpc

import (
	"errors"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// degraded is a problem with which a part of a process still serves.
type degraded struct{ error }

func (d degraded) Unwrap() error { return d.error }

// Degraded marks what a readiness check found as something that costs quality and
// not service, such as one of two search servers that is away. Probes go on to say
// that the process is ready, and tell of it in words.
func Degraded(err error) error {
	if err == nil {
		return nil
	}
	return degraded{err}
}

// IsDegraded reports whether an error of a readiness check leaves the part serving.
func IsDegraded(err error) bool { return errors.As(err, new(degraded)) }

// Health answers what the port's own health service answers, for a listener of another
// kind.
func (s *Server) Health() healthv1.HealthServer { return s.health }

// SetServing says whether the server takes calls at all: false while it starts and
// while it drains.
func (s *Server) SetServing(serving bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serving = serving
	s.tell()
}

// SetReady says whether one service can answer. The health of the process, "", is
// SERVING when all of its services can.
func (s *Server) SetReady(service string, ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ready {
		delete(s.unready, service)
	} else {
		s.unready[service] = true
	}
	s.tell()
}

// tell hands what is known to the health service, which wakes whoever watches.
func (s *Server) tell() {
	set := func(service string, serving bool) {
		st := healthv1.HealthCheckResponse_NOT_SERVING
		if serving {
			st = healthv1.HealthCheckResponse_SERVING
		}
		s.health.SetServingStatus(service, st)
	}
	set("", s.serving && len(s.unready) == 0)
	for name := range s.grpc.GetServiceInfo() {
		set(name, s.serving && !s.unready[name])
	}
}
