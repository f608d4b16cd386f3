package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"
)

type semanticInitOptions struct {
	layerFlags
	mart      string
	maxTables int
}

func newSemanticInitCommand(f *Factory) *cobra.Command {
	o := &semanticInitOptions{}
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Draft a layer from a source's tables and their query history",
		Long: `Draft a semantic layer from a source: metrics from the numbers that queries read,
dimensions, entities and joins, a folder a mart. Without a FOLDER the draft goes
to DATA_DIR/drafts/SOURCE, where nothing reads it until "dibrain semantic apply".
Nothing that is there is overwritten. Read and correct it: what a number means is in
nobody's catalog.

Columns with data of persons, numbers that say yes or no and what is no number,
text or day are left out; rates and prices are averaged, never summed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runSemanticInit(f, o, args) },
	}
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.mart, "mart", "", "draft the tables of this mart only")
	cmd.Flags().IntVar(&o.maxTables, "max-tables", 0, "most tables, the most used first (default 50)")
	return cmd
}

func runSemanticInit(f *Factory, o *semanticInitOptions, args []string) error {
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	name := o.source
	if name == "" {
		name = cfg.Source
	}
	if o.maxTables < 0 {
		return badUsage("--max-tables %d: it cannot be negative", o.maxTables)
	}
	_, snapshot, err := snapshotOf(f, name)
	if err != nil {
		return err
	}
	dir := semantic.DraftDir(cfg.DataDir, name)
	if len(args) > 0 {
		dir = args[0]
	}
	layer := semantic.Draft(snapshot.Tables, semantic.DraftOptions{Mart: o.mart, MaxTables: o.maxTables})
	if len(layer.Metrics)+len(layer.Dimensions) == 0 {
		if left := semantic.NotDrafted(snapshot.Tables); len(left.Quoted)+len(left.Unclear) > 0 {
			return fault.NotFound("NOTHING_TO_DRAFT", "nothing of source %q can be drafted: metrics of columns whose names have to be quoted, or of which nothing tells whether they add up (%s), are written by hand", name, listed(slices.Concat(left.Quoted, left.Unclear)))
		}
		return fault.NotFound("NOTHING_TO_DRAFT", "source %q has no table to draft a layer from", name)
	}
	written, err := writeMarts(dir, "draft.yaml", draftHead, layer)
	if err != nil {
		return err
	}
	_, problems := semantic.Check(dir, snapshot.Tables)
	tellLeft(f, semantic.NotDrafted(snapshot.Tables))
	_, err = fmt.Fprintf(f.IO.Out, "%s\n%s drafted, %s; it is not in force: read it, then\n  %s\n  %s\n",
		strings.Join(written, "\n"), sizeOf(layer), plural(len(problems.Errors()), "mistake", "mistakes"), f.command("semantic check", name, shellWord(dir)), f.command("semantic apply", name, shellWord(dir)))
	return err
}

// tellLeft names the numbers that a draft has no metric of, and why.
func tellLeft(f *Factory, left semantic.Left) {
	for _, part := range []struct {
		columns       []string
		one, many, do string
	}{
		{left.Quoted, "its name has to be quoted", "their names have to be quoted", `Write the metrics that you need by hand, as SUM("name")`},
		{left.Unclear, "nothing tells whether it adds up", "nothing tells whether they add up", "Write the metrics that you need by hand, as SUM(name) or AVG(name); until then they are read off the tables"},
	} {
		if n := len(part.columns); n > 0 {
			because := part.many
			if n == 1 {
				because = part.one
			}
			f.sayAside(nil, fmt.Sprintf("%s no metric, because %s: %s. %s.", plural(n, "number has", "numbers have"), because, listed(part.columns), part.do))
		}
	}
}

// sizeOf counts what a layer has.
func sizeOf(l *semantic.Layer) string {
	sizes := []string{
		plural(len(l.Metrics), "metric", "metrics"), plural(len(l.Dimensions), "dimension", "dimensions"),
		plural(len(l.Entities), "entity", "entities"), plural(len(l.Joins), "join", "joins"),
	}
	if len(l.Dates) > 0 {
		sizes = append(sizes, plural(len(l.Dates), "date", "dates"))
	}
	return strings.Join(sizes, ", ")
}

// maxNamesListed bounds the names that a line lists.
const maxNamesListed = 8

// listed names the first few, and how many more there are.
func listed(names []string) string {
	if more := len(names) - maxNamesListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamesListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

const draftHead = "# A draft made from the catalog. Read it: correct what the numbers mean, name them\n# as people do, remove what nobody asks for.\n"

// writeMarts writes a layer as a folder a mart; what belongs to none goes into the
// folder itself. It returns the files, and overwrites none.
func writeMarts(dir, file, head string, layer *semantic.Layer) ([]string, error) {
	parts := layer.ByMart()
	marts := make([]string, 0, len(parts))
	for mart := range parts {
		marts = append(marts, mart)
	}
	slices.Sort(marts)
	paths := make([]string, len(marts))
	for i, mart := range marts {
		paths[i] = filepath.Join(dir, folderOf(mart), file)
		if _, err := os.Lstat(paths[i]); err == nil {
			return nil, fault.Invalid("folder", "FILE_EXISTS", "%s is there already: name another folder, or remove it", paths[i])
		}
	}
	for i, mart := range marts {
		var b bytes.Buffer
		b.WriteString(head)
		if err := semantic.Write(&b, mart, parts[mart]); err != nil {
			return nil, err
		}
		if err := createFile(paths[i], b.Bytes()); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

func createFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("write the layer: %w", err)
	}
	if err := os.WriteFile(path, text, fs.FileMode(0o644)); err != nil { //nolint:gosec // people share layers
		return fmt.Errorf("write the layer: %w", err)
	}
	return nil
}

var notInFolders = regexp.MustCompile(`[^\pL\pN]+`)

// folderOf is the folder of a mart, named after it.
func folderOf(mart string) string {
	return strings.Trim(notInFolders.ReplaceAllString(strings.ToLower(mart), "_"), "_")
}
