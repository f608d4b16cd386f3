package trino

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/fault"
)

// maxPage bounds one answer of the server. Trino keeps its pages near 1 MiB, more
// only where a single row is larger.
const maxPage = 64 << 20

// transport stands between the driver and the network. The driver speaks the
// protocol; what it does not do is done here:
//
//   - It turns times into time.Time, which has nine digits and Go's zones, and maps
//     of rows likewise. So data is kept back for Rows, which reads it by its types;
//     the driver sees one row in its place.
//   - It sends the password wherever the server says that the next page is. Here it
//     is sent to the configured server only, and no other is asked.
//   - It does not end a statement whose context ends between two pages. The
//     statement learns here where that is done.
//   - It sends no statement to a server that does not answer.
//   - It reads answers of any size.
type transport struct {
	base http.RoundTripper
	auth *credentials
	// circuit counts requests that got no answer; away is the error while it is open.
	circuit  *circuit.Breaker
	standing *standing
	away     func(wait time.Duration) error
}

type statementKey struct{}

// withStatement makes the driver's requests for a statement known to transport.
func withStatement(ctx context.Context, s *statement) context.Context {
	return context.WithValue(ctx, statementKey{}, s)
}

// answer is the server's answer about a statement. What the driver needs of it is
// passed on as it is.
type answer struct {
	ID      string          `json:"id"`
	NextURI string          `json:"nextUri,omitempty"`
	Columns json.RawMessage `json:"columns,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Stats   stats           `json:"stats"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// stats of a running statement.
type stats struct {
	State              string   `json:"state"`
	ProgressPercentage *float64 `json:"progressPercentage,omitempty"`
	QueuedTimeMillis   int64    `json:"queuedTimeMillis"`
	ElapsedTimeMillis  int64    `json:"elapsedTimeMillis"`
}

// queued says that the server does not work on the statement yet: it waits for its turn in a
// resource group, or for workers.
func (s stats) queued() bool {
	return s.State == "QUEUED" || s.State == "WAITING_FOR_RESOURCES" || s.State == "DISPATCHING"
}

// What the driver sees of a result: one column, and one row for a page of data.
const (
	driverColumns = `[{"name":"page","type":"boolean","typeSignature":{"rawType":"boolean","arguments":[]}}]`
	driverPage    = `[[true]]`
)

// protocolError is an answer that no Trino server gives.
type protocolError struct{ what string }

func (e *protocolError) Error() string { return e.what }

// unreachable is a server that takes no connection. The driver does not try again
// by itself: it sees no error of a dialler in it.
type unreachable struct{ why string }

func (e *unreachable) Error() string { return e.why }

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.auth.isServer(req.URL) {
		return nil, &protocolError{fmt.Sprintf("the server says that the result is at %s, which is not its own address", hostPort(req.URL))}
	}
	s, _ := req.Context().Value(statementKey{}).(*statement)
	if req.Method == http.MethodDelete && s != nil {
		return nothing(req), nil // the driver's; the statement ends itself
	}
	req = req.Clone(req.Context())
	// Data comes from the server itself, page by page: not spooled elsewhere.
	req.Header.Del("X-Trino-Query-Data-Encoding")
	// A server that traces continues the trace (W3C trace context); others pass over it.
	propagation.TraceContext{}.Inject(req.Context(), propagation.HeaderCarrier(req.Header))
	if err := t.auth.sign(req); err != nil {
		return nil, err
	}
	if req.Method == http.MethodPost { // what runs there is read on
		if wait, ok := t.circuit.Allow(); !ok {
			return nil, t.away(wait)
		}
	}
	resp, err := t.base.RoundTrip(req)
	t.circuit.Done(outcomeOf(req.Context(), resp, err))
	if err != nil {
		var dial *net.OpError
		if req.Method == http.MethodPost && errors.As(err, &dial) && dial.Op == "dial" {
			return nil, &unreachable{why: dial.Error()}
		}
		return nil, err
	}
	if s == nil || resp.StatusCode != http.StatusOK {
		return resp, nil
	}
	return t.keepBack(s, resp)
}

// outcomeOf tells what an answer says of the server's health. One that is busy or starting
// is tried again by the driver.
func outcomeOf(ctx context.Context, resp *http.Response, err error) circuit.Outcome {
	switch {
	case err == nil && (resp.StatusCode < http.StatusBadGateway || resp.StatusCode > http.StatusGatewayTimeout):
		return circuit.Healthy
	case err == nil, ctx.Err() != nil:
		return circuit.Unclear
	}
	return circuit.Broken
}

// keepBack takes columns and data out of an answer.
func (t *transport) keepBack(s *statement, resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
	_ = resp.Body.Close() // read as far as it goes
	if err != nil {
		return nil, err
	}
	if len(body) > maxPage {
		return nil, fault.New(codes.ResourceExhausted, ReasonTooLarge,
			fmt.Sprintf("a part of the result is larger than %d MiB: select fewer columns, or shorter values", maxPage>>20))
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil || a.ID == "" {
		return nil, &protocolError{"the answer is not one of a Trino server"}
	}
	if next, err := url.Parse(a.NextURI); a.NextURI != "" && (err != nil || !t.auth.isServer(next)) {
		return nil, &protocolError{"the server names another address than its own for the rest of the result"}
	}
	if resp.Request.Context().Value(apart{}) == nil {
		t.standing.hear(a)
	}
	data, err := s.take(a)
	if err != nil {
		return nil, err
	}
	a.Data = nil
	if data {
		a.Data = json.RawMessage(driverPage)
	}
	if a.Columns != nil {
		a.Columns = json.RawMessage(driverColumns)
	}
	reduced, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("pass on an answer of the server: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(reduced))
	resp.ContentLength = int64(len(reduced))
	return resp, nil
}

// nothing is the answer to a request that is not sent.
func nothing(req *http.Request) *http.Response {
	return &http.Response{
		Status: "204 No Content", StatusCode: http.StatusNoContent, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}
