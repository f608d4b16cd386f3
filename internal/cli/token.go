package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/fault"
)

// day is the unit in which people say how long a token is good.
const day = 24 * time.Hour

func newTokenCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list, rotate and revoke API tokens",
		Long: "API tokens for auth.mode token and oidc, kept as hashes in the store: a file of the data directory,\n" +
			"or the database of store.kind postgres. The commands open the store, so that they are for whoever\n" +
			"operates the server; a line of each that changes something goes to auth.audit_file. Servers see a\n" +
			"change within seconds.",
	}
	cmd.AddCommand(newTokenCreateCommand(f), newTokenListCommand(f), newTokenRotateCommand(f), newTokenRevokeCommand(f))
	return cmd
}

// withTokens opens the store of tokens for a command.
func withTokens(ctx context.Context, f *Factory, do func(*config.Config, tokenstore.Tokens) error) error {
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	o, err := f.appOptions(cfg)
	if err != nil {
		return err
	}
	store, err := app.OpenTokens(ctx, *cfg, o)
	if err != nil {
		return err
	}
	err = do(cfg, tokenstore.Tokens{Store: store, Clock: f.Clock, Most: cfg.Auth.MaxTokens})
	return errors.Join(err, store.Close())
}

// life is how long a token of so many days is good.
func life(days int) (time.Duration, error) {
	if most := int(tokenstore.MaxLife / day); days < 1 || days > most {
		return 0, badUsage("--days is %d: use 1 to %d", days, most)
	}
	return time.Duration(days) * day, nil
}

func newTokenCreateCommand(f *Factory) *cobra.Command {
	var want tokenstore.Token
	var days int
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make an API token and print it, once",
		Long: "Make an API token. The token goes to standard output, once, and what is kept of it to standard\n" +
			"error. A scope is a service, such as router, or one of its calls, such as findata/Discover: the\n" +
			"token is then for these alone.",
		Example: "  dibrain token create --principal alice --group sales --days 90 > alice.token\n" +
			"  dibrain token create --principal svc:reporting --scope router --scope chatbi/GetResultPage",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if want.Principal == "" {
				return badUsage("--principal is needed: who calls with the token")
			}
			span, err := life(days)
			if err != nil {
				return err
			}
			if err := app.CheckScopes(want.Scopes); err != nil {
				return err
			}
			want.CreatedBy = app.Operator()
			return withTokens(cmd.Context(), f, func(cfg *config.Config, tokens tokenstore.Tokens) error {
				made, secret, err := tokens.Create(cmd.Context(), want, span)
				return printMade(cmd.Context(), f, cfg, "token create", made, secret, err)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&want.Principal, "principal", "", "who calls with the token, such as alice or svc:reporting")
	flags.StringSliceVar(&want.Groups, "group", nil, "a group of the principal; may be given several times")
	flags.BoolVar(&want.Admin, "admin", false, "the principal administers")
	flags.StringSliceVar(&want.Scopes, "scope", nil, "a service or call that the token is for; may be given several times (default: all)")
	flags.StringVar(&want.Note, "note", "", "what the token is for, for those who list them")
	flags.IntVar(&days, "days", 90, "days until the token expires")
	return cmd
}

// printMade prints a token that was made, or says why none was.
func printMade(ctx context.Context, f *Factory, cfg *config.Config, command string, made tokenstore.Token, secret string, err error) error {
	object := made.ID + " of " + made.Principal
	if made.Replaces != "" {
		object += " instead of " + made.Replaces
	}
	if err := audited(ctx, cfg, command, object, err); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f.IO.Err, "%s of %s, until %s. The token is printed this once:\n", made.ID, made.Principal, made.Expires.Format(time.DateTime)+" UTC"); err != nil {
		return err
	}
	_, err = fmt.Fprintln(f.IO.Out, secret)
	return err
}

func newTokenListCommand(f *Factory) *cobra.Command {
	var table tableFlags
	var principal string
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List API tokens: whose they are, what for, and until when",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withTokens(cmd.Context(), f, func(_ *config.Config, tokens tokenstore.Tokens) error {
				list, err := tokens.List(cmd.Context(), principal)
				if err != nil {
					return err
				}
				return printTokens(f, table, list, all)
			})
		},
	}
	cmd.Flags().StringVar(&principal, "principal", "", "only tokens of this principal")
	cmd.Flags().BoolVar(&all, "all", false, "list those too that have expired or were revoked")
	table.add(cmd, "print the tokens as JSON")
	return cmd
}

