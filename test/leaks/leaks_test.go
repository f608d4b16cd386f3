// Package leaks holds the product to its word that nothing in it knows an
// evaluation set: no database, table or column of one by name, and no question.
package leaks

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// What of the repository is looked at: all that the binary is made of. Tests and
// their data may name things; internal/eval and its figures are about the sets.
var (
	looked   = regexp.MustCompile(`^(services|pkg|internal|proto|cmd)/.*\.(go|yaml|yml|json|md|txt|tsv|csv|proto|tmpl)$`)
	excepted = regexp.MustCompile(`_test\.go$|/testdata/|^internal/eval/`)
)

// publicNames are names that a set has too, but which are of the world.
var publicNames = []string{"new_york", "day_of_month", "access_token"} // a time zone, a function of Presto, a kind of token of OAuth 2.0

func TestNothingKnowsAnEvaluationSet(t *testing.T) {
	t.Parallel()
	root, data := evaluationData(t)
	files := productFiles(t, root)
	require.Greater(t, len(files), 200)
	names := namesOf(t, data)
	require.Greater(t, len(names), 1000)
	said := questions(t, data)
	require.Greater(t, len(said), 5000)
	for path, text := range files {
		knows(t, path, text, names, said)
	}
}

// evaluationData finds the module and the sets beside it.
func evaluationData(t *testing.T) (root, data string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	data = filepath.Join(filepath.Dir(root), "shared", "data")
	if _, err := os.Stat(data); err != nil {
		t.Skip("no ../shared/data beside the module: the evaluation sets are not here")
	}
	return root, data
}

var compound = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+`)

// knows fails where a text has a name of a set, or words of its questions.
func knows(t *testing.T, path, text string, names, said map[string]bool) {
	t.Helper()
	for _, w := range slices.Compact(slices.Sorted(slices.Values(compound.FindAllString(text, -1)))) {
		if w = strings.ToLower(w); names[w] {
			t.Errorf("%s names %s, which an evaluation set has", path, w)
		}
	}
	for line := range strings.Lines(text) {
		for piece := range pieces(line) {
			if said[piece] {
				t.Errorf("%s says %q, words of a question", path, piece)
			}
		}
	}
}

// packed are the compressed lists that git tracks, unpacked.
func packed(t *testing.T, root string) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z", "services/*.gz", "pkg/*.gz", "internal/*.gz", "cmd/*.gz").Output()
	require.NoError(t, err)
	lists := map[string]string{}
	for _, path := range strings.Split(string(out), "\x00") {
		if path != "" && !excepted.MatchString(path) {
			lists[path] = unpacked(t, filepath.Join(root, path))
		}
	}
	return lists
}

// productFiles reads what git tracks.
func productFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z").Output()
	require.NoError(t, err)
	files := map[string]string{}
	for _, path := range strings.Split(string(out), "\x00") {
		if !looked.MatchString(path) || excepted.MatchString(path) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if os.IsNotExist(err) {
			continue // removed and not yet committed
		}
		require.NoError(t, err)
		files[path] = string(text)
	}
	require.NotEmpty(t, files, root)
	return files
}

// namesOf are the names of databases and tables that have two words or more, and those
// of columns that have three or more and are in one database alone; shorter ones are
// anybody's, and single words are looked at by TestNoListKnowsASet.
func namesOf(t *testing.T, data string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	columns := map[string]string{} // to the one database that has it; empty: several
	column := func(name, db string) {
		if had, ok := columns[name]; ok && had != db {
			db = ""
		}
		columns[name] = db
	}
	for _, set := range []string{"spiderman", "defog"} {
		dirs, err := os.ReadDir(filepath.Join(data, "text2sql", set, "databases"))
		require.NoError(t, err)
		require.NotEmpty(t, dirs, set)
		for _, d := range dirs {
			names[strings.ToLower(d.Name())] = true
		}
	}
	for _, path := range glob(t, data, "table_discovery/*/corpus*") {
		if strings.Contains(path, "synth50k") {
			continue // made of the others' names by rule
		}
		eachLine(t, path, func(line struct {
			DB, Table string
			Columns   [][]any
		}) {
			_, table, found := strings.Cut(line.Table, ".")
			if !found {
				table = line.Table
			}
			names[strings.ToLower(line.DB)], names[strings.ToLower(table)] = true, true
			for _, c := range line.Columns {
				if name, ok := c[0].(string); ok && strings.Count(name, "_") >= 2 {
					column(strings.ToLower(name), line.DB)
				}
			}
		})
	}
	for name, db := range columns {
		if db != "" {
			names[name] = true
		}
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool {
		return !strings.Contains(name, "_") || slices.Contains(publicNames, name)
	})
	return names
}

// questions are all sequences of words or of Chinese characters, of the length of
// pieces, in the questions that are scored.
func questions(t *testing.T, data string) map[string]bool {
	t.Helper()
	said := map[string]bool{}
	for _, pattern := range []string{"text2sql/*/dev.jsonl", "table_discovery/*/queries*.jsonl", "routing/cases.jsonl"} {
		for _, path := range glob(t, data, pattern) {
			eachLine(t, path, func(line struct {
				EN string `json:"question"`
				ZH string `json:"question_zh"`
			}) {
				for _, text := range []string{line.EN, line.ZH} {
					for piece := range pieces(text) {
						said[piece] = true
					}
				}
			})
		}
	}
	return said
}

// Lengths of pieces: so many words or Chinese characters in a row are no chance.
const (
	wordsInPiece = 7
	hanInPiece   = 9
)

var part = regexp.MustCompile(`[A-Za-z0-9']+|\p{Han}`)

// pieces yields the sequences of words, and of Chinese characters, of a text.
func pieces(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		parts := part.FindAllString(strings.ToLower(text), -1)
		for i := range parts {
			n := wordsInPiece
			if len(parts[i]) >= utf8.UTFMax-1 && parts[i][0] >= utf8.RuneSelf {
				n = hanInPiece
			}
			if i+n <= len(parts) && !yield(strings.Join(parts[i:i+n], " ")) {
				return
			}
		}
	}
}

func glob(t *testing.T, data, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(data, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, paths, pattern)
	return paths
}

func eachLine[T any](t *testing.T, path string, do func(T)) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var from io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		from, err = gzip.NewReader(file)
		require.NoError(t, err)
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line), path)
		do(line)
	}
	require.NoError(t, lines.Err())
}
