package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/demo/load"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

type demoLoadOptions struct {
	name         string
	trino        trinoFlags
	catalogs     []string
	schemaPrefix string
}

func newDemoCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{Use: "demo", Short: "The demo warehouse on a server of your own"}
	cmd.AddCommand(newDemoLoadCommand(f))
	return cmd
}

func newDemoLoadCommand(f *Factory) *cobra.Command {
	o := &demoLoadOptions{}
	cmd := &cobra.Command{
		Use:   "load URL --catalog CATALOG",
		Short: "Copy the demo warehouse into a Trino catalog and make a source of it",
		Long: `Copy the demo warehouse of today into a Trino server, so that the same questions
run there. The demo has two data centres, sg and useast. In one catalog their
schemas get the prefixes sg_ and useast_; in two catalogs they have the same names.
SQL is the same in any case: sg.mp_order.dws_order_gmv_1d__sg_s0_live.

Tables that an earlier load made are replaced; when a table of somebody else's is
in the way, nothing is changed. Schemas are made where they are missing.`,
		Example: `  dibrain demo load http://127.0.0.1:8080 --catalog memory --user admin
  dibrain demo load https://trino.example.com:8443 --catalog sg=iceberg --catalog useast=hive \
      --user svc_agent --password-file /run/secrets/trino
  dibrain ask --source demo_trino "What was the daily GMV in Singapore over the past 30 days?"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runDemoLoad(cmd.Context(), f, o, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.name, "name", "demo_trino", "name of the source")
	flags.StringArrayVar(&o.catalogs, "catalog", nil, "catalog of both data centres, or of one as sg=CATALOG; may be repeated")
	flags.StringVar(&o.schemaPrefix, "schema-prefix", "", "begin the names of all schemas with this")
	o.trino.add(flags)
	return cmd
}

// places maps the demo's regions to catalogs.
func (o *demoLoadOptions) places(regions []string) (map[string]source.TrinoPlace, error) {
	if len(o.catalogs) == 1 && !strings.Contains(o.catalogs[0], "=") {
		places := make(map[string]source.TrinoPlace, len(regions))
		for _, region := range regions {
			places[region] = source.TrinoPlace{Catalog: o.catalogs[0], SchemaPrefix: o.schemaPrefix + region + "_"}
		}
		return places, nil
	}
	places, err := regionPlaces("--catalog", o.catalogs)
	if err != nil {
		return nil, err
	}
	if len(places) == 0 {
		return nil, badUsage("name the catalog to load into: --catalog iceberg")
	}
	taken := make(map[string]string, len(places))
	for region, p := range places {
		p.SchemaPrefix = o.schemaPrefix + p.SchemaPrefix
		key := p.Catalog + "." + p.SchemaPrefix
		if other, twice := taken[key]; twice {
			return nil, badUsage("--catalog: %s and %s would be in the same schemas: give --catalog %s once, or %s=%s.%s_", other, region, p.Catalog, region, p.Catalog, region)
		}
		taken[key], places[region] = region, p
	}
	return places, nil
}

func runDemoLoad(ctx context.Context, f *Factory, o *demoLoadOptions, address string) error {
	if o.name == demo.Name {
		return fault.Invalid("name", "SOURCE_NAME_TAKEN", "%q is the name of the embedded demo warehouse: give another --name", demo.Name)
	}
	if err := source.ValidateName(o.name); err != nil {
		return err
	}
	connection, err := o.trino.connection(address)
	if err != nil {
		return err
	}
	regions, err := demo.Regions()
	if err != nil {
		return err
	}
	if connection.Regions, err = o.places(regions); err != nil {
		return err
	}
	if err := connection.Check(); err != nil {
		return err
	}
	store, generation, err := localDemo(ctx, f)
	if err != nil {
		return err
	}
	begun := time.Now()
	bar := newBar(f)
	report, err := load.Load(ctx, store, o.name, generation, connection, load.Options{Progress: bar.step})
	bar.end()
	if err != nil {
		return err
	}
	return f.tellMade(o.name, fmt.Sprintf("%d tables, %d rows in %s", report.Tables, report.Rows, term.Duration(time.Since(begun))))
}

// localDemo makes the embedded demo of today where it is missing.
func localDemo(ctx context.Context, f *Factory) (*source.Store, *source.Generation, error) {
	cfg, err := f.Config()
	if err != nil {
		return nil, nil, err
	}
	local, err := f.InProcess(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	defer local.Close() //nolint:errcheck // nothing was served
	if err := ensureDemo(ctx, f, local); err != nil {
		return nil, nil, err
	}
	generation, err := local.Sources().Current(demo.Name)
	return local.Sources(), generation, err
}
