package findata

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/shorttest"
)

// A policy drawn at random over a catalog drawn at random: whatever is asked, no
// answer holds a word that the policy keeps from the asker. Each name, value and
// figure of the catalog is a word of its own, so that finding it in an answer
// proves that it came from there.

// propertySeeds are the draws; each is a catalog and a policy.
var propertySeeds = []uint64{1, 2, 3, 5, 8}

// secretCatalog draws a catalog of words that exist nowhere else.
func secretCatalog(r *rand.Rand) *catalog.Snapshot {
	n := 0
	word := func(kind string) string {
		n++
		return fmt.Sprintf("%s%c%c%cq%d", kind, 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26), n)
	}
	s := &catalog.Snapshot{}
	for range 4 {
		s.Marts = append(s.Marts, catalog.Mart{Name: word("mart"), Description: "figures of " + word("about"), Synonyms: []string{word("syn")}})
	}
	subjects := []string{"orders", "parcels", "visits", "tickets"}
	for i := range 24 {
		m := i % len(s.Marts)
		t := catalog.Table{
			Name: catalog.Name{Region: "vault", Schema: fmt.Sprintf("s%d", i%3), Table: "t_" + word("tab")}, Mart: s.Marts[m].Name,
			RowCount: 7_000_000_000 + r.Int64N(999_999_999), QueryCount30d: r.Int64N(50), Owner: word("own"),
			Layer: []string{"dwd", "dws", "dim"}[i%3], UpdatedAt: today.Add(-time.Hour),
		}
		for c := range 4 {
			name := "c_" + word("col")
			t.Columns = append(t.Columns, catalog.Column{Name: name, Type: "varchar", Comment: subjects[m] + " " + word("com"), PrimaryKey: c == 0, Samples: []string{word("val"), word("val")}, Distinct: 6_000_000_000 + r.Int64N(999_999_999)})
		}
		t.Description = subjects[m] + " by day, one of " + word("desc") + "; see " + t.Columns[1].Name
		if i > 3 { // texts and keys speak of other tables
			other := &s.Tables[r.IntN(i)]
			t.Description += " and " + other.Name.Table
			t.ForeignKeys = []catalog.ForeignKey{{Columns: []string{t.Columns[2].Name}, RefTable: other.Name, RefColumns: []string{other.Columns[0].Name}}}
			if r.IntN(4) == 0 {
				t.Successor = other.Name.String()
			}
			t.Upstream = []catalog.Name{other.Name}
		}
		s.Tables = append(s.Tables, t)
	}
	for i, m := range s.Marts {
		t := &s.Tables[i]
		s.Glossary = append(s.Glossary, catalog.Term{Term: word("term"), Synonyms: []string{subjects[i]}, Definition: "counted in " + t.Name.Table + " as " + t.Columns[0].Name, Mart: m.Name})
		s.Rules = append(s.Rules, catalog.Rule{ID: word("rule"), Text: "leave out " + t.Columns[3].Name + " of " + t.Name.Table, Mart: m.Name})
	}
	return s
}

// secretPolicy draws the rules for ann and returns the words that they keep.
func secretPolicy(r *rand.Rand, s *catalog.Snapshot) (text string, secrets []string) {
	var b strings.Builder
	b.WriteString("rules:\n  - {name: boss, user: boss}\n")
	open := make(map[string]bool) // marts with a table for ann
	hiddenMart := s.Marts[r.IntN(len(s.Marts))].Name
	for i := range s.Tables {
		t := &s.Tables[i]
		switch kind := r.IntN(5); {
		case kind == 0 || t.Mart == hiddenMart:
			fmt.Fprintf(&b, "  - {name: r%d, table: %s, access: deny}\n", i, t.Name.Table)
			secrets = append(secrets, wordsOf(t)...)
			continue
		case kind == 1:
			c, m := t.Columns[1+r.IntN(3)], t.Columns[0]
			fmt.Fprintf(&b, "  - {name: r%d, table: %s, columns: [{name: %s, access: deny}, {name: %s, mask: \"'x'\"}]}\n", i, t.Name.Table, c.Name, m.Name)
			secrets = append(secrets, c.Name, fmt.Sprint(c.Distinct), fmt.Sprint(m.Distinct))
			secrets = append(append(append(secrets, c.Samples...), m.Samples...), strings.Fields(c.Comment)[1])
		case kind == 2:
			fmt.Fprintf(&b, "  - {name: r%d, table: %s, filter: \"%s = current_user\"}\n", i, t.Name.Table, t.Columns[0].Name)
			secrets = append(secrets, fmt.Sprint(t.RowCount))
			for _, c := range t.Columns {
				secrets = append(append(secrets, c.Samples...), fmt.Sprint(c.Distinct))
			}
		}
		open[t.Mart] = true
	}
	b.WriteString("  - {name: rest}\n")
	for i, m := range s.Marts {
		if !open[m.Name] {
			secrets = append(secrets, m.Name, m.Synonyms[0], strings.Fields(m.Description)[2], s.Glossary[i].Term, s.Rules[i].ID)
		}
	}
	return b.String(), secrets
}

