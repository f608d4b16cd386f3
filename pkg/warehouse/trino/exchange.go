package trino

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"golang.org/x/sync/singleflight"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/source"
)

// ReasonToken is the reason of errors about the token with which a person's statement runs.
const ReasonToken = "ENGINE_TOKEN_REFUSED"

// Words of RFC 8693.
const (
	exchangeGrant  = "urn:ietf:params:oauth:grant-type:token-exchange"
	tokenTypes     = "urn:ietf:params:oauth:token-type:"
	defaultSignIns = "id_token"
)

const (
	// renewBefore is how long before its end a token is exchanged anew: a request that
	// begins with it has to arrive in time.
	renewBefore = 15 * time.Second
	// shortLived is how long a token is taken to be good whose end the issuer does not tell.
	shortLived = time.Minute
)

// bearer returns the token with which a person's requests are sent now.
type bearer func(context.Context) (string, error)

type bearerKey struct{}

// withBearer makes the requests of a context those of a person; nil: of the service.
func withBearer(ctx context.Context, b bearer) context.Context {
	if b == nil {
		return ctx
	}
	return context.WithValue(ctx, bearerKey{}, b)
}

// exchanger exchanges sign-ins for tokens of Trino, and keeps a token for each person. It is
// safe for concurrent use.
type exchanger struct {
	config  source.TokenExchange
	secret  secretFile
	client  *http.Client
	timeout time.Duration
	most    int // people whose token is kept
	clock   func() time.Time
	flight  singleflight.Group

	mu   sync.Mutex
	kept map[string]exchanged // by person
}

// exchanged is a token, for what, and until when.
type exchanged struct {
	signIn [sha256.Size]byte
	token  string
	until  time.Time
}

// newExchanger returns nil where the connection exchanges nothing. Errors: those of files.
func newExchanger(config Config) (*exchanger, error) {
	c := config.Connection.TokenExchange
	if c == nil {
		return nil, nil
	}
	roots, err := authorities(c.CAFile, "the issuer of sign-ins")
	if err != nil {
		return nil, err
	}
	x := &exchanger{
		config: *c, secret: secretFile{path: c.ClientSecretFile, what: "secret at the issuer of tokens"},
		timeout: config.ExchangeTimeout, most: config.MaxTokens, clock: config.Clock, kept: make(map[string]exchanged),
		client: &http.Client{CheckRedirect: noRedirect, Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}, ForceAttemptHTTP2: true, IdleConnTimeout: idleTimeout,
		}},
	}
	_, err = x.secret.current()
	return x, err
}

// bearerOf returns what the requests of a person's statement are sent with: a token for the
// sign-in of the call, exchanged when it is first needed and again before it ends.
func (x *exchanger) bearerOf(ctx context.Context, person string) (bearer, error) {
	signIn := auth.SignIn(ctx)
	if signIn == "" {
		return nil, fault.New(codes.PermissionDenied, ReasonToken,
			"Trino is asked with your own sign-in here, and this call came without one: sign in by the company's sign-in instead of an API token; a schedule has none, and cannot run on this source").
			ForOperator("sign-ins of mode oidc are told to the services where auth.oidc.pass_sign_in is on")
	}
	return func(ctx context.Context) (string, error) { return x.token(ctx, person, signIn) }, nil
}

// token returns the token of a person for a sign-in.
func (x *exchanger) token(ctx context.Context, person, signIn string) (string, error) {
	sum := sha256.Sum256([]byte(signIn))
	if token, ok := x.find(person, sum); ok {
		return token, nil
	}
	// Who asked first may go away while others wait for the same answer.
	answer := x.flight.DoChan(person+string(sum[:]), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.timeout)
		defer cancel()
		return x.exchange(ctx, person, sum, signIn)
	})
	select {
	case got := <-answer:
		token, _ := got.Val.(string)
		return token, got.Err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (x *exchanger) find(person string, signIn [sha256.Size]byte) (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	have, ok := x.kept[person]
	return have.token, ok && have.signIn == signIn && x.clock().Before(have.until)
}

// forget forgets the token of a person, which Trino does not take.
func (x *exchanger) forget(person string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.kept, person)
}

