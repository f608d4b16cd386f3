package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dibrain/dibrain/internal/export"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// pagesOf is a result store with one further page a token.
type pagesOf struct {
	chatbiv1.ChatBIServiceClient
	pages map[string]*commonv1.ResultPage
}

func (p pagesOf) GetResultPage(_ context.Context, q *chatbiv1.GetResultPageRequest, _ ...grpc.CallOption) (*chatbiv1.GetResultPageResponse, error) {
	page, ok := p.pages[q.GetResultId()+" "+q.GetPageToken()]
	if !ok {
		return nil, errors.New("it is gone")
	}
	return &chatbiv1.GetResultPageResponse{Page: page}, nil
}

func rowOf(values ...any) *commonv1.ResultRow {
	row := &commonv1.ResultRow{}
	for _, v := range values {
		value, _ := structpb.NewValue(v)
		row.Values = append(row.Values, value)
	}
	return row
}

// talk is a conversation whose last answer has a result of several pages.
func talk(pages map[string]*commonv1.ResultPage) (*conversation, *bytes.Buffer) {
	var out bytes.Buffer
	f := &Factory{IO: &IO{Out: &out, Err: &out, Width: func() int { return 60 }}, Getenv: func(string) string { return "" }, Clock: time.Now}
	first := &commonv1.ResultPage{
		Columns: []*commonv1.ResultColumn{{Name: "city", Type: "varchar"}, {Name: "n", Type: "double"}},
		Rows:    []*commonv1.ResultRow{rowOf("Bern, old", 1.23456789), rowOf(nil, 2)}, ResultId: "r", NextPageToken: "p2", TotalRows: 4,
	}
	c := &conversation{f: f, o: &chatOptions{turnFlags: turnFlags{limit: 10}}, services: &services{ChatBI: pagesOf{pages: pages}}, last: &routerv1.Answer{
		ToolCalls: []*routerv1.ToolCall{{Output: &routerv1.ToolCall_Execute{Execute: &chatbiv1.ExecuteResult{Page: first, Certificate: &commonv1.Certificate{
			Confidence: .9, Rows: 4, Tables: []*commonv1.TableFreshness{{Table: "eu.geo.city", LatestPartition: "2026-03-01"}},
		}}}}},
	}}
	c.o.session = "ses_1"
	c.exports, _ = export.Config{}.Complete() // defaults are valid
	return c, &out
}

func TestChatExportsTheWholeResult(t *testing.T) {
	t.Parallel()
	c, out := talk(map[string]*commonv1.ResultPage{
		"r p2": {Rows: []*commonv1.ResultRow{rowOf("Chur", 3)}, ResultId: "r", NextPageToken: "p3"},
		"r p3": {Rows: []*commonv1.ResultRow{rowOf("Sion", 4)}},
	})
	path := filepath.Join(t.TempDir(), "cities.csv")
	c.command(t.Context(), "/export "+path)
	got, err := os.ReadFile(path)
	require.NoError(t, err, out)
	require.Equal(t, "city,n\n\"Bern, old\",1.23456789\n,2\nChur,3\nSion,4\n", string(got))
	require.Contains(t, out.String(), "4 rows are in "+path)

	out.Reset()
	c.command(t.Context(), "/export "+path)
	require.Contains(t, out.String(), "is there already")
	c.command(t.Context(), "/export")
	require.Contains(t, out.String(), "name a file")
	c.command(t.Context(), "/new")
	out.Reset()
	path = filepath.Join(t.TempDir(), "others.csv")
	c.command(t.Context(), "/export "+path)
	require.Contains(t, out.String(), "there is no result to export")
	require.NoFileExists(t, path)

	c, out = talk(nil) // the rest cannot be read
	c.command(t.Context(), "/export "+path)
	require.Contains(t, out.String(), "it is gone")
	require.NoFileExists(t, path, "half a result is none")
}

func TestChatCommands(t *testing.T) {
	t.Parallel()
	c, out := talk(nil)
	for command, want := range map[string]string{
		"/why": "newest partition 2026-03-01", "/tables": "eu.geo.city", "/chart": "no chart", "/session": "ses_1", "/help": "/export FILE", "/nope": "there is no command /nope",
	} {
		out.Reset()
		c.command(t.Context(), command)
		require.Contains(t, out.String(), want, command)
	}
	c.command(t.Context(), "/new")
	require.Nil(t, c.last)
	require.Empty(t, c.o.session, "the next question is in a new session")
	for command, want := range map[string]string{"/session": "no session yet", "/why": "no answer to tell of yet", "/tables": "no tables yet"} {
		out.Reset()
		c.command(t.Context(), command)
		require.Contains(t, out.String(), want, command)
	}
}

// TestStepsAreOneLine: each step is drawn over the one before and gone in the end; a
// file or a pipe gets none.
func TestStepsAreOneLine(t *testing.T) {
	t.Parallel()
	for name, tty := range map[string][2]bool{"terminal": {true, true}, "answer in a pipe": {false, true}, "steps in a file": {true, false}} {
		var out bytes.Buffer
		s := newStepLine(&Factory{IO: &IO{Err: &out, IsTTY: tty[0], ErrTTY: tty[1], Width: func() int { return 20 }}, Getenv: func(string) string { return "" }})
		s.show("looking for tables of the question")
		s.show("running\nit")
		s.clear()
		s.clear()
		if !tty[0] || !tty[1] {
			require.Empty(t, out.String(), name)
			continue
		}
		require.NotContains(t, out.String(), "\n", name)
		require.Equal(t, 3, strings.Count(out.String(), eraseLine), name)
		require.True(t, strings.HasSuffix(out.String(), eraseLine), name)
		require.Contains(t, out.String(), "looking for tables…", "one line of the terminal and no more")
	}
}

func TestSourcesAreCompleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "city.csv"), []byte("name,n\nBern,1\n"), 0o600))
	data := filepath.Join(dir, "data")
	require.Zero(t, execute(t, nil, "ingest", "csv", dir, "--name", "places", "--data-dir", data).code)
	for _, command := range []string{"ask", "find", "chat"} {
		got := execute(t, []string{"DIBRAIN_DATA_DIR=" + data}, "__complete", command, "--source", "")
		require.Contains(t, got.out, "places\n", command)
	}
}

// TestWhatEndsAConversation: the commands, and the words by which other programs are left;
// a sentence with such a word is a question.
func TestWhatEndsAConversation(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{"/quit": true, "/exit": true, "/q": true, "exit": true, "Quit": true, "q": false, "which visitors exit by the north gate": false, "": false} {
		require.Equal(t, want, leaves(line), line)
	}
}