// wordsOf are the words of a table that no other table has.
func wordsOf(t *catalog.Table) []string {
	out := []string{t.Name.Table, t.Owner, fmt.Sprint(t.RowCount), strings.TrimSuffix(strings.Fields(t.Description)[5], ";")}
	for _, c := range t.Columns {
		out = append(append(out, c.Name, strings.Fields(c.Comment)[1], fmt.Sprint(c.Distinct)), c.Samples...)
	}
	return out
}

// leak looks for a secret in each text and number of a message, keys of maps
// included, as the wire would carry it.
func leak(m protoreflect.Message, secrets map[string]bool, path string) string {
	found := ""
	look := func(v protoreflect.Value, at string) {
		if found != "" {
			return
		}
		for _, word := range strings.FieldsFunc(v.String(), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if secrets[strings.ToLower(word)] {
				found = fmt.Sprintf("%s: %q in %.300q", at, word, v.String())
			}
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + "." + string(f.Name())
		switch {
		case f.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				look(k.Value(), at+" (key)")
				if f.MapValue().Kind() == protoreflect.MessageKind {
					found = cmp.Or(found, leak(v.Message(), secrets, at))
				} else {
					look(v, at)
				}
				return found == ""
			})
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			for i := range v.List().Len() {
				found = cmp.Or(found, leak(v.List().Get(i).Message(), secrets, at))
			}
		case f.IsList():
			for i := range v.List().Len() {
				look(v.List().Get(i), at)
			}
		case f.Kind() == protoreflect.MessageKind:
			found = cmp.Or(found, leak(v.Message(), secrets, at))
		default:
			look(v, at)
		}
		return found == ""
	})
	return found
}

// discoverEvents is the stream of Discover, kept.
type discoverEvents struct {
	grpc.ServerStreamingServer[findatav1.DiscoverResponse]
	ctx  context.Context
	sent []proto.Message
}

func (s *discoverEvents) Context() context.Context { return s.ctx }
func (s *discoverEvents) Send(m *findatav1.DiscoverResponse) error {
	s.sent = append(s.sent, m)
	return nil
}

