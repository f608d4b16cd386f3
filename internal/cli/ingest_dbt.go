package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/dbt"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/semantic/foreign"
)

// dbtDraft is the file of a draft with the metrics of a dbt project.
const dbtDraft = "dbt.yaml"

// dbtFlag joins a dbt project to tables whose data are there.
type dbtFlag struct {
	path      string
	described []catalog.Table
	problems  []ingest.Problem
}

func (d *dbtFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&d.path, "dbt", "", "folder target of a dbt project, or its manifest.json: descriptions, keys and values of the tables; its metrics become a draft")
}

// read reads the project, if one was named.
func (d *dbtFlag) read(ctx context.Context) (err error) {
	if d.path == "" {
		return nil
	}
	d.described, d.problems, err = dbt.Tables(ctx, d.path, ingest.Options{})
	return err
}

// draft writes the metrics of the project as a draft of the source's layer.
func (d *dbtFlag) draft(f *Factory, source string) error {
	file := dbt.SemanticManifest(d.path)
	if d.path == "" || file == "" {
		return nil
	}
	text, err := readForeign(f, file)
	if err != nil {
		return err
	}
	layer, skipped, err := foreign.DBT(text)
	if err != nil { // a project need not have metrics, and the tables are there
		_, err := fmt.Fprintf(f.IO.Err, "no metrics are taken from %s: %v\n", file, err)
		return err
	}
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	_, snapshot, err := snapshotOf(f, source)
	if err != nil {
		return err
	}
	skipped = append(skipped, d.rename(layer, snapshot)...)
	for i, s := range skipped {
		if i == maxProblemsShown {
			fmt.Fprintf(f.IO.Err, "… %d more\n", len(skipped)-i)
			break
		}
		fmt.Fprintf(f.IO.Err, "left out: %s: %s\n", s.What, s.Why)
	}
	dir := semantic.DraftDir(cfg.DataDir, source)
	if at := filepath.Join(dir, dbtDraft); isThere(at) {
		_, err := fmt.Fprintf(f.IO.Out, "%s is there already: the metrics of the dbt project are not written again; remove it to have them anew\n", at)
		return err
	}
	written, err := writeMarts(dir, dbtDraft, "# Metrics of a dbt project.\n", layer)
	if err != nil {
		return err
	}
	if len(written) == 0 {
		return nil
	}
	_, problems := semantic.Check(dir, snapshot.Tables)
	_, err = fmt.Fprintf(f.IO.Out, "%s\n%s of the dbt project, %s; they are not in force: read them, then\n  %s\n",
		strings.Join(written, "\n"), sizeOf(layer), plural(len(problems.Errors()), "mistake", "mistakes"), f.command("semantic apply", source))
	return err
}

// rename gives the definitions of a layer the tables of the source, and leaves out
// those of tables that it does not have.
func (d *dbtFlag) rename(layer *semantic.Layer, snapshot *catalog.Snapshot) []foreign.Skipped {
	tables := make([]*catalog.Table, len(snapshot.Tables))
	for i := range snapshot.Tables {
		tables[i] = &snapshot.Tables[i]
	}
	joined := ingest.Join(tables, d.described)
	var skipped []foreign.Skipped
	there := func(what string, name *string) bool {
		if *name == "" {
			return true // made of others
		}
		schema, table, both := strings.Cut(*name, ".")
		if !both {
			schema, table = "", *name
		}
		t, ok := joined.Table(catalog.Name{Schema: schema, Table: table})
		if !ok {
			skipped = append(skipped, foreign.Skipped{What: what, Why: "the source has no table " + *name})
			return false
		}
		*name = catalog.Name{Schema: t.Name.Schema, Table: t.Name.Table}.String()
		return true
	}
	layer.Metrics = kept(layer.Metrics, func(m *semantic.Metric) bool {
		return there("metric "+m.ID, &m.Table) && there("metric "+m.ID, &m.TimeTable)
	})
	layer.Dimensions = kept(layer.Dimensions, func(x *semantic.Dimension) bool {
		return there("dimension "+x.ID, &x.Table) && there("dimension "+x.ID, &x.Via)
	})
	layer.Dates = kept(layer.Dates, func(x *semantic.DateColumn) bool { return there("date "+x.ID, &x.Table) })
	layer.Entities = kept(layer.Entities, func(e *semantic.Entity) bool { return there("entity "+e.ID, &e.Table) })
	layer.Joins = kept(layer.Joins, func(j *semantic.Join) bool { return there("join "+j.From, &j.From) && there("join "+j.From, &j.To) })
	return append(skipped, foreign.Settle(layer)...)
}

// kept are the items that keep reports; it may change them.
func kept[T any](items []T, keep func(*T) bool) []T {
	var out []T
	for i := range items {
		if keep(&items[i]) {
			out = append(out, items[i])
		}
	}
	return out
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