// tokenLine is a token as it is printed in JSON.
type tokenLine struct {
	ID        string     `json:"id"`
	Principal string     `json:"principal"`
	Groups    []string   `json:"groups,omitempty"`
	Admin     bool       `json:"admin,omitempty"`
	Scopes    []string   `json:"scopes,omitempty"`
	State     string     `json:"state"` // good, expired or revoked
	Created   time.Time  `json:"created"`
	CreatedBy string     `json:"created_by"`
	Expires   time.Time  `json:"expires"`
	Revoked   *time.Time `json:"revoked,omitempty"`
	Replaces  string     `json:"replaces,omitempty"`
	Note      string     `json:"note,omitempty"`
}

func printTokens(f *Factory, table tableFlags, list []tokenstore.Token, all bool) error {
	now := f.Clock()
	lines := make([]tokenLine, 0, len(list))
	rows := make([][]string, 0, len(list))
	for _, t := range list {
		l := tokenLine{t.ID, t.Principal, t.Groups, t.Admin, t.Scopes, "good", t.Created, t.CreatedBy, t.Expires, nil, t.Replaces, t.Note}
		switch {
		case !t.Revoked.IsZero():
			l.State, l.Revoked = "revoked", &t.Revoked
		case !t.Good(now):
			l.State = "expired"
		}
		if l.State != "good" && !all {
			continue
		}
		lines = append(lines, l)
		scopes := strings.Join(t.Scopes, " ")
		if scopes == "" {
			scopes = "all"
		}
		if t.Admin {
			scopes += ", as administrator"
		}
		rows = append(rows, []string{l.ID, l.Principal, strings.Join(l.Groups, " "), scopes, l.State, t.Expires.Format(time.DateOnly), t.Note})
	}
	if table.asJSON() {
		return writeOwnJSON(f.IO.Out, lines)
	}
	if len(lines) == 0 {
		table.remark(f, "there are no tokens")
		return nil
	}
	return table.print(f, tokenColumns, rows)
}

var tokenColumns = []term.Column{
	{Title: "id", Whole: true}, {Title: "principal", Whole: true}, {Title: "groups"}, {Title: "for"}, {Title: "state", Whole: true}, {Title: "until", Whole: true}, {Title: "note"},
}

func newTokenRotateCommand(f *Factory) *cobra.Command {
	var days int
	overlap := day
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Make a token that stands instead of another one, which ends after a while",
		Long: "Make a token of the same principal, groups and scopes, and print it, once. The one before is good\n" +
			"for --overlap more, so that whoever uses it has time to change.",
		Example: "  dibrain token rotate tok_… --overlap 1h > alice.token",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			span, err := life(days)
			if err != nil {
				return err
			}
			if overlap < 0 {
				return badUsage("--overlap is %s: it cannot be below zero", overlap)
			}
			return withTokens(cmd.Context(), f, func(cfg *config.Config, tokens tokenstore.Tokens) error {
				made, secret, err := tokens.Rotate(cmd.Context(), args[0], app.Operator(), span, overlap)
				if err != nil {
					made.ID = args[0]
				}
				return printMade(cmd.Context(), f, cfg, "token rotate", made, secret, err)
			})
		},
	}
	cmd.Flags().IntVar(&days, "days", 90, "days until the new token expires")
	cmd.Flags().DurationVar(&overlap, "overlap", overlap, "how long the one before is good, 0 for not any more")
	return cmd
}

func newTokenRevokeCommand(f *Factory) *cobra.Command {
	var principal string
	cmd := &cobra.Command{
		Use:     "revoke [ID]",
		Short:   "End a token, or all of a principal, at once",
		Example: "  dibrain token revoke tok_…\n  dibrain token revoke --principal alice",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) == (principal != "") {
				return badUsage("say one token by its id, or --principal for all of somebody's")
			}
			return withTokens(cmd.Context(), f, func(cfg *config.Config, tokens tokenstore.Tokens) error {
				var err error
				n, object := int64(1), "all of "+principal
				if len(args) == 1 {
					object = args[0]
					err = tokens.Revoke(cmd.Context(), args[0])
				} else if n, err = tokens.RevokeAll(cmd.Context(), principal); err == nil && n == 0 {
					err = fault.NotFound("TOKEN_UNKNOWN", "There is no API token of %q that is good. `dibrain token list` shows them.", principal)
				}
				if err := audited(cmd.Context(), cfg, "token revoke", object, err); err != nil {
					return err
				}
				_, err = fmt.Fprintf(f.IO.Out, "%d revoked\n", n)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&principal, "principal", "", "revoke all tokens of this principal")
	return cmd
}