// interrogate asks every rpc about a text and returns all that was said, errors as
// their status messages, each with the words that the asker wrote.
func interrogate(ctx context.Context, s *Service, text string, tables []string, told func(rpc string, m proto.Message)) {
	find, cat := &findDataServer{service: s}, &catalogServer{service: s}
	say := func(rpc string, m proto.Message, err error) {
		if err != nil {
			m = status.Convert(err).Proto()
		}
		told(rpc, m)
	}
	for _, level := range []findatav1.SummaryLevel{findatav1.SummaryLevel_SUMMARY_LEVEL_SHORT, findatav1.SummaryLevel_SUMMARY_LEVEL_EXPERT} {
		q := &findatav1.DiscoverQuery{
			UserQuery: text, SummaryLevel: level, MaxTables: 50, SelectedTables: tables, UserContext: &commonv1.UserContext{Department: "orders"},
			SelectedTableGroups: []string{"datamart_nothing", "topic_nothing"}, KnowledgeBaseList: []string{"catalog", "docs", "none"},
			ScopeStrategy: findatav1.ScopeStrategy_SCOPE_STRATEGY_USER_MAKE_SURE,
		}
		stream := &discoverEvents{ctx: ctx}
		err := find.Discover(&findatav1.DiscoverRequest{Query: q}, stream)
		for _, m := range stream.sent {
			say("Discover", m, nil)
		}
		say("Discover", &findatav1.DiscoverResponse{}, err)
		q.ScopeStrategy, q.SelectedTables, q.SelectedTableGroups = 0, nil, nil
		unary, err := find.DiscoverUnary(ctx, &findatav1.DiscoverUnaryRequest{Query: q})
		say("DiscoverUnary", unary, err)
		answered, err := find.AnswerQuestion(ctx, &findatav1.AnswerQuestionRequest{Query: q})
		say("AnswerQuestion", answered, err)
		clarified, err := find.ClarifyScope(ctx, &findatav1.ClarifyScopeRequest{Query: q})
		say("ClarifyScope", clarified, err)
	}
	searched, err := find.SearchTables(ctx, &findatav1.SearchTablesRequest{Query: text, PageSize: 100, Why: tables[:min(len(tables), 5)]})
	say("SearchTables", searched, err)
	for _, name := range tables {
		similar, err := find.SimilarTables(ctx, &findatav1.SimilarTablesRequest{Table: name})
		say("SimilarTables", similar, err)
		fed, err := find.Feedback(ctx, &findatav1.FeedbackRequest{Question: text, Tables: []string{name}, Kind: findatav1.FeedbackKind_FEEDBACK_KIND_ACCEPTED})
		say("Feedback", fed, err)
		set, err := find.SetPreferences(ctx, &findatav1.SetPreferencesRequest{Preferences: &findatav1.Preferences{Tables: []string{name}}})
		say("SetPreferences", set, err)
	}
	preferences, err := find.GetPreferences(ctx, &findatav1.GetPreferencesRequest{})
	say("GetPreferences", preferences, err)
	described, err := cat.DescribeTables(ctx, &findatav1.DescribeTablesRequest{Tables: append([]string{"t_"}, tables...)})
	say("DescribeTables", described, err)
	listed, err := cat.ListTables(ctx, &findatav1.ListTablesRequest{PageSize: 1000, WithColumns: true})
	say("ListTables", listed, err)
	marts, err := cat.ListMarts(ctx, &findatav1.ListMartsRequest{})
	say("ListMarts", marts, err)
	glossary, err := cat.GetGlossary(ctx, &findatav1.GetGlossaryRequest{})
	say("GetGlossary", glossary, err)
	sources, err := cat.ListSources(ctx, &findatav1.ListSourcesRequest{})
	say("ListSources", sources, err)
	index, err := cat.GetIndexStatus(ctx, &findatav1.GetIndexStatusRequest{})
	say("GetIndexStatus", index, err)
}

// vault is a service over a drawn catalog and policy, with documents that speak of
// everything.
func vault(t *testing.T, seed uint64) (s *Service, snapshot *catalog.Snapshot, secrets []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	snapshot = secretCatalog(r)
	text, secrets := secretPolicy(r, snapshot)
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	rules, err := policy.Open(path, time.Now, nil)
	require.NoError(t, err)
	docs := t.TempDir()
	for i := range snapshot.Tables {
		table := &snapshot.Tables[i]
		body := fmt.Sprintf("# %s mart\nAbout orders, parcels, visits and tickets: %s has %s and %s.\n", table.Mart, table.Name.Table, table.Columns[1].Name, table.Columns[2].Name)
		require.NoError(t, os.WriteFile(filepath.Join(docs, fmt.Sprintf("%d.md", i)), []byte(body), 0o600))
	}
	s, err = New(Config{DefaultSource: "vault", KnowledgeDir: docs, KnowledgeWait: time.Hour, MaxDocs: 20}, Deps{Sources: snapshotStore(t, "vault", snapshot), DataDir: t.TempDir(), Policy: rules, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, snapshot, secrets
}

// questions ask for everything, by the words of hidden things too.
func vaultQuestions(s *catalog.Snapshot) []string {
	t := &s.Tables[5]
	return []string{
		"orders by day", "parcels and visits", "which tables are there about tickets?", "what columns are there", s.Marts[0].Name + " mart", s.Glossary[1].Term,
		t.Columns[0].Samples[0], "what does " + t.Columns[1].Name + " mean?", "@" + t.Name.String(), "who owns " + s.Tables[7].Name.Table, strings.Fields(t.Columns[2].Comment)[1],
	}
}

func TestNoAnswerHoldsWhatAPolicyKeeps(t *testing.T) {
	t.Parallel()
	for _, seed := range shorttest.Some(propertySeeds, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s, snapshot, secrets := vault(t, seed)
			require.Greater(t, len(secrets), 50)
			names := []string{snapshot.Tables[0].Name.String(), snapshot.Tables[9].Name.Table, "vault.s0.t_nothing"}
			for round := range 2 { // the second from caches that the boss has filled
				for _, text := range vaultQuestions(snapshot) {
					// What the asker wrote comes back, and only that.
					kept := secretsWithout(secrets, text, names)
					interrogate(as(t, "ann"), s, text, names, func(rpc string, m proto.Message) {
						require.Empty(t, leak(m.ProtoReflect(), kept, rpc), "round %d, asked %q", round, text)
					})
					interrogate(as(t, "boss"), s, text, names, func(string, proto.Message) {})
				}
			}
		})
	}
}

