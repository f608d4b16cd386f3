package cli

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

type serveOptions struct {
	target       string
	listen       string
	adminListen  string
	listTargets  bool
	verifyConfig bool
}

func newServeCommand(f *Factory) *cobra.Command {
	o := serveOptions{target: app.All}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve gRPC: all services in one process, or some of them",
		Example: "  dibrain serve\n" +
			"  dibrain serve --target=findata,chatbi --listen=127.0.0.1:7072\n" +
			"  dibrain serve --target=router --verify-config",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			overrides := make(map[string]any)
			for flag, key := range map[string]string{
				"listen": "listen", "admin-listen": "admin.listen", "insecure-plaintext": "auth.insecure_plaintext",
			} {
				if cmd.Flags().Changed(flag) {
					overrides[key] = cmd.Flag(flag).Value.String()
				}
			}
			return runServe(cmd.Context(), f, o, overrides)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.target, "target", o.target, "services of this process, a comma list; --list-targets shows them")
	flags.StringVar(&o.listen, "listen", "", "address of gRPC (default 127.0.0.1:7070)")
	flags.StringVar(&o.adminListen, "admin-listen", "", "address of /healthz, /readyz and /metrics (default 127.0.0.1:7071)")
	flags.Bool("insecure-plaintext", false, "serve without TLS on an address that other machines reach: for a proxy or mesh that speaks TLS")
	flags.BoolVar(&o.listTargets, "list-targets", false, "list the targets and exit")
	flags.BoolVar(&o.verifyConfig, "verify-config", false, "check the configuration for the target and exit")
	return cmd
}

func runServe(ctx context.Context, f *Factory, o serveOptions, overrides map[string]any) error {
	if o.listTargets {
		return listTargets(f)
	}
	targets, err := app.ParseTargets(o.target)
	if err != nil {
		return err
	}
	cfg, err := f.configWith(overrides)
	if err != nil {
		return err
	}
	if o.verifyConfig {
		if err := app.Verify(ctx, *cfg, targets); err != nil {
			return err
		}
		_, err := fmt.Fprintf(f.IO.Out, "The configuration is valid for target %s.\n", strings.Join(targets, ","))
		return err
	}
	options, err := f.appOptionsAt(cfg, new(telemetry.LiveLog))
	if err != nil {
		return err
	}
	from, err := f.configOptions(overrides)
	if err != nil {
		return err
	}
	again := newReloader(from.Path(), options.Logger, func() (*config.Config, error) { return f.configWith(overrides) })
	defer again.hearSignals()()
	if f.Getenv("GOGC") == "" {
		debug.SetGCPercent(app.GCPercent)
	}
	keeper, kept := memoryKeeper(f, cfg)
	if kept { // from here on: what is opened below may be large
		keeping, stop := context.WithCancel(ctx)
		defer stop()
		go keeper.Keep(keeping, app.MemoryEvery, options.Clock)
	}
	// OpenTelemetry tells of an absent collector through one handler a process.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { options.Logger.Warn("tracing", "error", err) }))
	a, err := app.New(ctx, *cfg, targets, options)
	if err != nil {
		return err
	}
	for _, address := range a.Addresses() {
		if _, err := fmt.Fprintf(f.IO.Out, "%s on %s\n", address.What, address.Addr); err != nil {
			return err
		}
	}
	if kept {
		options.Logger.Info("memory of the runtime is bounded", "soft", keeper.Soft, "most", keeper.Most)
	}
	defer again.watch(ctx, a)()
	return a.Run(ctx)
}

// memoryKeeper keeps the runtime to memory.soft_limit_bytes and to the container's memory,
// unless the operator has said otherwise in GOMEMLIMIT; kept is then false. The kernel would
// end the process beyond the container's.
func memoryKeeper(f *Factory, cfg *config.Config) (keeper app.MemoryKeeper, kept bool) {
	if f.Getenv("GOMEMLIMIT") != "" {
		return keeper, false
	}
	keeper.Soft = cfg.Memory.SoftLimit
	container, err := memlimit.FromCgroup()
	if err == nil && container != 0 && container <= math.MaxInt64 { // else there is no limit to keep to
		keeper.Most = app.MemoryLimit(int64(container), *cfg)
	}
	return keeper, keeper.Soft > 0 || keeper.Most > 0
}

func listTargets(f *Factory) error {
	w := tabwriter.NewWriter(f.IO.Out, 0, 0, 2, ' ', 0)
	for _, t := range app.Targets() {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", t.Name, t.Doc); err != nil {
			return err
		}
	}
	return w.Flush()
}
