package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"
)

func newSemanticApplyCommand(f *Factory) *cobra.Command {
	var layer layerFlags
	var replace bool
	cmd := &cobra.Command{
		Use:   "apply [FOLDER]",
		Short: "Put a draft, or another folder, in force as the layer of a source",
		Long: `Put a semantic layer in force: the draft of "dibrain semantic init", or the FOLDER
given, becomes DATA_DIR/semantic/SOURCE, which the services read within two seconds.
It has to be without mistakes. A layer that is in force stays, unless --replace moves
it to DATA_DIR/semantic/SOURCE.before.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runSemanticApply(f, layer.source, replace, args) },
	}
	layer.add(cmd.Flags())
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the layer that is in force, and keep it beside the new one")
	return cmd
}

func runSemanticApply(f *Factory, name string, replace bool, args []string) error {
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	if name == "" {
		name = cfg.Source
	}
	_, snapshot, err := snapshotOf(f, name)
	if err != nil {
		return err
	}
	from := semantic.DraftDir(cfg.DataDir, name)
	if len(args) > 0 {
		from = args[0]
	}
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return fault.NotFound("DRAFT_NONE", "there is no draft in %s: make one with \"%s\"", from, f.command("semantic init", name))
	}
	if err := isFolder(from); err != nil {
		return err
	}
	layer, problems := semantic.Check(from, snapshot.Tables)
	if layer == nil {
		return fault.Invalid("layer", "SEMANTIC_LAYER_INVALID", "the semantic layer in %s has mistakes, and is not put in force:\n%v", from, problems.Errors())
	}
	to := semantic.OwnDir(cfg.DataDir, name)
	if err := putInForce(from, to, replace); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.IO.Out, "%s is in force: %s\n", to, sizeOf(layer))
	return err
}

// putInForce copies a folder beside its place and moves it there, so that nobody
// reads half of it.
func putInForce(from, to string, replace bool) error {
	before := to + ".before"
	if _, err := os.Lstat(to); err == nil {
		if !replace {
			return fault.Invalid("layer", "SEMANTIC_LAYER_EXISTS", "%s is in force: compare them with \"dibrain semantic diff %[1]s %s\", then use --replace", to, from)
		}
		if _, err := os.Lstat(before); err == nil {
			return fault.Invalid("layer", "SEMANTIC_LAYER_EXISTS", "%s is kept of an earlier --replace: remove it first", before)
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		return fmt.Errorf("put the layer in force: %w", err)
	}
	made, err := os.MkdirTemp(filepath.Dir(to), ".applying-*")
	if err != nil {
		return fmt.Errorf("put the layer in force: %w", err)
	}
	defer func() { _ = os.RemoveAll(made) }() // moved away where all went well
	fresh := filepath.Join(made, "layer")
	if err := os.CopyFS(fresh, os.DirFS(from)); err != nil {
		return fmt.Errorf("put the layer in force: %w", err)
	}
	if err := os.Rename(to, before); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put the layer in force: %w", err)
	}
	if err := os.Rename(fresh, to); err != nil {
		return fmt.Errorf("put the layer in force: %w", err)
	}
	return nil
}