func secretsWithout(secrets []string, text string, names []string) map[string]bool {
	kept := make(map[string]bool)
	asked := strings.ToLower(text + " " + strings.Join(names, " "))
	for _, secret := range secrets {
		if !strings.Contains(asked, strings.ToLower(secret)) {
			kept[strings.ToLower(secret)] = true
		}
	}
	return kept
}

// TestTheBossSeesIt proves the looking: somebody who may know everything is told
// words that the policy keeps from ann, so an answer that leaked would be found.
func TestTheBossSeesIt(t *testing.T) {
	t.Parallel()
	s, snapshot, secrets := vault(t, propertySeeds[0])
	seen := make(map[string]bool)
	kept := secretsWithout(secrets, "orders by day", []string{snapshot.Tables[0].Name.String()})
	interrogate(as(t, "boss"), s, "orders by day", []string{snapshot.Tables[0].Name.String()}, func(rpc string, m proto.Message) {
		if leak(m.ProtoReflect(), kept, rpc) != "" {
			seen[rpc] = true
		}
	})
	for _, rpc := range []string{"Discover", "DiscoverUnary", "SearchTables", "DescribeTables", "ListTables", "ListMarts", "GetGlossary"} {
		require.True(t, seen[rpc], "%s tells the boss of hidden things", rpc)
	}
}

// TestHiddenAndUnknownAreTheSame: a table that the asker may not see answers to its
// name as one that does not exist.
func TestHiddenAndUnknownAreTheSame(t *testing.T) {
	t.Parallel()
	s, snapshot, secrets := vault(t, propertySeeds[1])
	i := slices.IndexFunc(snapshot.Tables, func(t catalog.Table) bool { return slices.Contains(secrets, t.Name.Table) })
	require.GreaterOrEqual(t, i, 0)
	hidden := snapshot.Tables[i].Name
	unknown := hidden
	unknown.Table = "t_zzzzz" + hidden.Table[len(hidden.Table)-4:]
	for _, ctx := range []context.Context{as(t, "ann"), run.With(t.Context(), run.Context{Principal: run.Principal{ID: "eve"}, Now: today})} {
		answers := make(map[catalog.Name][]string)
		for _, name := range []catalog.Name{hidden, unknown} {
			interrogate(ctx, s, "orders by day", []string{name.String()}, func(rpc string, m proto.Message) {
				text := fmt.Sprintf("%s %T", rpc, m)
				if e, ok := m.(*findatav1.SearchTablesResponse); ok {
					x := e.GetExplanations()[0]
					text += fmt.Sprint(x.GetFound(), x.GetRank(), x.GetScore(), x.GetExcludedBy(), x.GetFeatures(), x.GetReasons(), x.GetMissingWords(), x.GetInstead(), len(e.GetTables()))
				}
				answers[name] = append(answers[name], text)
			})
		}
		require.Equal(t, answers[unknown], answers[hidden])
	}
}
