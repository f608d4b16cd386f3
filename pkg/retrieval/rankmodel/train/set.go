// Package train fits ranking models: on labelled questions about a corpus and
// distorted copies of it, or on what people did with the tables they were shown.
package train

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/mark"
	"github.com/dibrain/dibrain/pkg/ingest/jsonl"
	"github.com/dibrain/dibrain/pkg/ingest/lines"
)

// ErrData is the error of training data that cannot be read.
var ErrData = errors.New("unreadable training data")

// Bounds of what is read.
const (
	maxQuestionsBytes = 64 << 20
	maxQuestions      = 100_000
)

// region of a corpus' tables.
const region = "corpus"

// Set is a corpus with labelled questions about it.
type Set struct {
	Name      string
	SHA256    string // of the questions' file
	Tables    []catalog.Table
	Questions []Labelled
}

// twinShare is the share of tables with marks from which a catalog is one of near
// twins.
const twinShare = 0.3

// HasTwins reports whether many of the tables differ from others by marks alone
// (country, layer, snapshot, copy): such a set tells how facets count.
func (s *Set) HasTwins() bool {
	index := catalog.NewIndex(&catalog.Snapshot{Tables: s.Tables}, catalog.Defaults{Region: region})
	marked := 0
	for _, t := range index.All().Tables() {
		m := index.Marks(t)
		for _, f := range [...]mark.Facet{mark.Country, mark.Layer, mark.Snapshot, mark.Copy} {
			if m.Values[f] != "" {
				marked++
				break
			}
		}
	}
	return float64(marked) >= twinShare*float64(len(s.Tables))
}

// Labelled is a question with the tables that answer it.
type Labelled struct {
	Text  string
	Group string // the schema of the first of them
	Gold  []int  // by number in Set.Tables
}

// SetFiles are the files of a labelled set in a folder: its tables and its questions.
func SetFiles(dir string) (corpus, questions string) {
	corpus = filepath.Join(dir, "corpus.jsonl")
	if _, err := os.Stat(corpus); errors.Is(err, os.ErrNotExist) {
		corpus += ".gz"
	}
	return corpus, filepath.Join(dir, "train.jsonl")
}

// ReadSet reads a corpus (JSON lines as `dibrain ingest jsonl` takes them, with
// ids) and questions about it: {"question": …, "gold_tables": [id …]} a line.
// Questions whose tables the corpus lacks are left out. Errors: ErrData.
func ReadSet(ctx context.Context, corpusPath, questionsPath string) (*Set, error) {
	s := &Set{Name: filepath.Join(filepath.Base(filepath.Dir(questionsPath)), filepath.Base(questionsPath))}
	ids := make(map[string]int)
	err := jsonl.Each(ctx, corpusPath, lines.Limits{}, func(n int, line *jsonl.Line, err error) error {
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		ids[strings.ToLower(line.ID)] = len(s.Tables)
		s.Tables = append(s.Tables, line.CatalogTable(region))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrData, corpusPath, err)
	}
	if err := s.readQuestions(questionsPath, ids); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrData, questionsPath, err)
	}
	if len(s.Questions) == 0 {
		return nil, fmt.Errorf("%w: %s asks for no table of %s", ErrData, questionsPath, corpusPath)
	}
	return s, nil
}

func (s *Set) readQuestions(path string, ids map[string]int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > maxQuestionsBytes {
		return fmt.Errorf("it has %d bytes: at most %d are read", info.Size(), maxQuestionsBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	s.SHA256 = hex.EncodeToString(sum[:])
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		if len(s.Questions) == maxQuestions {
			return fmt.Errorf("it has more than %d questions", maxQuestions)
		}
		if err := s.addQuestion(scan.Bytes(), ids); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return scan.Err()
}

func (s *Set) addQuestion(line []byte, ids map[string]int) error {
	var q struct {
		Question string   `json:"question"`
		Gold     []string `json:"gold_tables"`
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return err
	}
	l := Labelled{Text: q.Question}
	for _, id := range q.Gold {
		n, known := ids[strings.ToLower(id)]
		if !known {
			return nil
		}
		l.Gold = append(l.Gold, n)
	}
	if len(l.Gold) > 0 {
		l.Group = s.Tables[l.Gold[0]].Name.Schema
		s.Questions = append(s.Questions, l)
	}
	return nil
}
