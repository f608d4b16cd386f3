package app

import (
	"context"
	"log/slog"
	"os"
	"os/user"
	"strings"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
)

// Operator is who works at the command line of the machine, for the audit log: commands that
// open what a server keeps are made by whoever may read its files.
func Operator() string {
	u, err := user.Current()
	if err != nil || u.Username == "" {
		return "operator"
	}
	return "operator:" + u.Username
}

// AuditCommand appends a line to the audit log, where there is one, for something that an
// operator has a command do: what it is, on what, and what came of it.
func AuditCommand(ctx context.Context, cfg config.Config, command, object string, done error) error {
	if cfg.Auth.AuditFile == "" {
		return nil
	}
	file, err := os.OpenFile(cfg.Auth.AuditFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return misconfigured(err)
	}
	outcome := "done"
	if done != nil {
		outcome = "failed"
	}
	sink := &auditFile{file: file}
	slog.New(slog.NewJSONHandler(sink, nil)).LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "command",
		slog.String("principal", Operator()), slog.String("method", command), slog.String("object", object), slog.String("decision", "allowed"), slog.String("outcome", outcome))
	if problem := sink.problem.Load(); problem != nil {
		err = misconfigured(*problem)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// CheckScopes says what is wrong with the scopes of an API token: each has to be a service of
// the contract, or a call of one.
func CheckScopes(scopes []string) error {
	known := make(map[string]bool)
	for method := range roles {
		service := auth.Audience("/" + method)
		known[service], known[service+method[strings.LastIndexByte(method, '/'):]] = true, true
	}
	for _, s := range scopes {
		if !known[s] {
			return fault.Invalid("scope", "SCOPE_UNKNOWN", "There is no service or call %q. Scopes are services, such as router, or their calls, such as router/Ask.", s)
		}
	}
	return nil
}
