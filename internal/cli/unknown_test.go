package cli

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/dibrain/dibrain/pkg/store"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// commandsOf are all commands of a tree, itself among them.
func commandsOf(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, commandsOf(sub)...)
	}
	return all
}

func testRoot(t *testing.T) *cobra.Command {
	t.Helper()
	return Root(&Factory{IO: &IO{In: strings.NewReader(""), Width: func() int { return 80 }}, Getenv: func(string) string { return "" }})
}

// TestGroupsRefuseWordsThatTheyDoNotKnow: each group of commands ends with code 2 at a word
// that is none of its commands, and offers the one that the word is a misspelling of.
func TestGroupsRefuseWordsThatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	groups := 0
	for _, group := range commandsOf(testRoot(t)) {
		if !group.HasSubCommands() || slices.Contains([]string{"ingest", "analyze"}, group.Name()) {
			continue // they take other words too: a source (TestIngestAsksForTheKind), a question
		}
		groups++
		path := strings.Fields(group.CommandPath())[1:]
		got := execute(t, nil, append(slices.Clone(path), "zzzzzz")...)
		require.Equal(t, exitInput, got.code, "%v: %s%s", path, got.out, got.err)
		require.Contains(t, got.err, `unknown command "zzzzzz" for "`+group.CommandPath()+`"`)
		require.NotContains(t, got.err, "Did you mean")
		for _, sub := range group.Commands() {
			name := sub.Name()
			if len(name) < 4 || !sub.IsAvailableCommand() {
				continue
			}
			got := execute(t, nil, append(slices.Clone(path), name[:1]+name[2:])...)
			require.Equal(t, exitInput, got.code, "%v: %s%s", path, got.out, got.err)
			require.Contains(t, got.err, "`"+sub.CommandPath()+"`")
		}
	}
	require.Greater(t, groups, 10)
}

func TestUnknownWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"shop", "warehouse"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".csv"), []byte("a,b\n1,2\n"), 0o600))
		got := execute(t, []string{"DIBRAIN_DATA_DIR=" + dir}, "ingest", "csv", filepath.Join(dir, name+".csv"), "--name", name)
		require.Zero(t, got.code, got.err)
	}
	for name, c := range map[string]struct {
		args []string
		err  string
	}{
		"what another product calls it":  {[]string{"sources", "show"}, "Did you mean `dibrain sources list`?"},
		"a group":                        {[]string{"source", "list"}, "Did you mean `dibrain sources`?"},
		"two swapped":                    {[]string{"aks", "x"}, "Did you mean `dibrain ask`?"},
		"of other groups":                {[]string{"joins"}, "Did you mean `dibrain catalog joins`?"},
		"a question":                     {[]string{"How many orders are there?"}, "A question is asked by `dibrain ask"},
		"help of none":                   {[]string{"help", "sources", "lst"}, "Did you mean `dibrain sources list`?"},
		"a flag":                         {[]string{"ask", "--sourcee", "shop", "x"}, "Did you mean `--source`?"},
		"a flag of a group":              {[]string{"sources", "list", "--jsno"}, "Did you mean `--json`?"},
		"a part of an analysis":          {[]string{"analyze", "lst"}, "Did you mean `dibrain analyze list`?"},
		"no flag":                        {[]string{"sources", "list", "--zzzzzzzzz"}, "unknown flag: --zzzzzzzzz. `dibrain sources list --help`"},
		"a flag by its letter":           {[]string{"ask", "-x"}, "`dibrain ask --help` lists the flags"},
		"an argument too many":           {[]string{"sources", "list", "all"}, "`dibrain sources list` takes no argument, and \"all\" is one"},
		"an argument too few":            {[]string{"sources", "unread"}, "`dibrain sources unread` needs NAME, and none is given. `dibrain sources list` lists what there is."},
		"a table that is not named":      {[]string{"catalog", "show", "--source", "shop"}, "`dibrain catalog show` needs TABLE, and none is given. `dibrain catalog list` lists what there is."},
		"two versions":                   {[]string{"semantic", "diff", "a"}, "`dibrain semantic diff` accepts 2 arg(s), received 1"},
		"a source":                       {[]string{"sources", "unread", "warehose"}, `did you mean "warehouse"?`},
		"a source of the doctor":         {[]string{"doctor", "--source", "shopp"}, `did you mean "shop"?`},
		"a metric":                       {[]string{"semantic", "show", "--source", "shop", "x"}, "semantic init --source shop"},
		"a history without its source":   {[]string{"ingest", "--history", "./x y"}, "dibrain ingest SOURCE --history './x y'"},
		"a history of a source to be":    {[]string{"ingest", "shop", "--history", "x", "--name", "new"}, "--name names a new source"},
		"a source without its history":   {[]string{"ingest", "shop"}, "--history PATH"},
		"a country of a question asked ": {[]string{"ask", "--source", "shop", "--region", "SG", "x"}, `dibrain find --source shop --region SG`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := execute(t, []string{"DIBRAIN_DATA_DIR=" + dir}, c.args...)
			require.Equal(t, exitInput, got.code, got.out+got.err)
			require.Contains(t, got.err, c.err)
		})
	}
}

