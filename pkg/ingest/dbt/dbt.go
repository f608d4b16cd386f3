// Package dbt makes a source of the models, seeds, snapshots and sources of a dbt
// project, as its manifest.json describes them, with the types and row counts of a
// catalog.json that lies beside it. There are no data: tables can be found, and
// SQL can be written for them.
//
// Tests become what they say: unique and not_null keys, relationships foreign
// keys, accepted_values sample values. Tags are kept; of meta these keys are read,
// of the model before those of its config: owner, mart, topic, layer, country,
// grain, manifest, quality, successor.
package dbt

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// Origin of manifests.
const Origin = "dbt"

// Versions of the manifest's form that are known to be read rightly: those of dbt
// 1.6 to 1.10.
const (
	oldestForm = 10
	newestForm = 12
)

// maxManifest bounds the manifest unpacked.
const maxManifest = 2 << 30

// progressEvery is after how many tables progress is told.
const progressEvery = 500

// Ingest makes the source name from a manifest.json, or from a folder that holds
// one, such as a project's target. Errors: those of ingest.CheckInput,
// INPUT_UNREADABLE, DBT_MANIFEST_INVALID, INGEST_NOTHING.
func Ingest(ctx context.Context, store *source.Store, name, path string, options ingest.Options) (ingest.Report, error) {
	return ingest.Describe(ctx, store, name, Origin, options, fill(path))
}

// Tables returns what a project says of its tables, for ingest.Options.Described. path
// and errors are those of Ingest.
func Tables(ctx context.Context, path string, options ingest.Options) ([]catalog.Table, []ingest.Problem, error) {
	return ingest.Gather(ctx, options, fill(path))
}

func fill(path string) func(context.Context, *ingest.Describer) error {
	return func(ctx context.Context, d *ingest.Describer) error {
		path, err := find(path, d.Options())
		if err != nil {
			return err
		}
		var m manifest
		if err := read(path, &m); err != nil {
			return fault.Invalid("path", "DBT_MANIFEST_INVALID", "%s is no manifest of dbt: %v", path, err)
		}
		if err := checkForm(d, path, m.Metadata.Form); err != nil {
			return err
		}
		return take(ctx, d, path, newProject(&m, docsBeside(d, path)))
	}
}

// SemanticManifest returns the file with a project's metrics, which dbt writes beside
// the manifest; "" where there is none. path is as for Ingest.
func SemanticManifest(path string) string {
	manifest, err := find(path, ingest.Options{MaxFileBytes: maxManifest})
	if err != nil {
		return ""
	}
	file := filepath.Join(filepath.Dir(manifest), "semantic_manifest.json")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// find returns the manifest's file.
func find(path string, o ingest.Options) (string, error) {
	info, err := ingest.CheckInput(path, min(o.MaxFileBytes, maxManifest))
	if err != nil || !info.IsDir() {
		return path, err
	}
	for _, file := range []string{"manifest.json", "manifest.json.gz", filepath.Join("target", "manifest.json")} {
		file = filepath.Join(path, file)
		if _, err := os.Stat(file); err == nil {
			_, err := ingest.CheckInput(file, min(o.MaxFileBytes, maxManifest))
			return file, err
		}
	}
	return "", fault.Invalid("path", "INPUT_MISSING", "there is no manifest.json in %s: run `dbt parse` or `dbt docs generate`, and give its target folder", path)
}

// read reads a file of JSON, perhaps packed with gzip.
func read(path string, into any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	in := bufio.NewReaderSize(f, 1<<16)
	var plain io.Reader = in
	if head, err := in.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		if plain, err = gzip.NewReader(in); err != nil {
			return err
		}
	}
	return json.NewDecoder(io.LimitReader(plain, maxManifest)).Decode(into)
}

var formVersion = regexp.MustCompile(`/manifest/v(\d+)\.json$`)

// checkForm refuses what is no manifest, and notes a form that is not known.
func checkForm(d *ingest.Describer, path, form string) error {
	match := formVersion.FindStringSubmatch(form)
	if match == nil {
		return fault.Invalid("path", "DBT_MANIFEST_INVALID", "%s is no manifest of dbt: its metadata name no dbt_schema_version", path)
	}
	if v, err := strconv.Atoi(match[1]); err != nil || v < oldestForm || v > newestForm {
		d.Problem(ingest.Problem{Kind: ingest.KindNote, File: path,
			Message: fmt.Sprintf("the manifest is of version %s; %d to %d are known, so something may be missing", match[1], oldestForm, newestForm)})
	}
	return nil
}

// docsBeside reads the catalog.json beside the manifest, where there is one. One that
// cannot be read, or is too large, is told and left out.
func docsBeside(d *ingest.Describer, path string) docs {
	file := filepath.Join(filepath.Dir(path), "catalog.json")
	var found docs
	_, err := ingest.CheckInput(file, min(d.Options().MaxFileBytes, maxManifest))
	if fault.ReasonOf(err) == "INPUT_MISSING" {
		return docs{}
	}
	if err == nil {
		err = read(file, &found)
	}
	if err != nil {
		d.Problem(ingest.Problem{Kind: ingest.KindNote, File: file, Message: "this cannot be read, so types and row counts may be missing: " + err.Error()})
		return docs{}
	}
	return found
}

// take hands the tables to the describer in the order of their names.
func take(ctx context.Context, d *ingest.Describer, path string, p *project) error {
	o := d.Options()
	for i, id := range slices.Sorted(maps.Keys(p.tables)) {
		if i%progressEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			o.Progress(i, len(p.tables), id)
		}
		d.Add(p.table(id), ingest.Problem{File: path})
	}
	o.Progress(len(p.tables), len(p.tables), "")
	return nil
}
