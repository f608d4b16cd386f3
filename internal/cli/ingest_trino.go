package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	ingesttrino "github.com/dibrain/dibrain/pkg/ingest/trino"
	"github.com/dibrain/dibrain/pkg/source"
)

// trinoFlags say how a Trino server is reached.
type trinoFlags struct {
	user            string
	passwordFile    string
	tokenFile       string
	exchange        source.TokenExchange
	clusters        []string
	caFile          string
	impersonate     bool
	trustUserHeader bool
	session         []string
}

func (t *trinoFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&t.user, "user", "", "Trino user of the service (default: the operating system's user)")
	flags.StringVar(&t.passwordFile, "password-file", "", "file with the user's password; needs an https address")
	flags.StringVar(&t.tokenFile, "token-file", "", "file with a token (JWT) of the user, instead of a password")
	flags.StringVar(&t.exchange.URL, "exchange-url", "", "token endpoint of the issuer of sign-ins: questions run with a token of whoever asks, for which the sign-in is exchanged there; needs --impersonate")
	flags.StringVar(&t.exchange.ClientID, "exchange-client", "", "client id of the service at that endpoint")
	flags.StringVar(&t.exchange.ClientSecretFile, "exchange-secret-file", "", "file with its secret; without it, the client is a public one")
	flags.StringVar(&t.exchange.Audience, "exchange-audience", "", "what the issuer makes Trino's tokens for")
	flags.StringSliceVar(&t.exchange.Scopes, "exchange-scope", nil, "scopes to ask for with them")
	flags.StringVar(&t.exchange.SignIn, "exchange-sign-in", "", "kind of token that people sign in with: "+strings.Join(source.SignInKinds, ", ")+" (default: id_token)")
	flags.StringVar(&t.exchange.CAFile, "exchange-ca-file", "", "PEM file of the authorities that sign the issuer's certificate (default: the system's)")
	flags.StringArrayVar(&t.clusters, "cluster", nil, "further server with catalogs of the source, as name=URL, then user=, password-file=, token-file= and ca-file= after commas as far as they differ; may be repeated, and catalogs there are catalog@name")
	flags.StringVar(&t.caFile, "ca-file", "", "PEM file of the authorities that sign the server's certificate (default: the system's)")
	flags.BoolVar(&t.impersonate, "impersonate", false, "run questions as whoever asks, so that Trino's own rights, row filters and masks hold")
	flags.BoolVar(&t.trustUserHeader, "trust-user-header", false, "impersonate on a server that checks no password: whoever reaches it can be anybody")
	flags.StringArrayVar(&t.session, "session", nil, "session property of all statements, as name=value; may be repeated")
}

// connection is what is known of the connection before the server is asked. Files
// are named in full: the source is used from other folders.
func (t *trinoFlags) connection(address string) (source.TrinoConnection, error) {
	c := source.TrinoConnection{
		URL: strings.TrimSuffix(address, "/"), User: t.user, PasswordFile: t.passwordFile, TokenFile: t.tokenFile, CAFile: t.caFile,
		Impersonate: t.impersonate, TrustUserHeader: t.trustUserHeader,
	}
	if c.User == "" {
		local, err := auth.LocalUser()
		if err != nil {
			return c, err
		}
		c.User = local.Principal.ID
	}
	files := []*string{&c.PasswordFile, &c.TokenFile, &c.CAFile}
	if exchange := t.exchange; !reflect.ValueOf(exchange).IsZero() {
		c.TokenExchange = &exchange
		files = append(files, &exchange.ClientSecretFile, &exchange.CAFile)
	}
	for _, file := range files {
		if err := wholePath(file); err != nil {
			return c, err
		}
	}
	for _, said := range t.clusters {
		name, cluster, err := clusterOf(said)
		if err != nil {
			return c, err
		}
		if _, twice := c.Clusters[name]; twice {
			return c, badUsage("--cluster: %s is named twice", name)
		}
		if c.Clusters == nil {
			c.Clusters = make(map[string]source.TrinoCluster, len(t.clusters))
		}
		c.Clusters[name] = cluster
	}
	for _, property := range t.session {
		name, value, ok := strings.Cut(property, "=")
		if !ok {
			return c, badUsage("--session: %q is not name=value", property)
		}
		if c.Session == nil {
			c.Session = make(map[string]string, len(t.session))
		}
		c.Session[name] = value
	}
	return c, nil
}