// TestIngestAsksForTheKind: data without a word of their kind are looked at to tell it.
func TestIngestAsksForTheKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{"sales/a.csv", "sales/b.csv.gz", "mixed/a.csv", "mixed/b.xlsx", "lake/a.parquet", "models/dbt_project.yml", "models/a.sql", "empty/README", "dbs/a.sqlite"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "duck.db"), []byte("\x01\x02\x03\x04\x05\x06\x07\x08DUCK\x40"), 0o600))
	for path, kind := range map[string]string{
		filepath.Join(dir, "sales"): "csv", filepath.Join(dir, "mixed"): "files", filepath.Join(dir, "lake"): "parquet",
		filepath.Join(dir, "models"): "dbt", filepath.Join(dir, "sales", "*.csv"): "csv", "./dump.sql": "sql-dump",
		"./nowhere/shop.duckdb": "duckdb", "./shop.sqlite3": "sqlite", "./shop.db": "sqlite", filepath.Join(dir, "duck.db"): "duckdb", filepath.Join(dir, "dbs"): "files", "http://127.0.0.1:8080": "trino",
	} {
		for _, args := range [][]string{{"ingest", path, "--name", "x"}, {"ingest", "--name", "x", path}} {
			got := execute(t, nil, args...)
			require.Equal(t, exitInput, got.code, got.err)
			require.Contains(t, got.err, "it seems to be for `dibrain ingest "+kind+" "+shellWord(path)+" --name x`")
		}
		got := execute(t, nil, "ingest", path)
		require.Equal(t, exitInput, got.code, got.err)
		require.Contains(t, got.err, "`dibrain ingest "+kind+" "+shellWord(path)+" --name NAME`")
	}
	got := execute(t, nil, "ingest", filepath.Join(dir, "sales"), "--delimiter", ";", "--name", "x")
	require.Contains(t, got.err, "dibrain ingest csv")
	got = execute(t, nil, "ingest", filepath.Join(dir, "empty"), "--name", "x")
	require.NotContains(t, got.err, "seems")
	require.Contains(t, got.err, "csv, dbt, duckdb, files, jsonl, parquet, sql-dump, sqlite, trino")
	got = execute(t, nil, "ingest", "cvs", filepath.Join(dir, "sales"), "--name", "x")
	require.Contains(t, got.err, "Did you mean `dibrain ingest csv`?")
	got = execute(t, nil, "ingest", "filess")
	require.Contains(t, got.err, "Did you mean `dibrain ingest files`?")
}

// TestDoctorLooksAtOneSource: what it says of other sources is left out.
func TestDoctorLooksAtOneSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"shop", "club"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".csv"), []byte("a,b\n1,2\n"), 0o600))
		got := execute(t, []string{"DIBRAIN_DATA_DIR=" + dir}, "ingest", "csv", filepath.Join(dir, name+".csv"), "--name", name)
		require.Zero(t, got.code, got.err)
	}
	got := execute(t, []string{"DIBRAIN_DATA_DIR=" + dir}, "doctor", "--source", "club")
	require.Contains(t, got.out, "source club")
	require.Contains(t, got.out, "layer of club")
	require.Contains(t, got.out, "data directory")
	require.NotContains(t, got.out, "shop")
}

// routerOfIDs knows some runs and sessions.
type routerOfIDs struct {
	routerv1.RouterServiceClient
	runs, sessions []string
}

func (r routerOfIDs) ListRuns(context.Context, *routerv1.ListRunsRequest, ...grpc.CallOption) (*routerv1.ListRunsResponse, error) {
	out := &routerv1.ListRunsResponse{}
	for _, id := range r.runs {
		out.Runs = append(out.Runs, &routerv1.RunSummary{Record: &commonv1.RunRecord{RunId: id}})
	}
	return out, nil
}

