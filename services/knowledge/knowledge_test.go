package knowledge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/docs"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/knowledge"
)

// hangs is how long something may take that happens at once.
const hangs = 20 * time.Second

// library is a service over folders that a test fills.
type library struct {
	t       testing.TB
	dir     string
	service *knowledge.Service

	mu  sync.Mutex
	now time.Time
}

func (l *library) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *library) pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// write puts a file into the collection's folder.
func (l *library) write(name, text string) {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	require.NoError(l.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(l.t, os.WriteFile(path, []byte(text), 0o600))
}

// newLibrary returns a library with the collections of a YAML text; paths are relative
// to its folder.
func newLibrary(t testing.TB, collections string, change ...func(*knowledge.Config, *knowledge.Deps)) *library {
	t.Helper()
	l := &library{t: t, dir: t.TempDir(), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	l.write("collections.yaml", collections)
	cfg := knowledge.Config{CollectionsFile: filepath.Join(l.dir, "collections.yaml"), HideOwnDocs: true}
	deps := knowledge.Deps{OwnDocs: docs.Files, DataDir: filepath.Join(l.dir, "data"), Clock: l.clock, Log: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&cfg, &deps)
	}
	var err error
	l.service, err = knowledge.New(cfg, deps)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.service.Close()) })
	return l
}

const handbook = "collections: [{name: handbook, path: handbook, url: 'https://wiki.example.com/x', owner: help@example.com}]"

var alice = run.Principal{ID: "alice", Groups: []string{"staff"}}

func (l *library) ask(question string) knowledge.Answer {
	l.t.Helper()
	a, err := l.service.AnswerFAQ(l.t.Context(), alice, knowledge.FAQ{Question: question, Language: lang.Detect(question)})
	require.NoError(l.t, err, question)
	return a
}

func TestAnswerQuotesWithDocumentSectionAndLink(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook)
	l.write("handbook/guides/access.md", "---\nproduct: Portal\nupdated: 2025-02-03\n---\n# Access\nWho comes in.\n\n## Parking permits\nPermits are on paper. A parking permit is issued within five days. It is free of charge.\n\n## Badges\nA lost badge is replaced at the desk.\n")
	a := l.ask("how long until a parking permit is issued?")
	require.True(t, a.Answered)
	require.Equal(t, knowledge.Citation{
		Document: "guides/access.md", Section: "Access › Parking permits", URL: "https://wiki.example.com/x/guides/access.md#parking-permits",
		Quote: "A parking permit is issued within five days. It is free of charge.", Collection: "handbook", Product: "Portal",
		Score: a.Citations[0].Score, Changed: time.Date(2025, 2, 3, 0, 0, 0, 0, time.UTC),
	}, a.Citations[0])
	require.Equal(t, a.Citations[0].Quote, a.Text)
	require.Equal(t, "rules", a.Strategy)

	a = l.ask("how do I descale the espresso machine with a permit?")
	require.False(t, a.Answered)
	require.Empty(t, a.Citations)
	require.Equal(t, "Access › Parking permits", a.Nearest[0].Section)
	require.Equal(t, "help@example.com", a.Ask)
	require.Equal(t, "The documents do not answer this. Nearest sections: Access › Parking permits. Ask help@example.com.", a.Text)

	a = l.ask("停车许可证多久发放？")
	require.True(t, a.Answered, "a Chinese question over English documents")
	require.Contains(t, a.Text, "five days")
	a = l.ask("停车许可证的阿卡贝拉多久发放？")
	require.Contains(t, strings.Join(a.Warnings, ""), "文档使用另一种语言", "what the lexicon cannot take across is told")

	_, err := l.service.AnswerFAQ(t.Context(), alice, knowledge.FAQ{Question: "  "})
	require.Equal(t, "QUESTION_EMPTY", fault.ReasonOf(err))
}

