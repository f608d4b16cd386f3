package app

import (
	"context"
	"os"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
)

// startModel makes the client of the chat model, where one is configured. It
// connects to nothing: a model that is away costs an answer its polish, not the
// process its start.
func startModel(_ context.Context, a *App) error {
	if !a.config.LLM.Config.Enabled() {
		return nil
	}
	m, err := llm.New(a.config.LLM.Config, llm.Deps{Key: modelKey(a.config.LLM), Clock: a.options.Clock})
	if err != nil {
		return misconfigured(err)
	}
	a.model = m
	return nil
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
