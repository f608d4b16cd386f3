package demo

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// builder writes one warehouse. The figures are drawn into the schema work of an
// in-memory database; the tables are copied from there into the attached files.
type builder struct {
	conn     *sql.Conn
	dir      string
	cfg      Config
	plan     *blueprint
	progress Progress
}

func makeIn(ctx context.Context, dir string, cfg Config, progress Progress) (_ source.Manifest, _ *catalog.Snapshot, err error) {
	fail := func(err error) (source.Manifest, *catalog.Snapshot, error) { return source.Manifest{}, nil, err }
	cfg, err = cfg.Complete()
	if err != nil {
		return fail(err)
	}
	plan, err := loadBlueprint()
	if err != nil {
		return fail(err)
	}
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return fail(fmt.Errorf("open DuckDB to make the demo: %w", err))
	}
	db := sql.OpenDB(connector) // closes the connector too
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx) // variables belong to a connection: one for all
	if err != nil {
		return fail(fmt.Errorf("open DuckDB to make the demo: %w", err))
	}
	defer func() { err = errors.Join(err, conn.Close()) }()

	b := &builder{conn: conn, dir: dir, cfg: cfg, plan: plan, progress: progress}
	snapshot, err := b.run(ctx)
	if err != nil {
		return fail(err)
	}
	return b.manifest(), snapshot, nil
}

// run draws the figures, copies the tables and describes them.
func (b *builder) run(ctx context.Context) (*catalog.Snapshot, error) {
	scripts, err := fs.Glob(files, "sql/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the demo's SQL: %w", err)
	}
	tables := b.plan.tables()
	total, done := len(scripts)+len(tables)+1, 0
	step := func(what string) { b.progress(done, total, what); done++ }

	if err := b.prepare(ctx); err != nil {
		return nil, err
	}
	for _, script := range scripts {
		step(strings.TrimSuffix(filepath.Base(script), ".sql"))
		text, err := files.ReadFile(script)
		if err != nil {
			return nil, fmt.Errorf("read the demo's %s: %w", script, err)
		}
		if err := b.exec(ctx, string(text)); err != nil {
			return nil, fmt.Errorf("run the demo's %s: %w", script, err)
		}
	}
	snapshot := b.plan.snapshot()
	schemas := map[string]bool{}
	for _, t := range tables {
		step(t.name.String())
		if schema := printer.Quote(t.name.Region) + "." + printer.Quote(t.name.Schema); !schemas[schema] {
			schemas[schema] = true
			if err := b.exec(ctx, "CREATE SCHEMA "+schema); err != nil {
				return nil, fmt.Errorf("make schema %s of the demo: %w", schema, err)
			}
		}
		if err := b.exec(ctx, "CREATE TABLE "+qualified(t.name)+" AS "+t.query()); err != nil {
			return nil, fmt.Errorf("make table %s of the demo: %w", t.name, err)
		}
		described, err := b.describe(ctx, t, tables)
		if err != nil {
			return nil, fmt.Errorf("describe table %s of the demo: %w", t.name, err)
		}
		snapshot.Tables = append(snapshot.Tables, described)
	}
	step("semantic layer")
	if err := b.detach(ctx); err != nil {
		return nil, err
	}
	if err := writeSemantic(filepath.Join(b.dir, "semantic")); err != nil {
		return nil, err
	}
	b.progress(total, total, "done")
	return snapshot, nil
}

// prepare bounds the engine, attaches the files, and hands the plan to the SQL.
func (b *builder) prepare(ctx context.Context) error {
	statements := []string{
		fmt.Sprintf("SET memory_limit = '%dMB'", b.cfg.MemoryLimitMB),
		fmt.Sprintf("SET threads = %d", b.cfg.Threads),
		"SET temp_directory = " + printer.String(filepath.Join(b.dir, "tmp")),
		"SET TimeZone = 'UTC'",
		"CREATE SCHEMA work",
		"SET VARIABLE yesterday = DATE " + printer.String(b.cfg.day().AddDate(0, 0, -1).Format("2006-01-02")),
		fmt.Sprintf("SET VARIABLE scale = %g::DOUBLE", b.cfg.Scale),
	}
	for _, region := range b.plan.regions() {
		statements = append(statements, "ATTACH "+printer.String(filepath.Join(b.dir, databaseFile(region)))+" AS "+printer.Quote(region))
	}
	for _, f := range b.plan.facts {
		for name, value := range f.Params {
			statements = append(statements, fmt.Sprintf("SET VARIABLE %s_%s = %g", f.ID, name, value))
		}
	}
	for _, s := range statements {
		if err := b.exec(ctx, s); err != nil {
			return fmt.Errorf("prepare DuckDB for the demo: %w", err)
		}
	}
	return b.loadPlan(ctx)
}