func TestCollectionsThatOneMayNotReadDoNotExist(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, `collections:
  - {name: open, path: open}
  - {name: secret, path: secret, groups: [board], users: [carol], product: Merger, owner: board@example.com}`)
	l.write("open/a.md", "# Lunch\nLunch is at noon.\n")
	l.write("secret/b.md", "# Merger\nThe merger is signed in May.\n")
	a := l.ask("when is the merger signed?")
	require.False(t, a.Answered)
	require.NotContains(t, a.Text, "board")
	require.NotContains(t, fmt.Sprint(a), "erger is")
	for _, unknown := range []string{"secret", "nowhere"} {
		_, err := l.service.AnswerFAQ(t.Context(), alice, knowledge.FAQ{Question: "merger", Collections: []string{unknown}})
		require.Equal(t, "COLLECTION_UNKNOWN", fault.ReasonOf(err), unknown)
		_, _, err = l.service.Documents(t.Context(), alice, knowledge.Listing{Collection: unknown, Size: 10})
		require.Equal(t, "COLLECTION_UNKNOWN", fault.ReasonOf(err), unknown)
	}
	_, err := l.service.AnswerFAQ(t.Context(), alice, knowledge.FAQ{Question: "merger", Product: "Merger"})
	require.Equal(t, "PRODUCT_UNKNOWN", fault.ReasonOf(err))
	products, err := l.service.Products(t.Context(), alice)
	require.NoError(t, err)
	require.Empty(t, products)
	for _, p := range []run.Principal{{ID: "bob", Groups: []string{"board"}}, {ID: "carol"}} {
		a, err := l.service.AnswerFAQ(t.Context(), p, knowledge.FAQ{Question: "when is the merger signed?"})
		require.NoError(t, err)
		require.True(t, a.Answered, p.ID)
	}
	list, _, err := l.service.Documents(t.Context(), alice, knowledge.Listing{Size: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func TestChangesAreReadByGeneration(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook)
	l.write("handbook/a.md", "# Lunch\nLunch is served at noon.\n")
	l.write("handbook/.git/b.md", "# Lunch\nLunch is served in the git folder.\n")
	require.Contains(t, l.ask("when is lunch served?").Text, "noon")
	l.write("handbook/a.md", "# Lunch\nLunch is served at one o'clock.\n")
	require.Contains(t, l.ask("when is lunch served?").Text, "noon", "not looked at again so soon")
	l.pass(time.Minute)
	l.ask("when is lunch served?")
	require.Eventually(t, func() bool { return strings.Contains(l.ask("when is lunch served?").Text, "one o'clock") }, hangs, time.Millisecond)

	require.NoError(t, os.Rename(filepath.Join(l.dir, "handbook"), filepath.Join(l.dir, "gone")))
	l.pass(time.Minute)
	var a knowledge.Answer
	require.Eventually(t, func() bool { a = l.ask("when is lunch served?"); return len(a.Warnings) > 0 }, hangs, time.Millisecond)
	require.Contains(t, a.Text, "one o'clock", "answers go on with what was read")
	require.Contains(t, a.Warnings[0], "The documents of handbook cannot be read at present; what is said rests on how they were at 2026-01-02 03:05:05 UTC.")

	require.NoError(t, os.Rename(filepath.Join(l.dir, "gone"), filepath.Join(l.dir, "handbook")))
	l.write("handbook/a.md", "# Lunch\nLunch is served at two o'clock, again.\n")
	admin := run.Principal{ID: "root", Admin: true}
	in, err := l.service.Ingest(t.Context(), admin, "handbook", func(int, int, string) {})
	require.NoError(t, err)
	require.Equal(t, knowledge.Ingested{Documents: 1, Passages: 1}, in)
	a = l.ask("when is lunch served?")
	require.Contains(t, a.Text, "two o'clock")
	require.Empty(t, a.Warnings)
	_, err = l.service.Ingest(t.Context(), alice, "handbook", func(int, int, string) {})
	require.Equal(t, "ADMIN_ONLY", fault.ReasonOf(err))
	_, err = l.service.Ingest(t.Context(), admin, "nowhere", func(int, int, string) {})
	require.Equal(t, "COLLECTION_UNKNOWN", fault.ReasonOf(err))
}

func TestAFolderThatNeverWasIsTold(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook)
	a := l.ask("when is lunch served?")
	require.False(t, a.Answered)
	require.Equal(t, []string{"The documents of handbook cannot be read at present; they were left out."}, a.Warnings)
	_, _, err := l.service.Documents(t.Context(), alice, knowledge.Listing{Collection: "handbook", Size: 1})
	require.Equal(t, "COLLECTION_UNREADABLE", fault.ReasonOf(err))
	require.NotContains(t, err.Error(), l.dir, "the path is for operators")
}

