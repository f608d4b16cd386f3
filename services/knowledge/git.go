package knowledge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxHistoryBytes bounds what is read of the history of a checkout: the names of some
// 500,000 changed files.
const maxHistoryBytes = 64 << 20

// gitDates returns when files of a folder were last changed by a commit, by their names in
// the folder. A clone gives all files the date of the clone, so that theirs tell nothing.
// It has no dates, and no error, where the folder is no part of a checkout or there is no
// git. Of a history that is cut off, the dates that were read are right: it is read from
// the newest commit on.
func gitDates(ctx context.Context, dir string, names []string) (map[string]time.Time, error) {
	if dir == "" || !inCheckout(dir) {
		return nil, nil //nolint:nilnil // the dates of the files count
	}
	git, err := exec.LookPath("git")
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil //nolint:nilnil // likewise
	}
	if err != nil {
		return nil, fmt.Errorf("read the history of a checkout: %w", err)
	}
	// The checkout's own configuration must not run anything: no pager, no programs that
	// check signatures or convert files, no fetching of what a partial clone has not.
	command := exec.CommandContext(ctx, git, "--no-pager", "-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "log.follow=false", //nolint:gosec // constants and a folder
		"log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-mailmap", "--relative", "--name-only", "-z", "--format=%x01%ct", "--", ".")
	command.Dir = dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}
	command.WaitDelay = time.Second
	var said bytes.Buffer
	command.Stderr = &limitedWriter{to: &said, left: 500}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read the history of a checkout: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("read the history of a checkout: %w", err)
	}
	dates, whole := readHistory(io.LimitReader(out, maxHistoryBytes), names)
	if whole { // every file has its date: the rest of the history is of no use
		_ = command.Process.Kill()
	}
	if err := command.Wait(); err != nil && !whole {
		return dates, fmt.Errorf("read the history of a checkout: %w: %s", errors.Join(err, ctx.Err()), strings.Join(strings.Fields(said.String()), " "))
	}
	return dates, nil
}

// inCheckout reports a folder that has .git, or that is below one that has.
func inCheckout(dir string) bool {
	at, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(at)
		if up == at {
			return false
		}
		at = up
	}
}

// readHistory reads commits, newest first, each a time and the files that it changed; whole
// says that every one of the names has its date.
func readHistory(from io.Reader, names []string) (dates map[string]time.Time, whole bool) {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	dates = make(map[string]time.Time)
	var at time.Time
	r := bufio.NewReader(from)
	for len(dates) < len(wanted) {
		field, err := r.ReadString(0)
		field = strings.Trim(field, "\x00\n")
		if seconds, isCommit := strings.CutPrefix(field, "\x01"); isCommit {
			if n, wrong := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64); wrong == nil {
				at = time.Unix(n, 0).UTC()
			}
		} else if _, known := dates[field]; wanted[field] && !known && !at.IsZero() {
			dates[field] = at
		}
		if err != nil {
			break
		}
	}
	return dates, len(dates) == len(wanted)
}

// limitedWriter keeps the beginning of what is written.
type limitedWriter struct {
	to   io.Writer
	left int
}

// Write implements io.Writer.
func (w *limitedWriter) Write(p []byte) (int, error) {
	keep := min(len(p), w.left)
	w.left -= keep
	if _, err := w.to.Write(p[:keep]); err != nil {
		return 0, err
	}
	return len(p), nil
}
