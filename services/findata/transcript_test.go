package findata

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/shorttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asked is a question of transcripts.yaml.
type asked struct {
	Ask        string   `yaml:"ask" json:"ask"`
	Source     string   `yaml:"source" json:"source,omitempty"`
	Region     string   `yaml:"region" json:"region,omitempty"`
	Department string   `yaml:"department" json:"department,omitempty"`
	Language   string   `yaml:"language" json:"language,omitempty"`
	Option     string   `yaml:"option" json:"option,omitempty"`
	Reply      string   `yaml:"reply" json:"reply,omitempty"`
	Selected   []string `yaml:"selected" json:"selected,omitempty"`
	Groups     []string `yaml:"groups" json:"groups,omitempty"`
	History    []string `yaml:"history" json:"history,omitempty"`
	Max        int32    `yaml:"max" json:"max,omitempty"`
	Level      int32    `yaml:"level" json:"level,omitempty"`
	Sure       bool     `yaml:"sure" json:"sure,omitempty"`
}

func (a asked) query() *findatav1.DiscoverQuery {
	q := &findatav1.DiscoverQuery{
		Source: a.Source, UserQuery: a.Ask, ChosenOptionId: a.Option, ClarificationReply: a.Reply, SelectedTables: a.Selected, SelectedTableGroups: a.Groups,
		MaxTables: cmp.Or(a.Max, 5), SummaryLevel: findatav1.SummaryLevel(a.Level),
		UserContext: &commonv1.UserContext{Region: a.Region, Department: a.Department, Language: map[string]commonv1.Language{"en": commonv1.Language_LANGUAGE_EN, "zh": commonv1.Language_LANGUAGE_ZH}[a.Language]},
	}
	if a.Sure {
		q.ScopeStrategy = findatav1.ScopeStrategy_SCOPE_STRATEGY_USER_MAKE_SURE
	}
	for _, text := range a.History {
		q.ChatHistory = append(q.ChatHistory, &findatav1.ChatTurn{Role: "user", Content: text})
	}
	return q
}

// brief leaves of a table what is found out about it, and not what the catalog says.
func brief(tables []*findatav1.TableCandidate) {
	for _, c := range tables {
		c.Table = &commonv1.TableDetail{Ref: c.GetTable().GetRef()}
		c.Score = rounded(c.GetScore())
		for name, v := range c.GetFeatures() {
			c.Features[name] = rounded(v)
		}
	}
}

// rounded keeps what does not depend on how a processor adds.
func rounded(v float64) float64 { return math.Round(v*1000) / 1000 }

// written is an answer as JSON, a field a line.
func written(t *testing.T, m proto.Message, err error) string {
	t.Helper()
	if err != nil {
		return "error: " + status.Convert(err).Message()
	}
	raw, err := protojson.Marshal(m)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, raw, "", ""))
	return out.String()
}

// TestTranscripts asks the questions of transcripts.yaml in each way that there is, and
// compares all that is answered with the golden file.
func TestTranscripts(t *testing.T) {
	shorttest.Rules(t, "what is said to many questions, one after another")
	t.Parallel()
	raw, err := os.ReadFile("testdata/transcripts.yaml")
	require.NoError(t, err)
	var questions []asked
	require.NoError(t, yaml.Unmarshal(raw, &questions))
	require.NotEmpty(t, questions)
	s := demoService(t, nil)
	books := serviceOver(t, snapshotStore(t, "books", bookSnapshot()), nil)
	var all strings.Builder
	for _, q := range questions {
		service := s
		if q.Source == "books" {
			service = books
		}
		line, err := json.Marshal(q)
		require.NoError(t, err)
		all.WriteString("=== " + string(line) + "\n" + transcript(t, service, q) + "\n")
	}
	golden(t, "testdata/transcripts.txt", all.String())
}

