package app

import (
	"context"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// startModel makes the client of the chat model, where one is configured. It
// connects to nothing: a model that is away costs an answer its polish, not the
// process its start.
func startModel(_ context.Context, a *App) error {
	if a.options.Model != nil {
		a.model = a.options.Model
		return nil
	}
	if !a.config.LLM.Config.Enabled() {
		return nil
	}
	m, err := model(a.config.LLM, a.options.Clock, a.meter)
	if err != nil {
		return err
	}
	a.model = m
	a.reload.model = m
	a.ready.add("model", func(context.Context) error { return rpc.Degraded(m.Health()) }) // rules go on without it
	return nil
}

// Model returns the client of the configured chat model. It connects to nothing.
func Model(c config.LLM, clock func() time.Time) (llm.Model, error) {
	m, err := model(c, clock, nil)
	if err != nil {
		return nil, err // and no nil client in an interface
	}
	return m, nil
}

func model(c config.LLM, clock func() time.Time, measures *meter.Set) (*llm.Client, error) {
	if !c.Config.Enabled() {
		return nil, fault.New(codes.FailedPrecondition, llm.ReasonNotConfigured, "There is no model: set llm.base_url and llm.model; docs/llm.md tells how.")
	}
	m, err := llm.New(c.Config, llm.Deps{Key: modelKey(c), Clock: clock, Meter: measures})
	if err != nil {
		return nil, misconfigured(err)
	}
	return m, nil
}

// maxModelKeyBytes bounds the file of a key: what is longer is another file.
const maxModelKeyBytes = 16 << 10

// modelKey returns what reads the key of the model endpoint.
func modelKey(c config.LLM) func() (string, error) {
	if c.APIKeyFile == "" {
		return func() (string, error) { return c.APIKey.Reveal(), nil }
	}
	return func() (string, error) {
		raw, err := os.ReadFile(c.APIKeyFile)
		key := strings.TrimSpace(string(raw))
		if err == nil && key != "" && len(raw) <= maxModelKeyBytes && !strings.ContainsAny(key, "\r\n") {
			return key, nil
		}
		return "", fault.New(codes.FailedPrecondition, llm.ReasonKeyMissing,
			"The key of the model endpoint cannot be read: llm.api_key_file has to hold it, alone, in one line.").
			ForOperator("%s", c.APIKeyFile).Because(err)
	}
}