// keep keeps a token in the place of the person's earlier one. Where there are too many,
// those go that are over, else the one that ends first.
func (x *exchanger) keep(person string, e exchanged) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.kept, person)
	if now := x.clock(); len(x.kept) >= x.most {
		first := ""
		for who, have := range x.kept {
			switch {
			case !now.Before(have.until):
				delete(x.kept, who)
			case first == "" || have.until.Before(x.kept[first].until):
				first = who
			}
		}
		if len(x.kept) >= x.most {
			delete(x.kept, first)
		}
	}
	x.kept[person] = e
}

func (x *exchanger) exchange(ctx context.Context, person string, sum [sha256.Size]byte, signIn string) (string, error) {
	secret, err := x.secret.current()
	if err != nil {
		return "", err
	}
	kind := x.config.SignIn
	if kind == "" {
		kind = defaultSignIns
	}
	request := clientcredentials.Config{
		ClientID: x.config.ClientID, ClientSecret: secret, TokenURL: x.config.URL, Scopes: x.config.Scopes, AuthStyle: oauth2.AuthStyleInHeader,
		EndpointParams: url.Values{
			"grant_type": {exchangeGrant}, "audience": {x.config.Audience}, "subject_token": {signIn}, "subject_token_type": {tokenTypes + kind},
			"requested_token_type": {tokenTypes + "access_token"},
		},
	}
	if secret == "" {
		request.AuthStyle = oauth2.AuthStyleInParams // a public client names itself
	}
	now := x.clock()
	got, err := request.Token(context.WithValue(ctx, oauth2.HTTPClient, x.client))
	if err != nil {
		return "", x.failure(err)
	}
	good := shortLived
	if seconds, ok := got.Extra("expires_in").(float64); ok && seconds > 0 {
		good = time.Duration(min(seconds, (24*time.Hour).Seconds()) * float64(time.Second))
	}
	if !bearerForm.MatchString(got.AccessToken) {
		return "", x.away(errors.New("the issuer's token is no bearer token"))
	}
	x.keep(person, exchanged{signIn: sum, token: got.AccessToken, until: now.Add(good - min(renewBefore, good/2))})
	return got.AccessToken, nil
}

// bearerForm is what can stand in a header (RFC 6750).
var bearerForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

// errorForm is an error code of an issuer (RFC 6749).
var errorForm = regexp.MustCompile(`^[a-z_]{1,60}$`)

// failure says why there is no token. What the issuer answers may have more in it than its
// code and description, which are all that is kept.
func (x *exchanger) failure(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || !errorForm.MatchString(refused.ErrorCode) {
		if refused != nil {
			err = errors.New("it answered with " + refused.Response.Status)
		}
		return x.away(bare(err))
	}
	code := refused.ErrorCode
	why := errors.New(code + ": " + lang.Shorten(strings.ToValidUTF8(refused.ErrorDescription, "?"), maxMessage))
	switch code {
	case "temporarily_unavailable", "server_error":
		return x.away(why)
	case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request":
		return fault.New(codes.FailedPrecondition, ReasonToken,
			"the issuer of sign-ins does not let this service exchange your sign-in for a token of Trino ("+code+"): whoever operates it has to see to that").
			ForOperator("token_exchange.url is %s, its client %s", x.config.URL, x.config.ClientID).Because(why)
	}
	return fault.New(codes.PermissionDenied, ReasonToken,
		"the issuer of sign-ins gives no token of Trino for your sign-in ("+code+"): sign in again; where that does not help, you may not use Trino").
		ForOperator("token_exchange.url is %s, its audience %s", x.config.URL, x.config.Audience).Because(why)
}

func (x *exchanger) away(cause error) error {
	f := fault.New(codes.Unavailable, ReasonToken, "the issuer of sign-ins cannot be asked for a token of Trino, and without one nothing is asked there: try again in a moment").
		ForOperator("token_exchange.url is %s", x.config.URL).Because(cause)
	f.RetryAfter = retryAfter
	return f
}
