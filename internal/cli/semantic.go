package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
)

func newSemanticCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "semantic",
		Short: "Write, check and compare the semantic layer: what metrics and words mean",
		Long: `A semantic layer says which table and expression stand for "GMV" or "active users",
in YAML files that people keep and review. docs/semantic-layer.md tells how.`,
	}
	cmd.AddCommand(
		newSemanticInitCommand(f),
		newSemanticApplyCommand(f),
		newSemanticTestCommand(f),
		newSemanticCheckCommand(f),
		newSemanticShowCommand(f),
		newSemanticDiffCommand(f),
		newSemanticImportCommand(f),
		&cobra.Command{
			Use:   "schema",
			Short: "Print the JSON schema of a layer's files, for editors",
			Args:  cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := f.IO.Out.Write(semantic.Schema())
				return err
			},
		},
	)
	return cmd
}

// layerFlags say which layer is meant: a folder, or that of a source.
type layerFlags struct {
	source string
}

func (l *layerFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&l.source, "source", "", "source whose layer or tables are meant (default: config key source)")
}

// layerPlace is a layer's folder, and the catalog of its source.
type layerPlace struct {
	dir      string
	snapshot *catalog.Snapshot // nil: no source was named with the folder
}

// find returns the folder given, with the catalog of the source if one is named;
// without a folder that of the source, or of the default one.
func (l *layerFlags) find(f *Factory, args []string) (layerPlace, error) {
	if len(args) > 0 && l.source == "" {
		return layerPlace{dir: args[0]}, isFolder(args[0])
	}
	cfg, err := f.Config()
	if err != nil {
		return layerPlace{}, err
	}
	name := l.source
	if name == "" {
		name = cfg.Source
	}
	g, snapshot, err := snapshotOf(f, name)
	if err != nil {
		return layerPlace{}, err
	}
	if len(args) > 0 {
		return layerPlace{dir: args[0], snapshot: snapshot}, isFolder(args[0])
	}
	dir := semantic.DirOf(cfg.DataDir, name, g.SemanticDir())
	if dir == "" {
		return layerPlace{}, fault.NotFound("SEMANTIC_LAYER_NONE", "source %q has no semantic layer: draft one with \"%s\"", name, f.command("semantic init", name))
	}
	return layerPlace{dir: dir, snapshot: snapshot}, nil
}

func (p layerPlace) tables() []catalog.Table {
	if p.snapshot == nil {
		return nil
	}
	return p.snapshot.Tables
}

// snapshotOf reads the catalog of a source.
func snapshotOf(f *Factory, name string) (*source.Generation, *catalog.Snapshot, error) {
	store, err := openStore(f)
	if err != nil {
		return nil, nil, err
	}
	g, err := store.Current(name)
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := g.Snapshot()
	return g, snapshot, err
}

func isFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return unreadable(err)
	case !info.IsDir():
		return badUsage("%s is a file: name the folder of the layer", dir)
	}
	return nil
}

// loadLayer reads a layer that has to be right.
func loadLayer(dir string) (*semantic.Layer, error) {
	layer, err := semantic.Load(dir)
	var problems semantic.Problems
	if errors.As(err, &problems) {
		return nil, fault.Invalid("layer", "SEMANTIC_LAYER_INVALID", "the semantic layer in %s has mistakes:\n%v", dir, problems)
	}
	if err != nil {
		return nil, fmt.Errorf("read the semantic layer: %w", err)
	}
	return layer, nil
}
