package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/build"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/telemetry"
)

// Factory gives commands what they work with, opened when first asked for. A
// test makes its own with other streams, environment and clock.
type Factory struct {
	IO *IO
	// Environ is what os.Environ returns, Getenv what os.Getenv returns.
	Environ []string
	Getenv  func(string) string
	Clock   func() time.Time
	Build   build.Info
	// Program is this program, which the embedded engines start again to run their
	// statements; empty: they run within this process, for tests.
	Program string
	// Memory of the container or machine, in bytes; 0: it is not known.
	Memory int64

	flags globalFlags
}

// System is the factory of a process: with its streams, environment and clock, and what the linker set.
func System(linked build.Linked) *Factory {
	return &Factory{
		IO: SystemIO(), Environ: os.Environ(), Getenv: os.Getenv, Clock: time.Now,
		Build: build.Read(linked), Program: Program(), Memory: Memory(),
	}
}

// globalFlags are those of every command.
type globalFlags struct {
	set        *pflag.FlagSet
	configFile string
}

// flagKeys are the flags that set a configuration key, on every command.
var flagKeys = [...]struct{ flag, key, usage string }{
	{"data-dir", "data_dir", "folder of all that DI-Brain keeps (default: XDG data home, dibrain)"},
	{"log-level", "log.level", "least level that is logged: debug, info, warn or error"},
	{"log-format", "log.format", "format of log lines: text or json"},
}

func (f *Factory) addFlags(flags *pflag.FlagSet) {
	f.flags.set = flags
	flags.StringVar(&f.flags.configFile, "config", "", "configuration file (default: dibrain/config.yaml in the XDG configuration home)")
	for _, g := range flagKeys {
		flags.String(g.flag, "", g.usage)
	}
}

// Config loads the configuration.
func (f *Factory) Config() (*config.Config, error) { return f.configWith(nil) }

// configWith loads the configuration; overrides come from flags of the command
// itself, by key, and win.
func (f *Factory) configWith(overrides map[string]any) (*config.Config, error) {
	o, err := f.configOptions(overrides)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	return &cfg, nil
}

// configOptions says where the configuration comes from.
func (f *Factory) configOptions(overrides map[string]any) (config.Options, error) {
	values := make(map[string]any)
	for _, g := range flagKeys {
		if flag := f.flags.set.Lookup(g.flag); flag != nil && flag.Changed {
			values[g.key] = flag.Value.String()
		}
	}
	if dir, ok := values["data_dir"].(string); ok {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return config.Options{}, badUsage("--data-dir: %w", err)
		}
		values["data_dir"] = abs
	}
	for key, value := range overrides {
		values[key] = value
	}
	return config.Options{File: f.flags.configFile, Environ: f.Environ, Flags: values}, nil
}

// InProcess starts all services inside the command. Close it. What people read
// is the answer, so only warnings are logged unless somebody asked for more.
func (f *Factory) InProcess(ctx context.Context, cfg *config.Config) (*app.Local, error) {
	quiet := *cfg
	if quiet.Origin("log.level") == "" {
		quiet.Log.Level = "warn"
	}
	o, err := f.appOptions(&quiet)
	if err != nil {
		return nil, err
	}
	return app.InProcess(ctx, quiet, o)
}

// appOptions returns what a process takes from the command line; it logs to the
// error stream.
func (f *Factory) appOptions(cfg *config.Config) (app.Options, error) {
	return f.appOptionsAt(cfg, nil)
}

// appOptionsAt is appOptions with a log whose level and format can be changed later.
func (f *Factory) appOptionsAt(cfg *config.Config, live *telemetry.LiveLog) (app.Options, error) {
	logger, err := telemetry.NewLogger(f.IO.Err, telemetry.LogConfig{Level: cfg.Log.Level, Format: cfg.Log.Format, Live: live})
	if err != nil {
		return app.Options{}, badUsage("%w", err)
	}
	return app.Options{Logger: logger, LiveLog: live, Getenv: f.Getenv, Clock: f.Clock, Version: f.Build.Version, Program: f.Program, Memory: f.Memory}, nil
}

// dataDir is the data directory, "" where the configuration cannot be read.
func (f *Factory) dataDir() string {
	cfg, err := f.Config()
	if err != nil {
		return ""
	}
	return cfg.DataDir
}
