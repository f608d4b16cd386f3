package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/pkg/sandbox/remote"
)

// Bounds of a runner's connections. What a program may take bounds the rest.
const (
	runnerHead    = 10 * time.Second
	runnerWaiting = 16 // programs that are taken at a time, at work or not
)

func newPythonRunnerCommand(f *Factory) *cobra.Command {
	listen := "127.0.0.1:7443"
	cmd := &cobra.Command{
		Use:   "python-runner",
		Short: "Run steps in Python for analyses of other machines, behind the walls of this one",
		Long: `Run steps in Python for analyses of other machines ("analysis.python: remote"), each in
the sandbox that "analysis.python: sandbox" has, and refuse to start where one of its
walls does not hold: "dibrain doctor" says which.

Whoever has the token of analysis.python_runner_token_file may have programs run.
tls.cert_file and tls.key_file are its certificate, analysis.python_timeout,
python_memory_mb and python_running its limits.`,
		Example: "  dibrain python-runner --listen 0.0.0.0:7443",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runPythonRunner(cmd.Context(), f, listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", listen, "address of the runner, also of its /readyz")
	return cmd
}

func runPythonRunner(ctx context.Context, f *Factory, listen string) error {
	cfg, err := f.configWith(nil)
	if err != nil {
		return err
	}
	options, err := f.appOptions(cfg)
	if err != nil {
		return err
	}
	c := cfg.Analysis.Config
	if c, err = c.Complete(); err != nil {
		return err
	}
	if c.PythonRunnerTokenFile == "" {
		return errors.New("set analysis.python_runner_token_file: the token of those who may have programs run")
	}
	token, err := os.ReadFile(c.PythonRunnerTokenFile)
	if err != nil {
		return fmt.Errorf("analysis.python_runner_token_file: %w", err)
	}
	files := rpc.TLSFiles{CertFile: cfg.TLS.CertFile, KeyFile: cfg.TLS.KeyFile}
	secured, err := files.Server()
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer func() { _ = l.Close() }() // the server has closed it already, unless it never began
	if err := auth.CheckPlaintext(ctx, l.Addr().String(), "--listen", secured != nil, cfg.Auth.InsecurePlaintext); err != nil {
		return err
	}
	config := c.Sandbox(f.Program)
	box, err := sandbox.Open(ctx, config)
	if err != nil {
		return fmt.Errorf("%w; see %s", err, f.command("doctor", ""))
	}
	limits, err := config.Limits.Complete()
	if err != nil {
		return err
	}
	handler, err := remote.NewServer(box, strings.TrimSpace(string(token)), limits, runnerWaiting, options.Logger)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: runnerHead, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, TLSConfig: secured,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	options.Logger.InfoContext(ctx, "the runner takes programs", "listen", l.Addr().String(), "python", box.Interpreter().Version)
	ended := make(chan error, 1)
	go func() {
		if secured != nil {
			ended <- server.ServeTLS(l, "", "")
			return
		}
		ended <- server.Serve(l)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	bye, done := context.WithTimeout(context.WithoutCancel(ctx), runnerHead)
	defer done()
	return server.Shutdown(bye)
}