func transcript(t *testing.T, s *Service, q asked) string {
	t.Helper()
	ctx, find := as(t, "ann"), &findDataServer{service: s}
	var out []string
	discovered, err := find.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: q.query()})
	brief(discovered.GetResult().GetRelatedTables())
	out = append(out, "discover "+written(t, discovered.GetResult(), err))
	clarified, err := find.ClarifyScope(ctx, &findatav1.ClarifyScopeRequest{Query: q.query()})
	brief(clarified.GetFallbackTables())
	for _, c := range clarified.GetScopes() {
		c.Score = rounded(c.GetScore())
	}
	out = append(out, "clarify "+written(t, clarified, err))
	answered, err := find.AnswerQuestion(ctx, &findatav1.AnswerQuestionRequest{Query: q.query()})
	out = append(out, "answer "+written(t, answered, err))
	found, err := find.SearchTables(ctx, &findatav1.SearchTablesRequest{Source: q.Source, Query: q.Ask, PageSize: 4, Why: q.Selected})
	brief(found.GetTables())
	found.NextPageToken = ""
	for _, c := range found.GetTables() {
		c.Features = nil // those of discover
	}
	out = append(out, "search "+written(t, found, err))
	return strings.Join(out, "\n")
}

// TestCatalogTranscripts reads the catalog in each way that there is.
func TestCatalogTranscripts(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	find, read, ctx := &findDataServer{service: s}, &catalogServer{service: s}, as(t, "ann")
	var out []string
	put := func(name string, m proto.Message, err error) { out = append(out, name+" "+written(t, m, err)) }
	for _, table := range []string{"sg.mp_order.dws_order_gmv_1d__sg_s0_live", "dim_user__reg_s0_live", "gone"} {
		m, err := find.SimilarTables(ctx, &findatav1.SimilarTablesRequest{Table: table, MaxTables: 5})
		brief(m.GetTables())
		put("similar "+table, m, err)
		d, err := read.DescribeTables(ctx, &findatav1.DescribeTablesRequest{Tables: []string{table}})
		put("describe "+table, d, err)
	}
	marts, err := read.ListMarts(ctx, &findatav1.ListMartsRequest{})
	put("marts", marts, err)
	for _, mart := range []string{"", "order", "Nothing"} {
		terms, err := read.GetGlossary(ctx, &findatav1.GetGlossaryRequest{Mart: mart})
		put("glossary "+mart, terms, err)
		tables, err := read.ListTables(ctx, &findatav1.ListTablesRequest{Mart: mart, NameContains: "GMV", PageSize: 3, WithColumns: mart == "order"})
		tables.NextPageToken = ""
		put("tables "+mart, tables, err)
	}
	golden(t, "testdata/catalog.txt", strings.Join(out, "\n"))
}

// golden compares a text with a file, or writes it.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	lines, wanted := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(lines), len(wanted)) {
		if lines[i] != wanted[i] {
			from := max(0, i-8)
			require.Equal(t, strings.Join(wanted[from:min(i+8, len(wanted))], "\n"), strings.Join(lines[from:min(i+8, len(lines))], "\n"), "line %d of %s", i+1, path)
		}
	}
	require.Len(t, lines, len(wanted), path)
}

// TestTranscriptsOfWhoSeesLess asks as somebody who may see a part of the tables: what
// is hidden is in no answer.
func TestTranscriptsOfWhoSeesLess(t *testing.T) {
	shorttest.Rules(t, "what is said to who sees less, one question after another")
	t.Parallel()
	s := demoService(t, func(_ run.Principal, _ string, table *catalog.Table) bool { return table.Mart != "Order" })
	var all strings.Builder
	for _, ask := range []string{"GMV by day", "每日销售额", "orders and parcels of each seller", "who owns dwd_refund_di__sg_s0_live", "show all tables", "traffic", "ratings of conversations with the bot"} {
		text := transcript(t, s, asked{Ask: ask})
		require.NotContains(t, text, "dwd_order_item_di", ask)
		all.WriteString("=== " + ask + "\n" + text + "\n")
	}
	golden(t, "testdata/less.txt", all.String())
}
