package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// TestProblemsAreBounded: whatever is ingested, a bound keeps the first problems and counts
// the rest; the data are the same.
func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	var csv, dump strings.Builder
	csv.WriteString("id,day,n\n")
	dump.WriteString("CREATE TABLE t (id integer, n integer);\n")
	for i := range 30 {
		fmt.Fprintf(&csv, "%d,2024-01-%02d,%d\n", i, i%28+1, i)
		if i%5 == 0 {
			csv.WriteString("1,2,3,4,5,6\n")
		}
		fmt.Fprintf(&dump, "INSERT INTO t VALUES (%d, %d);\n", i, i)
		if i%5 == 0 {
			dump.WriteString("INSERT INTO t VALUES (1);\nINSERT INTO t VALUES (1, sleep(9));\n")
		}
	}
	for name, read := range map[string]func(context.Context, *source.Store, ingest.Options) (ingest.Report, error){
		"csv": func(ctx context.Context, s *source.Store, o ingest.Options) (ingest.Report, error) {
			return ingest.CSV(ctx, s, "own", folder(t, map[string]string{"t.csv": csv.String()}), o)
		},
		"dump": func(ctx context.Context, s *source.Store, o ingest.Options) (ingest.Report, error) {
			path := filepath.Join(t.TempDir(), "t.sql")
			require.NoError(t, os.WriteFile(path, []byte(dump.String()), 0o600))
			return ingest.SQLDump(ctx, s, "own", path, o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages := func(r ingest.Report) (list []string) {
				for _, p := range r.Problems {
					list = append(list, fmt.Sprintf("%s %d:%d %s", p.Kind, p.Line, p.Column, p.Message))
				}
				return list
			}
			all, err := read(t.Context(), newStore(t), ingest.Options{})
			require.NoError(t, err)
			require.Greater(t, len(all.Problems), 5)
			require.Zero(t, all.Dropped)
			for _, most := range []int{1, 2, len(all.Problems) - 1, len(all.Problems), len(all.Problems) + 1} {
				got, err := read(t.Context(), newStore(t), ingest.Options{MaxProblems: most})
				require.NoError(t, err)
				kept := min(most, len(all.Problems))
				require.Equal(t, messages(all)[:kept], messages(got), most)
				require.Equal(t, len(all.Problems)-kept, got.Dropped, most)
				require.Equal(t, all.Tables[0].Rows, got.Tables[0].Rows)
				require.Equal(t, all.Tables[0].Skipped, got.Tables[0].Skipped)
			}
		})
	}
}

// TestUnreadTextsAreBounded: the first texts that nothing reads are kept, and that there
// were more is told, with how many.
func TestUnreadTextsAreBounded(t *testing.T) {
	t.Parallel()
	text := "id,n\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d\n", i, i)
	}
	const broken = 4
	for i := range broken {
		text += fmt.Sprintf("%d,1,2,3,%d\n", i, i)
	}
	for most, want := range map[int]int{1: 1, broken - 1: broken - 1, broken: broken, broken + 1: broken} {
		s := newStore(t)
		report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"t.csv": text}), ingest.Options{MaxUnread: most})
		require.NoError(t, err)
		g, err := s.Current("own")
		require.NoError(t, err)
		kept, err := ingest.ReadUnread(g.Dir)
		require.NoError(t, err)
		require.Len(t, kept, want, most)
		require.Equal(t, want, report.Unread, most)
		for i, u := range kept {
			require.Equal(t, fmt.Sprintf("%d,1,2,3,%d", i, i), u.Text)
		}
		told := ""
		for _, p := range report.Problems {
			if strings.Contains(p.Message, "MaxUnread") {
				told = p.Message
			}
		}
		if want == broken {
			require.Empty(t, told, most)
			continue
		}
		require.Contains(t, told, fmt.Sprintf("%d more texts", broken-want))
	}
}
