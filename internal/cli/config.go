package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	yaml "go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
)

func newConfigCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration, make credentials",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigPrintCommand(f), newConfigTokenCommand(f), newConfigHopKeysCommand(f))
	return cmd
}

func newConfigPrintCommand(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "print",
		Short: "Print the effective configuration; secrets are masked",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := f.Config()
			if err != nil {
				return err
			}
			return cfg.Print(f.IO.Out)
		},
	}
}

func newConfigHopKeysCommand(f *Factory) *cobra.Command {
	target := app.All
	cmd := &cobra.Command{
		Use:   "hop-keys",
		Short: "Print the hop keys that processes of a target need, for auth.hop_keys_file",
		Long: "Print the keys of the services that a target holds or calls, made from the deployment's key\n" +
			"(auth.hop_key_file, auth.hop_key, else the one in the data directory). A process that has them\n" +
			"instead of the deployment's key cannot speak to other services, whoever takes it over.",
		Example: "  dibrain config hop-keys --target findata > findata-hop-keys.yaml",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			targets, err := app.ParseTargets(target)
			if err != nil {
				return err
			}
			cfg, err := f.Config()
			if err != nil {
				return err
			}
			audiences, err := app.HopAudiences(targets)
			if err != nil {
				return err
			}
			key, err := app.HopKey(*cfg, app.Options{})
			if err != nil {
				return fault.New(codes.FailedPrecondition, "CONFIG_INVALID", err.Error()).Because(err)
			}
			return key.WriteKeys(f.IO.Out, audiences)
		},
	}
	cmd.Flags().StringVar(&target, "target", target, "services of the process, a comma list; `dibrain serve --list-targets` shows them")
	return cmd
}

type tokenOptions struct {
	principal string
	groups    []string
	admin     bool
	days      int
}

func newConfigTokenCommand(f *Factory) *cobra.Command {
	var o tokenOptions
	cmd := &cobra.Command{
		Use:   "new-token",
		Short: "Make an API token and its entry for auth.token_file",
		Long: "Make an API token. The entry goes to standard output, for the list \"tokens\" in the file of\n" +
			"auth.token_file; the token itself goes to standard error, once: it is not kept anywhere.",
		Example: "  dibrain config new-token --principal alice --group sales --days 90 >> tokens.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runNewToken(f, o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.principal, "principal", "", "who calls with the token, such as alice or svc:reporting")
	flags.StringSliceVar(&o.groups, "group", nil, "a group of the principal; may be given several times")
	flags.BoolVar(&o.admin, "admin", false, "the principal may ingest and read other people's runs")
	flags.IntVar(&o.days, "days", 90, "days until the token expires; 0 means never")
	return cmd
}

func runNewToken(f *Factory, o tokenOptions) error {
	if o.principal == "" || len(o.principal) > 128 {
		return badUsage("--principal is needed, at most 128 characters: who calls with the token")
	}
	if o.days < 0 {
		return badUsage("--days is %d: use 0 for a token that does not expire", o.days)
	}
	token, hash, err := auth.NewToken(nil)
	if err != nil {
		return err
	}
	entry := auth.Entry{Hash: hash, Principal: o.principal, Groups: o.groups, Admin: o.admin}
	if o.days > 0 {
		entry.Expires = f.Clock().UTC().AddDate(0, 0, o.days).Truncate(time.Second)
	}
	text, err := yaml.Marshal([]auth.Entry{entry})
	if err != nil {
		return fmt.Errorf("write the entry: %w", err)
	}
	if _, err := f.IO.Out.Write(text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.IO.Err, "token: %s\n", token)
	return err
}
