package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// contractVersion is the version of the protos that this program serves.
const contractVersion = "v1"

// Build says what was built.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Contract string `json:"contract"`
}

// ReadBuild reads what the Go tool chain noted in the binary.
func ReadBuild() Build {
	b := Build{
		Version: "devel", Commit: "unknown", Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Contract: contractVersion,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func newVersionCommand(f *Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this program was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return json.NewEncoder(f.IO.Out).Encode(f.Build)
			}
			commit := f.Build.Commit
			if f.Build.Modified {
				commit += " (modified)"
			}
			_, err := fmt.Fprintf(f.IO.Out, "dibrain  %s\ncommit   %s\ngo       %s\nplatform %s\ncontract %s\n",
				f.Build.Version, commit, f.Build.Go, f.Build.Platform, f.Build.Contract)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