func (r routerOfIDs) ListSessions(context.Context, *routerv1.ListSessionsRequest, ...grpc.CallOption) (*routerv1.ListSessionsResponse, error) {
	out := &routerv1.ListSessionsResponse{}
	for _, id := range r.sessions {
		out.Sessions = append(out.Sessions, &routerv1.Session{SessionId: id})
	}
	return out, nil
}

// TestRunsNearAnID: a part of an id, or one with a slip, is told with the id that it is of,
// and ids that only begin as all do are not.
func TestRunsNearAnID(t *testing.T) {
	t.Parallel()
	s := &services{Router: routerOfIDs{
		runs:     []string{"run_0c3222e8bee0592e71d28d32", "run_91ad40f7c5523b6e8ee0a417"},
		sessions: []string{"ses_06bb7ff2b7401d29556aa93a"},
	}}
	for id, near := range map[string]string{
		"run_0c3222e8bee0592e71d28d23": "run_0c3222e8bee0592e71d28d32",
		"run_0c3222e8":                 "run_0c3222e8bee0592e71d28d32",
		"91ad40f7c5523b6e8ee0a417":     "run_91ad40f7c5523b6e8ee0a417",
		"run_5f6b3d1907a24c88e19b40d2": "",
	} {
		err := nearOf(t.Context(), s, id, store.RunUnknown(id))
		require.Equal(t, exitInput, exitCode(err))
		if near == "" {
			require.NotContains(t, message(err), "Did you mean")
			continue
		}
		require.Contains(t, message(err), "Did you mean `"+near+"`?")
	}
	err := nearOf(t.Context(), s, "ses_06bb7ff2", store.SessionUnknown("ses_06bb7ff2"))
	require.Contains(t, message(err), "Did you mean `ses_06bb7ff2b7401d29556aa93a`?")
	require.NoError(t, nearOf(t.Context(), s, "x", nil))
}

// mentions finds commands of this program in a text.
var mentions = regexp.MustCompile(`dibrain ((?:[a-z][a-z0-9-]*)(?: [a-z][a-z0-9-]*)*)`)

// TestHintsNameTheSource: a text that is printed and names a command which has --source says
// the source, so that it can be run as it is printed. Texts that are the same in each run,
// those of the help, name none; all others are made by Factory.command.
func TestHintsNameTheSource(t *testing.T) {
	t.Parallel()
	root := testRoot(t)
	takesSource := func(path string) bool {
		cmd, _, err := root.Find(strings.Fields(path))
		return err == nil && cmd.HasParent() && cmd.Flags().Lookup("source") != nil
	}
	require.True(t, takesSource("catalog list"))
	help := []string{"Use", "Short", "Long", "Example"}
	made := 0
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				key, ok := n.Key.(*ast.Ident)
				return !ok || !slices.Contains(help, key.Name)
			case *ast.ValueSpec: // constants are help, too: what is printed of a run is put together
				return n.Names[0].Name != "historyExample"
			case *ast.CallExpr:
				of, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || of.Sel.Name != "command" || len(n.Args) < 2 {
					return true
				}
				if path, ok := n.Args[0].(*ast.BasicLit); ok {
					text, err := strconv.Unquote(path.Value)
					require.NoError(t, err)
					cmd, rest, err := root.Find(strings.Fields(text))
					require.True(t, err == nil && len(rest) == 0 && cmd.Runnable(), "%s: there is no command %q", set.Position(n.Pos()), text)
					made++
				}
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil {
					return true
				}
				for _, found := range mentions.FindAllStringSubmatchIndex(text, -1) {
					path := text[found[2]:found[3]]
					if !takesSource(path) || strings.HasPrefix(strings.TrimSpace(text[found[3]:]), "--source") {
						continue
					}
					require.Contains(t, withoutSource, path, "%s: %q can be run with a source: write it by Factory.command", set.Position(n.Pos()), text)
				}
			}
			return true
		})
	}
	require.Greater(t, made, 10)
}

// withoutSource are the commands that are named where no source is known, with the reason.
var withoutSource = map[string]string{
	"sql check": "its --rules are those of every source",
	"ask":       "what to type first, where there is no source yet or the question is all that lacks",
}