// loadPlan makes work.country and work.category.
func (b *builder) loadPlan(ctx context.Context) error {
	type row = map[string]any
	countries := make([]row, len(b.plan.countries))
	for i, c := range b.plan.countries {
		countries[i] = row{
			"country_no": i, "country": c.Code, "country_name": c.Name, "country_name_zh": c.NameZH, "idc_region": c.IDCRegion,
			"currency": c.Currency, "fx": c.FX, "decimals": c.Decimals, "orders": c.Orders, "price": c.Price, "shops": c.Shops,
			"sla_days": c.SLADays, "ios": c.IOS, "visits": c.Visits, "cancel": c.Cancel, "payments": c.Payments, "hubs": c.Hubs, "hub_n": len(c.Hubs),
		}
	}
	categories := make([]row, len(b.plan.categories))
	for i, c := range b.plan.categories {
		categories[i] = row{"category_no": i, "level1_category": c.Name, "level1_category_zh": c.NameZH, "category_group": c.Group, "price": c.Price, "sub": c.Sub}
	}
	for _, t := range []struct {
		name, shape string
		rows        []row
	}{
		{"country", `[{"country_no":"INTEGER","country":"VARCHAR","country_name":"VARCHAR","country_name_zh":"VARCHAR","idc_region":"VARCHAR","currency":"VARCHAR","fx":"DOUBLE","decimals":"INTEGER","orders":"DOUBLE","price":"DOUBLE","shops":"INTEGER","sla_days":"INTEGER","ios":"DOUBLE","visits":"DOUBLE","cancel":"DOUBLE","payments":["VARCHAR"],"hubs":["VARCHAR"],"hub_n":"INTEGER"}]`, countries},
		{"category", `[{"category_no":"INTEGER","level1_category":"VARCHAR","level1_category_zh":"VARCHAR","category_group":"VARCHAR","price":"DOUBLE","sub":["VARCHAR"]}]`, categories},
	} {
		text, err := json.Marshal(t.rows)
		if err != nil {
			return fmt.Errorf("hand the demo's %s list to DuckDB: %w", t.name, err)
		}
		err = b.exec(ctx, "CREATE TABLE work."+t.name+" AS SELECT unnest(from_json("+printer.String(string(text))+", "+printer.String(t.shape)+"), recursive := false, max_depth := 2)")
		if err != nil {
			return fmt.Errorf("hand the demo's %s list to DuckDB: %w", t.name, err)
		}
	}
	return nil
}

// detach writes the files out, so that no write-ahead log stays beside them.
func (b *builder) detach(ctx context.Context) error {
	for _, region := range b.plan.regions() {
		for _, s := range []string{"CHECKPOINT " + printer.Quote(region), "DETACH " + printer.Quote(region)} {
			if err := b.exec(ctx, s); err != nil {
				return fmt.Errorf("finish the demo's database %s: %w", region, err)
			}
		}
	}
	return os.RemoveAll(filepath.Join(b.dir, "tmp"))
}

func (b *builder) manifest() source.Manifest {
	databases := map[string]string{}
	for _, region := range b.plan.regions() {
		databases[region] = databaseFile(region)
	}
	first := b.plan.marts[0]
	for _, m := range b.plan.marts {
		if m.Mart.Fallback {
			first = m
		}
	}
	schema, _, _ := strings.Cut(first.Families[0].Manifest, ".")
	return source.Manifest{
		Name: Name, Engine: source.EngineDuckDB, Databases: databases,
		DefaultRegion: b.plan.regions()[0], DefaultSchema: schema,
		Day: b.cfg.day().Format("2006-01-02"), Version: b.cfg.version(), Origin: "demo",
	}
}

func (b *builder) exec(ctx context.Context, text string) error {
	_, err := b.conn.ExecContext(ctx, text)
	return err
}

func databaseFile(region string) string { return region + ".duckdb" }

func qualified(n catalog.Name) string {
	return printer.Quote(n.Region) + "." + printer.Quote(n.Schema) + "." + printer.Quote(n.Table)
}
