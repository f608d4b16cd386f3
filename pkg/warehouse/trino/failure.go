package trino

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	driver "github.com/trinodb/trino-go-client/trino"

	"github.com/dibrain/dibrain/pkg/circuit"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// Reasons of errors that are not the statement's.
const (
	ReasonUnreachable   = "ENGINE_UNREACHABLE"
	ReasonUnavailable   = "ENGINE_UNAVAILABLE"
	ReasonCertificate   = "ENGINE_CERTIFICATE"
	ReasonLogin         = "ENGINE_LOGIN_REFUSED"
	ReasonImpersonation = "ENGINE_IMPERSONATION_REFUSED"
	ReasonProtocol      = "ENGINE_PROTOCOL"
	ReasonTooLarge      = "RESULT_TOO_LARGE"
	ReasonBusy          = "ENGINE_BUSY"
)

// retryAfter is when it is worth trying again that the server was away.
const retryAfter = 10 * time.Second

// maxMessage bounds the words of the server that are passed on, in characters.
const maxMessage = 600

// failure turns an error of the driver into one that says what happened: of the
// statement a *warehouse.Error, of the server or the way to it a fault.
func (e *Engine) failure(ctx context.Context, err error, s *statement, timeout time.Duration, places positions) error {
	if own := e.ended(ctx, err, s, timeout); own != nil {
		return own
	}
	var trino *driver.ErrTrino
	if errors.As(err, &trino) {
		if trino.ErrorName == warehouse.NamePermission && s.user != e.config.Connection.User && strings.Contains(trino.Message, "cannot impersonate") {
			return e.refused(s, err)
		}
		return statementFailure(trino, places)
	}
	var failed *driver.ErrQueryFailed
	if errors.As(err, &failed) && failed.StatusCode != 0 && failed.StatusCode != http.StatusOK {
		return e.statusFailure(failed, s)
	}
	return e.connectionFailure(err)
}

// ended is the error of a statement whose time is over or that nobody wants.
func (e *Engine) ended(ctx context.Context, err error, s *statement, timeout time.Duration) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && !s.waiting().IsZero():
		return &warehouse.Error{Name: warehouse.NameTimeLimit, Kind: warehouse.KindResources, Cause: bare(err),
			Message: fmt.Sprintf("the statement waited in Trino's queue until its time of %s was over: it may be fine when there is less to do there", timeout)}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &warehouse.Error{Name: warehouse.NameTimeLimit, Kind: warehouse.KindResources, Cause: bare(err),
			Message: fmt.Sprintf("the statement did not end within %s: narrow it, or ask for more time", timeout)}
	case ctx.Err() != nil:
		return &warehouse.Error{Name: warehouse.NameCanceled, Kind: warehouse.KindUser, Message: "the statement was cancelled", Cause: bare(err)}
	}
	return nil
}

// place is how Trino begins a message that has a position.
var place = regexp.MustCompile(`^line \d+:\d+: `)

func statementFailure(t *driver.ErrTrino, places positions) error {
	if retryable(t.ErrorName) {
		return unavailable("Trino cannot take statements now (%s): try again in a moment", t.ErrorName).Because(errors.New(t.Message))
	}
	if t.ErrorName == nameQueueFull {
		full := fault.New(codes.ResourceExhausted, ReasonBusy, "Trino's queue is full: as many statements wait there as it lets wait; try again in a moment").Because(errors.New(t.Message))
		full.RetryAfter = retryAfter
		return full
	}
	message := lang.Shorten(place.ReplaceAllString(t.Message, ""), maxMessage)
	line, column := places.of(t.ErrorLocation.LineNumber, t.ErrorLocation.ColumnNumber)
	return &warehouse.Error{
		Name: t.ErrorName, Kind: warehouse.Kind(t.ErrorType), Message: "Trino says: " + message, Line: line, Column: column,
		Cause: fmt.Errorf("%s %s (%d): %s", t.ErrorType, t.ErrorName, t.ErrorCode, lang.Shorten(t.Message, maxMessage)),
	}
}

// statusFailure is about an HTTP status that is no answer to a statement.
func (e *Engine) statusFailure(f *driver.ErrQueryFailed, s *statement) error {
	c := e.config.Connection
	id, _ := s.identity()
	switch {
	case f.StatusCode == http.StatusUnauthorized && s.bearer != nil:
		e.exchange.forget(s.user)
		return fault.New(codes.PermissionDenied, ReasonToken,
			"Trino does not accept the token that the issuer of sign-ins made for you: whoever operates Trino has to see to that").
			ForOperator("the server is %s, the audience of tokens %s at %s", c.URL, c.TokenExchange.Audience, c.TokenExchange.URL).Because(bare(f))
	case f.StatusCode == http.StatusUnauthorized && c.TokenFile != "":
		return fault.New(codes.FailedPrecondition, ReasonLogin,
			"Trino does not accept this service's token: whoever operates it has to renew it").
			ForOperator("the user %s at %s, its token in the file %q", c.User, c.URL, c.TokenFile).Because(bare(f))
	case f.StatusCode == http.StatusUnauthorized:
		return fault.New(codes.FailedPrecondition, ReasonLogin,
			"Trino does not accept this service's user and password: whoever operates it has to renew them").
			ForOperator("the user %s at %s, its password in the file %q", c.User, c.URL, c.PasswordFile).Because(bare(f))
	case f.StatusCode == http.StatusForbidden:
		return e.refused(s, f)
	case id != "" && (f.StatusCode == http.StatusNotFound || f.StatusCode == http.StatusGone):
		return unavailable("Trino does not know the statement any more: it was restarted, or ended it; run it again").Because(bare(f))
	}
	if f.StatusCode >= 300 && f.StatusCode < 500 && f.StatusCode != http.StatusTooManyRequests {
		return fault.New(codes.FailedPrecondition, ReasonProtocol,
			fmt.Sprintf("the address of the Trino server answers with the HTTP status %d: whoever operates this service has to check the address", f.StatusCode)).
			ForOperator("the address is %s", c.URL).Because(bare(f))
	}
	return unavailable("Trino is busy or starting (HTTP status %d): try again in a moment", f.StatusCode).ForOperator("at %s", c.URL).Because(bare(f))
}

