package cli

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// gitDeadline bounds reading a revision.
const gitDeadline = 30 * time.Second

func newSemanticDiffCommand(f *Factory) *cobra.Command {
	var asJSON, exitCode bool
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what changed in meaning between two layers",
		Long: `Say what changed in meaning between two layers: metrics that came or went, other
expressions, filters, names. How files are laid out and how expressions are
written does not matter. A layer is a folder, or REVISION:FOLDER of the git
repository that one is in:

  dibrain semantic diff main:layers/orders layers/orders`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := layerAt(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			after, err := layerAt(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			changes, err := semantic.Diff(before, after)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeOwnJSON(f.IO.Out, map[string]any{"changes": append([]semantic.Change{}, changes...)})
			} else {
				err = printMeanings(f, changes)
			}
			if err == nil && exitCode && len(changes) > 0 {
				return exitWith(exitFailure)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the changes as JSON")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 1 when there are changes")
	return cmd
}

func printMeanings(f *Factory, changes []semantic.Change) error {
	if len(changes) == 0 {
		_, err := fmt.Fprintln(f.IO.Err, "nothing changed in meaning")
		return err
	}
	for _, c := range changes {
		note := ""
		if c.Numbers {
			note = "   (answers change)"
		}
		line := fmt.Sprintf("%s %s %s", c.Kind, strings.TrimSuffix(c.Section, "s"), c.ID)
		if c.Kind == semantic.Changed {
			line += ", " + c.Field
		}
		if _, err := fmt.Fprintln(f.IO.Out, line+note); err != nil {
			return err
		}
		for _, side := range []struct{ sign, text string }{{"-", c.Old}, {"+", c.New}} {
			if side.text == "" {
				continue
			}
			if _, err := fmt.Fprintf(f.IO.Out, "  %s %s\n", side.sign, side.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// layerAt reads the layer of a folder, or of REVISION:FOLDER.
func layerAt(ctx context.Context, where string) (*semantic.Layer, error) {
	if _, err := os.Stat(where); err == nil {
		if err := isFolder(where); err != nil {
			return nil, err
		}
		return loadLayer(where)
	}
	revision, folder, ok := strings.Cut(where, ":")
	if !ok || revision == "" || folder == "" || strings.HasPrefix(revision, "-") {
		return nil, badUsage("%s is neither a folder nor REVISION:FOLDER", where)
	}
	dir, err := os.MkdirTemp("", "dibrain-semantic-")
	if err != nil {
		return nil, fmt.Errorf("read revision %s: %w", revision, err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // a leftover in the temporary folder does no harm
	if err := checkout(ctx, revision, folder, dir); err != nil {
		return nil, err
	}
	layer, err := loadLayer(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return layer, nil
}

// checkout writes the files of a folder at a revision into dir. The folder is as
// seen from the working directory.
func checkout(ctx context.Context, revision, folder, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, gitDeadline)
	defer cancel()
	folder = filepath.Clean(folder)
	place, err := git(ctx, filepath.Dir(folder), "rev-parse", "--show-toplevel", "--show-prefix") // the folder itself may be gone today
	if err != nil {
		return fault.Invalid("revision", "REVISION_UNREADABLE", "git cannot read %s at %s: %v", folder, revision, err)
	}
	top, prefix, _ := strings.Cut(place.String(), "\n")
	tree := revision + ":" + path.Join(strings.TrimSpace(prefix), filepath.Base(folder))
	archive, err := git(ctx, top, "archive", "--format=tar", tree)
	if err != nil {
		return fault.Invalid("revision", "REVISION_UNREADABLE", "git cannot read %s at %s: %v", folder, revision, err)
	}
	return untar(archive, dir)
}

// git runs a command of git that only reads; the error is git's own.
func git(ctx context.Context, dir string, args ...string) (*bytes.Buffer, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...) //nolint:gosec // no shell, and a revision is no flag
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, errors.New(cmp.Or(strings.TrimSpace(complaint.String()), err.Error()))
	}
	return &out, nil
}

// untar writes regular files, as many and as big as a layer may have.
func untar(from io.Reader, dir string) error {
	archive := tar.NewReader(from)
	for files := 0; ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the revision: %w", err)
		}
		name := path.Clean(h.Name)
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(name) || !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
			continue
		}
		if files++; files > semantic.MaxFiles {
			return fault.Invalid("revision", "SEMANTIC_LAYER_INVALID", "the folder has more than %d files", semantic.MaxFiles)
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return fmt.Errorf("read the revision: %w", err)
		}
		text, err := io.ReadAll(io.LimitReader(archive, semantic.MaxFileBytes+1))
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("read the revision: %w", err)
		}
	}
}
