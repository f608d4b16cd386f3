package knowledge_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/services/knowledge"
)

// catalog gives the same tables for every search, as a search that finds near names does.
type catalog struct {
	findatav1.FindDataServiceClient
	tables []*commonv1.TableDetail
	err    error
	asked  []string
}

func (c *catalog) SearchTables(_ context.Context, in *findatav1.SearchTablesRequest, _ ...grpc.CallOption) (*findatav1.SearchTablesResponse, error) {
	c.asked = append(c.asked, in.GetQuery())
	out := &findatav1.SearchTablesResponse{}
	for _, t := range c.tables {
		out.Tables = append(out.Tables, &findatav1.TableCandidate{Table: t})
	}
	return out, c.err
}

func table(schema, name, owner string) *commonv1.TableDetail {
	return &commonv1.TableDetail{Ref: &commonv1.TableRef{Schema: schema, Table: name}, Owner: owner}
}

func TestTheOwnerOfATableIsWhomToAsk(t *testing.T) {
	t.Parallel()
	c := &catalog{tables: []*commonv1.TableDetail{table("parking", "dwd_permit_day", "permits@example.com"), table("parking", "dwd_permit_hour", "hours@example.com"), table("parking", "dwd_lot_day", "")}}
	l := newLibrary(t, handbook, func(_ *knowledge.Config, d *knowledge.Deps) { d.FindData = c })
	l.write("handbook/a.md", "# Access\n\n## Badges\nA lost badge is replaced at the desk.\n")
	for question, want := range map[string]string{
		"why does parking.dwd_permit_day descale the espresso machine?": "help@example.com, permits@example.com",
		"why does DWD_PERMIT_DAY descale the espresso machine?":         "help@example.com, permits@example.com",
		"dwd_permit_hour 为什么给咖啡机除垢？":                                    "help@example.com, hours@example.com",
		"why does dwd_permit descale the espresso machine?":             "help@example.com", // near, and another table
		"why does dwd_lot_day descale the espresso machine?":            "help@example.com", // nobody is known
	} {
		a := l.ask(question)
		require.False(t, a.Answered, question)
		require.Equal(t, want, a.Ask, question)
		require.Contains(t, a.Text, want)
	}
	c.asked = nil
	require.Equal(t, "help@example.com", l.ask("who descales the espresso machine?").Ask)
	require.True(t, l.ask("where is a lost badge replaced?").Answered)
	require.Empty(t, c.asked, "the catalog is asked of tables that are named, where there is no answer")
	c.err = errors.New("not there")
	require.Equal(t, "help@example.com", l.ask("why does dwd_permit_day descale the espresso machine?").Ask)
}

// git runs git in a folder, at a time.
func git(t *testing.T, dir string, at time.Time, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+at.Format(time.RFC3339), "GIT_COMMITTER_DATE="+at.Format(time.RFC3339), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestDatesOfACheckoutAreThoseOfItsCommits(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	first, second := time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC), time.Date(2025, 6, 7, 8, 9, 10, 0, time.UTC)
	l := newLibrary(t, "collections: [{name: handbook, path: repo/docs}]") // below the root of the checkout
	repo := filepath.Join(l.dir, "repo")
	l.write("repo/docs/old rules.md", "# Backups\n\n## Retention of backups\nA backup of the ledger is kept for 30 days.\n")
	l.write("repo/docs/中文.md", "# 说明\n\n## 停车\n停车许可证五天内发放。\n")
	l.write("repo/docs/told.md", "---\nupdated: 2020-01-01\n---\n# Fax\n\n## Paper of the fax\nThe fax takes thick paper.\n")
	git(t, repo, first, "init", "-q")
	// What a checkout brings along must not run.
	ran := filepath.Join(l.dir, "ran")
	program := filepath.Join(l.dir, "program")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\ntouch '"+ran+"'\ncat\n"), 0o700)) //nolint:gosec // it has to run, were it to
	for _, key := range []string{"core.pager", "core.fsmonitor", "gpg.program", "diff.external"} {
		git(t, repo, first, "config", key, program)
	}
	git(t, repo, first, "config", "log.showSignature", "true")
	git(t, repo, first, "-c", "core.fsmonitor=false", "add", ".")
	git(t, repo, first, "-c", "core.fsmonitor=false", "commit", "-q", "-m", "first")
	l.write("repo/docs/new.md", "# Ledger\n\n## Retention of backups\nA backup of the ledger is kept for 90 days.\n")
	git(t, repo, second, "-c", "core.fsmonitor=false", "add", ".")
	git(t, repo, second, "-c", "core.fsmonitor=false", "commit", "-q", "-m", "second")
	l.write("repo/docs/uncommitted.md", "# Till\n\n## Colour of the till\nThe till is green.\n")
	require.NoError(t, os.RemoveAll(ran))

	changed := func(question string) time.Time {
		a := l.ask(question)
		require.True(t, a.Answered, question)
		return a.Citations[0].Changed
	}
	a := l.ask("how long is a backup of the ledger kept?")
	require.Len(t, a.Conflicts, 1)
	require.Equal(t, []string{"90 days", "30 days"}, a.Conflicts[0].Values, "newest first, by the commits")
	require.Equal(t, second, a.Conflicts[0].Cited[0].Changed)
	require.Equal(t, first, a.Conflicts[0].Cited[1].Changed)
	require.Contains(t, a.Text, "2025-06-07")
	require.Equal(t, first, changed("停车许可证多久发放？"), "a name that is not of ASCII letters")
	require.Equal(t, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), changed("which paper does the fax take?"), "what a document says of itself counts first")
	require.WithinDuration(t, time.Now(), changed("what colour has the till?"), time.Hour, "the file's own")
	require.NoFileExists(t, ran)
}