// refused is about a user that the server does not let the sender act as.
func (e *Engine) refused(s *statement, cause error) error {
	c, user := e.config.Connection, s.user
	if s.bearer != nil {
		return fault.New(codes.PermissionDenied, ReasonToken,
			fmt.Sprintf("Trino does not take your token for that of '%s': whoever operates Trino has to let it read the user's name from the claim that people are known by here", user)).
			ForOperator("http-server.authentication.jwt.principal-field of %s has to name the claim of auth.oidc.principal_claim", c.URL).Because(bare(cause))
	}
	if !c.Impersonate || user == c.User {
		return fault.New(codes.PermissionDenied, ReasonLogin, "Trino does not let this service's user run statements: whoever operates it has to allow that").
			ForOperator("the user %s at %s", c.User, c.URL).Because(bare(cause))
	}
	return fault.New(codes.PermissionDenied, ReasonImpersonation,
		fmt.Sprintf("Trino does not let this service run statements as '%s': whoever operates Trino has to allow that in its impersonation rules", user)).
		ForOperator("the service's user is %s at %s", c.User, c.URL).Because(bare(cause))
}

// connectionFailure is about the way to the server.
func (e *Engine) connectionFailure(err error) error {
	c := e.config
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	if why := untrusted(err); why != "" {
		return fault.New(codes.FailedPrecondition, ReasonCertificate, "Trino's certificate is not accepted: "+why+"; whoever operates this service has to see to it").
			ForOperator("the server is %s, the file with its authorities %q", c.Connection.URL, c.Connection.CAFile).Because(bare(err))
	}
	var protocol *protocolError
	if errors.As(err, &protocol) {
		return fault.New(codes.FailedPrecondition, ReasonProtocol,
			"Trino's answer cannot be used: "+protocol.what+"; whoever operates this service has to check the address, and what stands before the server").
			ForOperator("the address is %s; behind a proxy Trino needs http-server.process-forwarded=true", c.Connection.URL).Because(bare(err))
	}
	var header tls.RecordHeaderError
	if errors.As(err, &header) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return fault.New(codes.FailedPrecondition, ReasonProtocol, "the address of Trino begins with https, and what answers there speaks plain HTTP: whoever operates this service has to check the address").
			ForOperator("the address is %s", c.Connection.URL).Because(bare(err))
	}
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		silent := fault.New(codes.Unavailable, ReasonUnreachable, fmt.Sprintf(
			"Trino does not answer: it left a request without a word for %s; try again in a moment", c.AnswerTimeout)).
			ForOperator("the server is %s, the time is chatbi.trino.answer_timeout", c.Connection.URL).Because(bare(err))
		silent.RetryAfter = retryAfter
		return silent
	}
	away := fault.New(codes.Unavailable, ReasonUnreachable, "the Trino server cannot be reached: check that it runs and that this machine may connect to it, then try again").
		ForOperator("the server is %s", c.Connection.URL).Because(bare(err))
	away.RetryAfter = retryAfter
	return away
}

// leftAlone is the error while the server is sent no statements.
func leftAlone(b *circuit.Breaker, wait time.Duration) error {
	since, _ := b.Open()
	f := fault.New(codes.Unavailable, ReasonUnreachable, fmt.Sprintf(
		"Trino does not answer since %s and is left alone for a moment: try again in %s", since.UTC().Format(time.TimeOnly+" UTC"), wait.Truncate(time.Second)+time.Second))
	f.RetryAfter = wait
	return f
}

// untrusted says what is wrong with a certificate; empty: nothing.
func untrusted(err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var check *tls.CertificateVerificationError
	switch {
	case errors.As(err, &authority):
		return "no authority that is trusted here signs it, name the file with the one that does (ca_file)"
	case errors.As(err, &host):
		return "it is for another name than the address has"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired, or is not valid yet"
	case errors.As(err, &invalid), errors.As(err, &check):
		return "it is not valid"
	}
	return ""
}

func unavailable(format string, args ...any) *fault.Error {
	f := fault.New(codes.Unavailable, ReasonUnavailable, fmt.Sprintf(format, args...))
	f.RetryAfter = retryAfter
	return f
}

// retryable are the errors after which Trino's own clients try a statement again:
// the server, or a part of it, was away, and the statement is not at fault.
func retryable(name string) bool {
	switch name {
	case nameStarting, nameStopping, nameNoNodes, "REMOTE_HOST_GONE", "REMOTE_TASK_MISMATCH",
		"REMOTE_TASK_ERROR", "TOO_MANY_REQUESTS_FAILED", "PAGE_TRANSPORT_ERROR", "PAGE_TRANSPORT_TIMEOUT", "ABANDONED_TASK":
		return true
	}
	return false
}

// tryAgain reports whether a statement that failed before it returned anything may
// be sent again.
func tryAgain(err error) bool {
	var trino *driver.ErrTrino
	return errors.As(err, &trino) && retryable(trino.ErrorName)
}

// bare is an error for the log without addresses: that of a page is all that one
// needs to read a result.
func bare(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = fmt.Errorf("%s: %w", at.Op, at.Err)
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network
	}
	return err
}
