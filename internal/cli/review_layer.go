package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/repair"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

// maxLayerEntryBytes bounds an entry.
const maxLayerEntryBytes = 256 << 10

func newReviewLayerCommand(f *Factory) *cobra.Command {
	var keep bool
	var source string
	cmd := exampleCommand(f, "layer ID FILE", "An entry of the semantic layer, of an entry (- for none): FILE is in the layer's form", cobra.ExactArgs(2), &source,
		func(cmd *cobra.Command, s *services, args []string) error {
			id, err := reviewID(f, source, args[0])
			if err != nil {
				return err
			}
			diff, err := addToLayer(f, source, args[1], keep)
			if err != nil {
				return err
			}
			printDiff(f.IO.Out, diff)
			if !keep {
				fmt.Fprintln(f.IO.Out, "not kept: give --keep to keep it")
				return nil
			}
			if id > 0 {
				if _, err := s.FindData.ResolveReview(cmd.Context(), &findatav1.ResolveReviewRequest{Source: source, Id: id,
					Resolution: &findatav1.ResolveReviewRequest_Elsewhere{Elsewhere: "semantic layer, " + filepath.Base(args[1])}}); err != nil {
					return err
				}
			}
			fmt.Fprintln(f.IO.Out, "kept")
			return nil
		})
	cmd.Flags().BoolVar(&keep, "keep", false, "keep it; without it, it is only shown")
	return cmd
}

// addToLayer adds a file to a copy of the layer that is in force, checks it, and with keep
// puts it in force. It returns the change of the file.
func addToLayer(f *Factory, name, file string, keep bool) (diff string, err error) {
	cfg, err := f.Config()
	if err != nil {
		return "", err
	}
	if name == "" {
		name = cfg.Source
	}
	info, err := os.Stat(file)
	if err == nil && info.Size() > maxLayerEntryBytes {
		return "", fault.Invalid("FILE", "FILE_TOO_LARGE", "%s has more than %d bytes", file, maxLayerEntryBytes)
	}
	if err != nil {
		return "", fault.Invalid("FILE", "FILE_UNREADABLE", "The file cannot be read: %v.", err)
	}
	entry, err := os.ReadFile(file)
	if err != nil {
		return "", fault.Invalid("FILE", "FILE_UNREADABLE", "The file cannot be read: %v.", err)
	}
	g, snapshot, err := snapshotOf(f, name)
	if err != nil {
		return "", err
	}
	own := semantic.OwnDir(cfg.DataDir, name)
	from := own
	if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
		from = g.SemanticDir()
	}
	next := own + ".reviewed"
	if err := os.RemoveAll(next); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(next)) }()
	if err := os.MkdirAll(next, 0o700); err != nil {
		return "", err
	}
	if _, statErr := os.Stat(from); statErr == nil {
		if err := os.CopyFS(next, os.DirFS(from)); err != nil {
			return "", err
		}
	}
	to := filepath.Join(next, "reviewed-"+strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".yaml")
	before, err := os.ReadFile(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.WriteFile(to, entry, 0o600); err != nil {
		return "", err
	}
	if layer, problems := semantic.Check(next, snapshot.Tables); layer == nil {
		return "", fault.Invalid("FILE", "SEMANTIC_LAYER_INVALID", "with %s the semantic layer has mistakes, and it is not put in force:\n%v", file, problems.Errors())
	}
	diff = repair.Diff(string(before), string(entry))
	if !keep {
		return diff, nil
	}
	if from == own { // one file more: the layer is read again when it changes
		return diff, os.Rename(to, filepath.Join(own, filepath.Base(to)))
	}
	return diff, os.Rename(next, own)
}