// wholePath names a file in full, where there is one.
func wholePath(file *string) error {
	if *file == "" {
		return nil
	}
	full, err := filepath.Abs(*file)
	if err != nil {
		return badUsage("%s: %w", *file, err)
	}
	*file = full
	return nil
}

// clusterOf reads name=URL,key=value,…
func clusterOf(said string) (name string, c source.TrinoCluster, err error) {
	name, rest, ok := strings.Cut(said, "=")
	address, settings, _ := strings.Cut(rest, ",")
	if !ok || !source.ClusterName.MatchString(name) || address == "" {
		return "", c, badUsage("--cluster: %q is not name=URL, such as eu=https://trino-eu.example.com:8443, with a name of lower-case letters, digits, - and _", said)
	}
	c.URL = strings.TrimSuffix(address, "/")
	fields := map[string]*string{"user": &c.User, "password-file": &c.PasswordFile, "token-file": &c.TokenFile, "ca-file": &c.CAFile}
	for setting := range strings.SplitSeq(settings, ",") {
		key, value, _ := strings.Cut(setting, "=")
		if setting == "" {
			continue
		}
		if fields[key] == nil || value == "" {
			return "", c, badUsage("--cluster: after the address of %s, %q is none of user=, password-file=, token-file= and ca-file=", name, setting)
		}
		*fields[key] = value
	}
	for _, file := range []*string{&c.PasswordFile, &c.TokenFile, &c.CAFile} {
		if err := wholePath(file); err != nil {
			return "", c, err
		}
	}
	return name, c, nil
}

// regionPlaces reads region=catalog and region=catalog.schemaprefix, with @cluster behind them
// where it is on another server of the source.
func regionPlaces(flag string, entries []string) (map[string]source.TrinoPlace, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	places := make(map[string]source.TrinoPlace, len(entries))
	for _, entry := range entries {
		region, where, ok := strings.Cut(entry, "=")
		where, cluster, _ := strings.Cut(where, "@")
		catalog, prefix, _ := strings.Cut(where, ".")
		if !ok || region == "" || catalog == "" {
			return nil, badUsage("%s: %q is not region=catalog, such as sg=hive_sg", flag, entry)
		}
		if _, twice := places[region]; twice {
			return nil, badUsage("%s: the region %q is named twice", flag, region)
		}
		places[region] = source.TrinoPlace{Catalog: catalog, SchemaPrefix: prefix, Cluster: cluster}
	}
	return places, nil
}

type ingestTrinoOptions struct {
	name    string
	trino   trinoFlags
	regions []string
	options ingesttrino.Options
	dbt     dbtFlag
}

