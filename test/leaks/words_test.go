package leaks

import (
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// common is how many of the most frequent English words tell nothing.
	common = 1500
	// own is in how many databases a word may be that is one's own.
	own = 2
	// chance is how unlikely it has to be that a list knows so many words of a
	// database: with some 200 databases one in twenty runs of an innocent product
	// would meet it.
	chance = 0.0002
)

// handWritten are the lists of words that people keep. General dictionaries, which
// bring thousands of words with those of any set, are compressed and not among them.
var handWritten = regexp.MustCompile(`^(services/(text2sql|findata|router)|pkg/retrieval|pkg/semantic|pkg/lang)/.*\.yaml$`)

// apart are lists of words that any product has: of the calendar, of the demo's own
// business, of the training of the grammar.
var apart = regexp.MustCompile(`^services/text2sql/(dates|parse)/|^pkg/demo/.*\.(yaml|sql)$`)

// TestNoListKnowsASet looks at the words of hand-written lists one by one. That a list
// has a word of some database means nothing; that it has nearly all of those which only
// this database has, and few have otherwise, means that somebody wrote them down from
// it. How likely that is by chance, the other databases tell.
func TestNoListKnowsASet(t *testing.T) {
	t.Parallel()
	root, data := evaluationData(t)
	known, innocent := map[string]bool{}, map[string]bool{}
	lists := 0
	for path, text := range productFiles(t, root) {
		switch {
		case apart.MatchString(path):
			addWords(innocent, text)
		case handWritten.MatchString(path):
			lists++
			addWords(known, withoutComments(text))
		}
	}
	require.Greater(t, lists, 20)
	require.Greater(t, len(known), 2000)
	for w := range generalWords(t, root, common) {
		innocent[w] = true
	}
	databases := vocabularies(t, data)
	require.Greater(t, len(databases), 150)
	for _, f := range suspects(databases, known, innocent) {
		t.Errorf("hand-written lists have %d of the %d words that only %s and one other database have (by chance: %.5f): %s; leave to the general dictionaries what is no word of any business",
			len(f.known), f.of, f.database, f.chance, strings.Join(f.known, " "))
	}
}

// The test above sees a list that somebody wrote from a database.
func TestAListFromASetIsSeen(t *testing.T) {
	t.Parallel()
	databases := map[string]map[string]bool{}
	letters := "abcdefghijklmnopqrstuvwxyz"
	for i := range 150 {
		vocabulary := map[string]bool{}
		for j := range 12 {
			vocabulary["w"+string(letters[i%26])+string(letters[i/26])+string(letters[j])] = true
		}
		databases["db"+string(letters[i%26])+string(letters[i/26])] = vocabulary
	}
	known := map[string]bool{}
	for name, vocabulary := range databases { // a fifth of each
		for w := range vocabulary {
			known[w] = known[w] || (w[3] == 'a' || w[3] == 'b') && name != ""
		}
	}
	require.Empty(t, suspects(databases, known, nil))
	for w := range databases["dbaa"] {
		known[w] = true
	}
	found := suspects(databases, known, nil)
	require.Len(t, found, 1)
	require.Equal(t, "dbaa", found[0].database)
	require.Empty(t, suspects(databases, known, databases["dbaa"]), "words of the world are nobody's")
}

type suspect struct {
	database string
	known    []string
	of       int
	chance   float64
}

// suspects are the databases of whose own words the lists know too many.
func suspects(databases map[string]map[string]bool, known, innocent map[string]bool) []suspect {
	in := map[string]int{}
	for _, vocabulary := range databases {
		for w := range vocabulary {
			in[w]++
		}
	}
	var all []suspect
	words, hits := 0, 0
	for name, vocabulary := range databases {
		s := suspect{database: name}
		for w := range vocabulary {
			if in[w] > own || innocent[w] {
				continue
			}
			s.of++
			if known[w] {
				s.known = append(s.known, w)
			}
		}
		words, hits = words+s.of, hits+len(s.known)
		all = append(all, s)
	}
	rate := float64(hits) / float64(max(1, words))
	var out []suspect
	for _, s := range all {
		if s.chance = atLeast(s.of, len(s.known), rate); s.chance < chance {
			slices.Sort(s.known)
			out = append(out, s)
		}
	}
	return out
}

