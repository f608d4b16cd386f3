package deliver

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/dibrain/dibrain/services/analysis/watch"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 10

var errPrivate = errors.New("the address leads into a private network, and the target is not private")

// client is one that follows no redirect, takes no proxy from the environment, and, unless
// inside, connects to public addresses alone: what a name resolves to is looked at when the
// connection is made, so that it cannot change in between.
func client(timeout time.Duration, inside bool) *http.Client {
	dialer := &net.Dialer{Timeout: timeout}
	if !inside {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || !public(at.Addr().Unmap()) {
				return errPrivate
			}
			return nil
		}
	}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: timeout, ResponseHeaderTimeout: timeout,
			MaxResponseHeaderBytes: maxAnswer, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		},
	}
}

// reserved are addresses of no public host that netip does not name.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"),
}

func public(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// send posts a message to a webhook. Errors say nothing of where that is.
func (t *Targets) send(ctx context.Context, target Target, m watch.Message) error {
	at, err := target.address()
	if err != nil {
		return err
	}
	secret, err := target.secret()
	if err != nil {
		return err
	}
	body, err := payload(target.Kind, secret, m, t.clock())
	if err != nil {
		return fmt.Errorf("write the message: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("the address is no URL of a webhook")
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("User-Agent", "dibrain")
	request.Header.Set("Idempotency-Key", m.ID)
	if target.Kind == JSON && secret != "" {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		request.Header.Set("X-Dibrain-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	sender := t.public
	if target.Private {
		sender = t.inside
	}
	response, err := sender.Do(request)
	if err != nil {
		if errors.Is(err, errPrivate) {
			return errPrivate
		}
		// The error names the address, and an address is a secret.
		t.log.WarnContext(ctx, "a target cannot be reached", "target", target.Name)
		return &watch.TemporaryError{Reason: "it cannot be reached"}
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		answer = nil
	}
	return heard(target.Kind, response.StatusCode, answer)
}

// heard reads what a webhook answered.
func heard(kind Kind, status int, answer []byte) error {
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		return &watch.TemporaryError{Reason: fmt.Sprintf("it answered %d", status)}
	case status >= 300 && status < 400:
		return fmt.Errorf("it answered %d, and redirects are not followed", status)
	case status >= 400:
		return fmt.Errorf("it answered %d", status)
	}
	if kind != Feishu { // whose refusals come as 200
		return nil
	}
	var said struct {
		Code int `json:"code"`
	}
	if err := json.Unmarshal(answer, &said); err == nil && said.Code != 0 {
		if said.Code == 11232 { // its limit of messages a minute
			return &watch.TemporaryError{Reason: fmt.Sprintf("it answered with the code %d", said.Code)}
		}
		return fmt.Errorf("it answered with the code %d", said.Code)
	}
	return nil
}
