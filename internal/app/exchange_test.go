package app_test

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/metadata"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/clocktest"
	"github.com/dibrain/dibrain/pkg/source"
)

// TestAskersAreThemselvesOnTrino: a question that comes in with an ID token runs on Trino with
// the token that the issuer gives for it, through a router and services in processes of their
// own; by an API token nothing is asked there.
func TestAskersAreThemselvesOnTrino(t *testing.T) {
	t.Parallel()
	clock := clocktest.At(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	key := rsaKey(t)
	issuer := newSignIns(t, map[string]*rsa.PrivateKey{"k1": key})
	signIn := jwt(t, key, map[string]any{"alg": "RS256", "kid": "k1"}, map[string]any{
		"iss": issuer.URL, "aud": "dibrain", "sub": "ann", "iat": clock.Now().Unix(), "exp": clock.Now().Add(time.Hour).Unix(),
	})
	var mu sync.Mutex
	var exchanged, sent []string
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		exchanged = append(exchanged, r.PostFormValue("subject_token"))
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "trino-for-ann", "token_type": "Bearer", "expires_in": 300})
	}))
	t.Cleanup(tokens.Close)
	trino := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, r.Header.Get("X-Trino-User")+" by "+r.Header.Get("Authorization"))
		fmt.Fprint(w, `{"id": "q1", "columns": [{"name": "n", "type": "bigint", "typeSignature": {"rawType": "bigint", "arguments": []}}], "data": [[70]], "stats": {"state": "FINISHED"}}`)
	}))
	t.Cleanup(trino.Close)

	inside := testConfig(t)
	inside.Auth.Mode, inside.Auth.HopKey, inside.Source = string(auth.ModeServices), config.Secret("0123456789abcdef0123456789abcdef"), "hotel"
	file := func(name string, text []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	withHotel(t, inside.DataDir, source.Manifest{Engine: source.EngineTrino, Origin: "trino", Trino: &source.TrinoConnection{
		URL: trino.URL, User: "svc", Impersonate: true, TokenFile: file("token", []byte("service")),
		CAFile:        file("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trino.Certificate().Raw})),
		TokenExchange: &source.TokenExchange{URL: tokens.URL, ClientID: "dibrain", Audience: "trino"},
		Regions:       map[string]source.TrinoPlace{"hotel": {Catalog: "hotel"}},
	}})
	services := startWith(t, inside, app.Options{Clock: clock.Now}, app.FindData, app.FixSQL, app.ChatBI, app.Text2SQL, app.Knowledge)
	apiToken, hash, err := auth.NewToken(nil)
	require.NoError(t, err)
	ask := func(pass bool, bearer string) *routerv1.Answer {
		outside := testConfig(t)
		outside.Auth.Mode, outside.Auth.HopKey, outside.Source = string(auth.ModeOIDC), inside.Auth.HopKey, "hotel"
		outside.Auth.OIDC.Issuer, outside.Auth.OIDC.Audience, outside.Auth.OIDC.PassSignIn = issuer.URL, "dibrain", pass
		outside.Auth.TokenFile = file("tokens.yaml", fmt.Appendf(nil, "tokens: [{hash: %q, principal: robot}]", hash))
		for _, address := range []*string{&outside.FindData.Address, &outside.FixSQL.Address, &outside.ChatBI.Address, &outside.Text2SQL.Address, &outside.Knowledge.Address} {
			*address = services.addresses["gRPC"]
		}
		router := startWith(t, outside, app.Options{Clock: clock.Now}, app.Router)
		ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), auth.KeyAuthorization, "Bearer "+bearer), hangs)
		defer cancel()
		response, err := routerv1.NewRouterServiceClient(router.dial()).Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{Question: "select count(*) as n from main.booking", Source: "hotel"}})
		require.NoError(t, err)
		return response.GetAnswer()
	}

	answer := ask(true, signIn)
	require.Equal(t, routerv1.Outcome_OUTCOME_ANSWERED, answer.GetOutcome(), answer.GetText())
	require.Contains(t, answer.GetText(), "70")
	mu.Lock()
	require.Equal(t, []string{signIn}, exchanged)
	require.NotEmpty(t, sent)
	for _, one := range sent {
		require.Equal(t, "ann by Bearer trino-for-ann", one)
	}
	asked := len(sent)
	mu.Unlock()
	for name, answer := range map[string]*routerv1.Answer{"by an API token": ask(true, apiToken), "sign-ins stay at the edge": ask(false, signIn)} {
		require.NotEqual(t, routerv1.Outcome_OUTCOME_ANSWERED, answer.GetOutcome(), name)
		require.Contains(t, answer.GetText(), "with your own sign-in", name)
		require.NotContains(t, answer.GetText(), "70", name)
	}
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, sent, asked, "nothing more was asked there")
}