// atLeast is how likely k or more of n come, each at a rate: a binomial tail.
func atLeast(n, k int, rate float64) float64 {
	if k == 0 || rate <= 0 || rate >= 1 {
		return 1
	}
	log := func(n int) float64 { v, _ := math.Lgamma(float64(n + 1)); return v }
	sum := 0.0
	for i := k; i <= n; i++ {
		sum += math.Exp(log(n) - log(i) - log(n-i) + float64(i)*math.Log(rate) + float64(n-i)*math.Log(1-rate))
	}
	return sum
}

// vocabularies are the words in the names of tables and columns, by database.
func vocabularies(t *testing.T, data string) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	add := func(db, name string) {
		db = strings.ToLower(db)
		if out[db] == nil {
			out[db] = map[string]bool{}
		}
		addWords(out[db], name)
	}
	table := regexp.MustCompile("(?i)CREATE TABLE\\s+(?:IF NOT EXISTS\\s+)?[\"`]?([\\w ]+)")
	column := regexp.MustCompile("(?im)^\\s*[\"`]?([\\w ]+?)[\"`]?\\s+(?:int|text|varchar|char|real|num|float|double|date|bool|time|big|small|dec|serial|uuid)")
	for _, path := range glob(t, data, "text2sql/*/databases/*/schema.sql") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		db := filepath.Base(filepath.Dir(path))
		add(db, db)
		for _, m := range slices.Concat(table.FindAllStringSubmatch(string(text), -1), column.FindAllStringSubmatch(string(text), -1)) {
			add(db, m[1])
		}
	}
	for _, path := range glob(t, data, "table_discovery/s*/corpus*") {
		if strings.Contains(path, "synth50k") || strings.Contains(path, "spider2") {
			continue // made by rule; thousands of tables of the public web, whose words are anybody's
		}
		eachLine(t, path, func(line struct {
			DB, Table string
			Columns   [][]any
		}) {
			add(line.DB, line.DB)
			add(line.DB, line.Table)
			for _, c := range line.Columns {
				if name, ok := c[0].(string); ok {
					add(line.DB, name)
				}
			}
		})
	}
	return out
}

// generalWords are the most frequent words of English, from the list that the product
// embeds (its licence stands beside it).
func generalWords(t *testing.T, root string, n int) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for i, w := range strings.Split(unpacked(t, filepath.Join(root, "pkg/retrieval/analysis/words.txt.gz")), "\n") {
		if i < n {
			addWords(out, w)
		}
	}
	require.Greater(t, len(out), n/2)
	return out
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	reader, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(io.LimitReader(reader, 64<<20))
	require.NoError(t, err)
	return string(text)
}

var (
	latin = regexp.MustCompile(`[A-Za-z]{3,}`)
	camel = regexp.MustCompile(`([a-z])([A-Z])`)
)

// addWords adds the words of three letters or more, each in its singular.
func addWords(to map[string]bool, text string) {
	for _, w := range latin.FindAllString(camel.ReplaceAllString(text, "$1 $2"), -1) {
		w = strings.ToLower(w)
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		to[w] = true
	}
}

func withoutComments(yaml string) string {
	var b strings.Builder
	for line := range strings.Lines(yaml) {
		text, _, _ := strings.Cut(line, "#")
		b.WriteString(text + "\n")
	}
	return b.String()
}

// TestCompressedListsAreGeneral looks into the compressed lists that the binary
// embeds: each is a whole dictionary under a licence of its own, and names no set. A
// program of others is no list and has as many lines as it likes; all else holds for it.
func TestCompressedListsAreGeneral(t *testing.T) {
	t.Parallel()
	root, data := evaluationData(t)
	names, said := namesOf(t, data), questions(t, data)
	lists := packed(t, root)
	require.NotEmpty(t, lists)
	const least = 100 // entries: fewer are no general list
	for path, text := range lists {
		if !strings.Contains(filepath.Base(path), ".js.") {
			require.Greater(t, strings.Count(text, "\n"), least, "%s is no general list", path)
		}
		base, _, _ := strings.Cut(filepath.Base(path), ".")
		_, err := os.Stat(filepath.Join(root, filepath.Dir(path), base+".LICENSE"))
		require.NoError(t, err, "%s says nothing of its source", path)
		knows(t, path, text, names, said)
	}
}