func newIngestTrinoCommand(f *Factory) *cobra.Command {
	o := &ingestTrinoOptions{}
	cmd := &cobra.Command{
		Use:   "trino URL --name NAME",
		Short: "The tables of a Trino server; no data is copied, questions run there",
		Long: `Read what a Trino server holds: tables, columns, comments, partition columns,
row counts. No data is copied: questions run on the server, with --impersonate
under the asker's own rights.

Run the command again to read the server anew: tables that are as they were are
not looked into again, and an ingest that was interrupted goes on where it was. A
catalog or a schema that cannot be read is named, and its tables stay as they were.`,
		Example: `  dibrain ingest trino https://trino.example.com:8443 --name wh --user svc_agent \
      --password-file /run/secrets/trino --impersonate --catalog hive,iceberg
  dibrain ingest trino http://127.0.0.1:8080 --name wh --region sg=hive_sg --region us=hive_us
  dibrain ingest trino https://trino.example.com:8443 --name wh --cluster eu=https://trino-eu.example.com:8443 \
      --region sg=hive --region eu=hive@eu
  dibrain ask --source wh "How many orders were there yesterday?"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runIngestTrino(cmd.Context(), f, o, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.name, "name", "", "name of the source: lower-case letters, digits and _")
	o.trino.add(flags)
	o.dbt.add(flags)
	flags.StringSliceVar(&o.options.Catalogs, "catalog", nil, "catalogs to read, of another --cluster as catalog@cluster (default: all)")
	flags.StringArrayVar(&o.regions, "region", nil, "name of a data centre in SQL, as region=catalog, or region=catalog.prefix for schemas that begin so, with @cluster behind it for another --cluster; may be repeated")
	flags.StringSliceVar(&o.options.Schemas, "schema", nil, "schemas to read, with * for any characters (default: all)")
	flags.StringSliceVar(&o.options.Include, "include", nil, "tables to read: table, schema.table or catalog.schema.table, with *")
	flags.StringSliceVar(&o.options.Exclude, "exclude", nil, "tables to leave out, such as 'tmp_*' or 'staging.*'")
	flags.BoolVar(&o.options.NoStatistics, "no-stats", false, "do not read row counts")
	flags.BoolVar(&o.options.Samples, "samples", false, "keep stored values of text columns, so that questions can name them; whoever asks may be shown them")
	flags.StringVar(&o.options.SamplesAs, "samples-as", "", "read the values as this Trino user, who sees only what everybody may see; needs --impersonate")
	flags.StringSliceVar(&o.options.Personal, "personal", nil, "further columns whose values are personal and never kept as samples")
	flags.BoolVar(&o.options.Full, "full", false, "look into all tables anew, also into those that are as they were")
	flags.DurationVar(&o.options.ProfileAge, "profile-age", 7*24*time.Hour, "after this time a table that is as it was is looked into again")
	flags.DurationVar(&o.options.Budget, "budget", 5*time.Minute, "time for each of partition columns, statistics and samples")
	return cmd
}

func runIngestTrino(ctx context.Context, f *Factory, o *ingestTrinoOptions, address string) error {
	if o.name == "" {
		return fault.Invalid("name", "SOURCE_NAME_MISSING", "give the source a name: --name wh")
	}
	if o.name == demo.Name {
		return fault.Invalid("name", "SOURCE_NAME_TAKEN", "%q is the name of the demo warehouse: give another --name", demo.Name)
	}
	if o.options.SamplesAs != "" && !(o.options.Samples && o.trino.impersonate) {
		return badUsage("--samples-as needs --samples and --impersonate")
	}
	if o.options.Samples && o.trino.impersonate && o.options.SamplesAs == "" {
		// Statements run as whoever asks, and values read as the product's own user
		// would be shown to those whom the server denies the table.
		return badUsage("--samples with --impersonate needs --samples-as: a Trino user who sees only what everybody may see")
	}
	connection, err := o.trino.connection(address)
	if err != nil {
		return err
	}
	if o.options.SamplesAs != "" && o.options.SamplesAs == connection.User {
		return badUsage("--samples-as names %s, the service's own user, who may see more than those who ask: name another Trino user", connection.User)
	}
	if o.options.Regions, err = regionPlaces("--region", o.regions); err != nil {
		return err
	}
	if err := o.dbt.read(ctx); err != nil {
		return err
	}
	o.options.Described = o.dbt.described
	store, err := openStore(f)
	if err != nil {
		return err
	}
	bar := newBar(f)
	o.options.Progress, o.options.Clock = bar.step, f.Clock
	report, err := ingesttrino.Ingest(ctx, store, o.name, connection, o.options)
	bar.end()
	report.Problems = append(report.Problems, o.dbt.problems...)
	if err != nil {
		printProblemsOf(f, report)
		return err
	}
	printSums(f, report)
	printChanges(f, report)
	if !o.options.Samples {
		f.sayAside(f.style().Dim, "No stored values were read: questions that name one, such as a city, work less well. --samples reads them.")
	}
	if err := o.dbt.draft(f, o.name); err != nil {
		return err
	}
	return f.tellMade(o.name, plural(len(report.Tables), "table", "tables"))
}

// printSums prints a report with its tables summed up by schema.
func printSums(f *Factory, report ingest.Report) {
	type sum struct {
		tables, known int
		rows          int64
	}
	sums := make(map[string]*sum)
	var order []string
	for _, t := range report.Tables {
		key := t.Name.Region + "." + t.Name.Schema
		if sums[key] == nil {
			sums[key] = &sum{}
			order = append(order, key)
		}
		s := sums[key]
		if s.tables++; t.Rows >= 0 {
			s.known++
			s.rows += t.Rows
		}
	}
	slices.Sort(order)
	rows := make([][]string, 0, len(order))
	for _, key := range order {
		s := sums[key]
		count := fmt.Sprint(s.rows)
		if s.known < s.tables {
			count = fmt.Sprintf("%d in %d", s.rows, s.known)
		}
		if s.known == 0 {
			count = "not known"
		}
		rows = append(rows, []string{key, fmt.Sprint(s.tables), count})
	}
	printReportTable(f, []string{"schema", "tables", "rows"}, rows)
	printProblemsOf(f, report)
}