func TestDocumentsThatCannotBeReadKeepNoOtherFromBeingFound(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook, func(c *knowledge.Config, _ *knowledge.Deps) { c.MaxFileBytes = 1 << 10 })
	l.write("handbook/a.md", "# Lunch\nLunch is served at noon.\n")
	l.write("handbook/big.txt", strings.Repeat("x", 1<<10+1))
	l.write("handbook/broken.pdf", "%PDF-1.4\nnothing\n")
	l.write("handbook/picture.png", "ignored")
	l.write("handbook/latin.txt", "caf\xe9")
	require.Contains(t, l.ask("when is lunch served?").Text, "noon")
	list, next, err := l.service.Documents(t.Context(), alice, knowledge.Listing{Size: 2})
	require.NoError(t, err)
	rest, last, err := l.service.Documents(t.Context(), alice, knowledge.Listing{Size: 2, Token: next})
	require.NoError(t, err)
	require.Empty(t, last)
	problems := make(map[string]string)
	for _, d := range append(list, rest...) {
		problems[d.Name] = d.Problem
	}
	require.Len(t, problems, 4)
	require.Empty(t, problems["a.md"])
	require.Contains(t, problems["big.txt"], "it has 1025 bytes, and at most 1024 are read")
	require.Contains(t, problems["broken.pdf"], "damaged")
	require.Contains(t, problems["latin.txt"], "UTF-8")
	_, _, err = l.service.Documents(t.Context(), alice, knowledge.Listing{Size: 2, Token: "?"})
	require.Equal(t, "PAGE_TOKEN_INVALID", fault.ReasonOf(err))
}

func TestAFolderBeyondItsLimitsIsRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook, func(c *knowledge.Config, _ *knowledge.Deps) { c.MaxDocuments = 2 })
	for i := range 3 {
		l.write(fmt.Sprintf("handbook/%d.md", i), "text")
	}
	_, err := l.service.Ingest(t.Context(), run.Principal{ID: "root", Admin: true}, "handbook", func(int, int, string) {})
	require.Equal(t, "COLLECTION_TOO_LARGE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "knowledge.max_documents")
}

func TestConflictsAreShownWithDates(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook)
	l.write("handbook/old.md", "---\nupdated: 2023-04-01\n---\n# Retention\nBackups of the database are kept for 30 days.\n")
	l.write("handbook/new.md", "---\nupdated: 2025-04-01\n---\n# Retention\nBackups of the database are kept for 90 days.\n")
	l.write("handbook/other.md", "---\nupdated: 2025-04-01\n---\n# Audit\nAudit logs of the portal are kept for 400 days.\n")
	a := l.ask("how long are backups of the database kept?")
	require.Len(t, a.Conflicts, 1)
	require.Equal(t, []string{"90 days", "30 days"}, a.Conflicts[0].Values)
	require.Equal(t, "new.md", a.Conflicts[0].Cited[0].Document)
	require.Contains(t, a.Text, "The documents do not agree; newest first:\n- 2025-04-01, Retention: Backups of the database are kept for 90 days.\n- 2023-04-01,")
	require.Empty(t, l.ask("how long are audit logs of the portal kept?").Conflicts)
}

func TestProductsScopeTheSearch(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "collections: [{name: a, path: a, product: Mail}, {name: b, path: b, product: Disk}]")
	l.write("a/q.jsonl", `{"question":"How do I share?","answer":"Press forward in Mail."}`+"\n"+`{"question":"How do I print?","answer":"Press print.","product":"Printer"}`)
	l.write("b/q.jsonl", `{"question":"How do I share?","answer":"Press share in Disk."}`)
	for product, want := range map[string]string{"mail": "in Mail", "Disk": "in Disk"} {
		a, err := l.service.AnswerFAQ(t.Context(), alice, knowledge.FAQ{Question: "how can I share", Product: product})
		require.NoError(t, err)
		require.Contains(t, a.Text, want)
	}
	_, err := l.service.AnswerFAQ(t.Context(), alice, knowledge.FAQ{Question: "share", Product: "Fax"})
	require.Equal(t, "PRODUCT_UNKNOWN", fault.ReasonOf(err))
	require.ErrorContains(t, err, "The products are: Disk, Mail, Printer.")
	products, err := l.service.Products(t.Context(), alice)
	require.NoError(t, err)
	require.Equal(t, []knowledge.Product{{"Disk", 1, []string{"b"}}, {"Mail", 1, []string{"a"}}, {"Printer", 1, []string{"a"}}}, products)
}

func TestCollectionsFilesAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"collections: [{name: Big, path: x}]":                    "name has to be of lower-case",
		"collections: [{name: dibrain, path: x}]":                "take another one",
		"collections: [{name: a}]":                               "path is missing",
		"collections: [{name: a, path: x}, {name: a, path: x}]":  "there is one of that name already",
		"collections: [{name: a, path: x, url: 'javascript:x'}]": "url has to begin with",
		"collections: [{name: a, path: x, colour: red}]":         "field colour not found",
		"collections: [{name: a, path: x, groups: {a: b}}]":      "cannot unmarshal",
		strings.Repeat("# a comment that never ends\n", 100_000): "more than",
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := knowledge.ReadSettings(file)
		require.ErrorContains(t, err, want)
		_, err = knowledge.New(knowledge.Config{CollectionsFile: file}, knowledge.Deps{DataDir: t.TempDir()})
		require.ErrorContains(t, err, want)
	}
	for _, c := range []knowledge.Config{{MaxPassage: -1}, {MinConfidence: 2}, {Strategy: "guess"}, {CheckEvery: -1}, {MaxFileBytes: -1}} {
		_, err := c.Complete()
		require.ErrorContains(t, err, "knowledge.")
	}
}

// questionsOf reads a file of questions in testdata.
func questionsOf(t *testing.T, name string) (list []struct {
	Question  string
	Documents []string
}) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var q struct {
			Question  string
			Documents []string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &q))
		list = append(list, q)
	}
	require.NoError(t, lines.Err())
	return list
}

// The threshold is held by questions about this project and about other things.
func TestConfidenceTellsProductsApart(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "collections: []", func(c *knowledge.Config, _ *knowledge.Deps) { c.HideOwnDocs = false })
	right, answered, all := 0, 0, 0
	for _, file := range []string{"answerable.jsonl", "answerable_zh.jsonl"} {
		for _, q := range questionsOf(t, file) {
			a := l.ask(q.Question)
			all++
			if !a.Answered {
				t.Logf("declined: %s", q.Question)
				continue
			}
			answered++
			isRight := false
			for _, d := range append(q.Documents, "faq.md") {
				isRight = isRight || d == a.Citations[0].Document
			}
			if isRight {
				right++
			} else {
				t.Logf("other document: %s: %s, %s", q.Question, a.Citations[0].Document, a.Citations[0].Section)
			}
		}
	}
	declined, foreign := 0, 0
	for _, q := range questionsOf(t, "foreign.jsonl") {
		foreign++
		if a := l.ask(q.Question); !a.Answered {
			declined++
		} else {
			t.Logf("answered: %s: %s", q.Question, a.Citations[0].Section)
		}
	}
	t.Logf("answered %d and right %d of %d, declined %d of %d foreign ones", answered, right, all, declined, foreign)
	require.GreaterOrEqual(t, float64(answered), 0.92*float64(all))
	require.GreaterOrEqual(t, float64(right), 0.80*float64(all))
	require.GreaterOrEqual(t, float64(declined), 0.90*float64(foreign))
}

func TestOwnDocumentsAnswerOutOfTheBox(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, "collections: []", func(c *knowledge.Config, _ *knowledge.Deps) { c.HideOwnDocs = false })
	a := l.ask("how do I add a metric?")
	require.Equal(t, "faq.md", a.Citations[0].Document)
	require.Contains(t, a.Text, "semantic layer")
	a = l.ask("why was my query refused?")
	require.Contains(t, a.Text, "guard refuses")
	products, err := l.service.Products(t.Context(), alice)
	require.NoError(t, err)
	require.Equal(t, "DI-Brain", products[0].Name)
}

func TestAReadingEndsWithTheService(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, handbook)
	for i := range 300 {
		l.write(fmt.Sprintf("handbook/%d.md", i), strings.Repeat("# Heading\nSome words of a text.\n", 200))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.service.AnswerFAQ(ctx, alice, knowledge.FAQ{Question: "text"})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, l.service.Close()) // waits for the reading, which ends at once
}
