package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
)

// checkResults asks for the place of the rows of results: the bucket, with the key that chat
// BI uses, or the folder, where a file is made and removed. Nothing else is changed there.
func checkResults(ctx context.Context, cfg *config.Config) []finding {
	const what = "results"
	if cfg.Results.Kind != config.ResultsS3 && cfg.Results.Directory == "" {
		return []finding{{good, what, "in the data directory, for one chatbi", ""}}
	}
	files, err := app.ResultFiles(*cfg, time.Now, nil)
	if err != nil {
		return []finding{{bad, what, fault.OperatorText(err), "mend results; see docs/operations.md"}}
	}
	ctx, cancel := context.WithTimeout(ctx, engineDeadline)
	defer cancel()
	start := time.Now()
	if err := files.Ready(ctx); err != nil {
		return []finding{{bad, what, fault.OperatorText(err), "answers come with their first page alone until it is there; see docs/operations.md"}}
	}
	if s3 := cfg.Results.S3; cfg.Results.Kind == config.ResultsS3 {
		below := ""
		if s3.Prefix != "" {
			below = ", below " + s3.Prefix
		}
		return []finding{{good, what, fmt.Sprintf("bucket %s at %s%s, lists in %d ms", s3.Bucket, s3.Endpoint, below, time.Since(start).Milliseconds()), ""}}
	}
	return []finding{checkResultFolder(what, cfg.Results)}
}

// checkResultFolder says whether rows can be written to a folder. One that is not shared is
// made by the first result.
func checkResultFolder(what string, r config.Results) finding {
	kind := "folder "
	if r.Shared {
		kind = "shared folder "
	}
	probe, err := os.CreateTemp(r.Directory, ".doctor-*")
	if errors.Is(err, fs.ErrNotExist) && !r.Shared {
		return finding{good, what, kind + r.Directory + ", made with the first result", ""}
	}
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return finding{bad, what, err.Error(), "let the user of chatbi write there, or name another folder in results.directory"}
	}
	return finding{good, what, kind + r.Directory + ", writable", ""}
}
