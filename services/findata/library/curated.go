package library

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Limits of what curators decided of one source.
const (
	maxCuratedBytes   = 4 << 20
	maxCuratedEntries = 20_000
)

// Decisions are what curators made of questions that went wrong, as kept in a file.
type Decisions struct {
	Synonyms []Synonym      `yaml:"synonyms,omitempty"`
	Glossary []catalog.Term `yaml:"glossary,omitempty"`
}

// Synonym are words that mean the same, for all marts or for one.
type Synonym struct {
	Words []string `yaml:"words,flow"`
	Mart  string   `yaml:"mart,omitempty"`
}

// Curated keeps decisions in a file a source, which people may edit too. It may be used
// concurrently.
type Curated struct {
	dir      string
	analyzer *analysis.Analyzer

	mu   sync.Mutex
	read map[string]*curatedFile // by source
}

// curatedFile is a file as it was read.
type curatedFile struct {
	modified  time.Time
	size      int64
	decisions Decisions
	words     *synonym.Dictionary // groups: "s" and the number of a synonym, "t" and that of a term
}

// NewCurated returns the decisions of a folder, which is made when the first is kept.
func NewCurated(dir string) (*Curated, error) {
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	return &Curated{dir: dir, analyzer: analyzer, read: make(map[string]*curatedFile)}, nil
}

// Path is the file of a source.
func (c *Curated) Path(source string) string { return filepath.Join(c.dir, source+".yaml") }

// of returns the file of a source as it is now. Where it cannot be read, the one read
// before, with the error.
func (c *Curated) of(source string) (*curatedFile, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.read[source]
	info, err := os.Stat(c.Path(source))
	if errors.Is(err, fs.ErrNotExist) {
		delete(c.read, source)
		return &curatedFile{}, nil
	}
	if err == nil && have != nil && info.ModTime().Equal(have.modified) && info.Size() == have.size {
		return have, nil
	}
	var raw []byte
	if err == nil && info.Size() > maxCuratedBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxCuratedBytes)
	}
	if err == nil {
		raw, err = os.ReadFile(c.Path(source))
	}
	next := &curatedFile{}
	if err == nil {
		next.decisions, err = parseDecisions(raw)
	}
	if err != nil {
		if have == nil {
			have = &curatedFile{}
		}
		return have, fmt.Errorf("read what curators decided in %s: %w", c.Path(source), err)
	}
	next.modified, next.size = info.ModTime(), info.Size()
	var groups []synonym.Group
	for i, s := range next.decisions.Synonyms {
		groups = append(groups, synonym.Group{ID: fmt.Sprint("s", i), Entries: s.Words})
	}
	for i, t := range next.decisions.Glossary {
		groups = append(groups, synonym.Group{ID: fmt.Sprint("t", i), Entries: append([]string{t.Term}, t.Synonyms...)})
	}
	next.words = synonym.New(c.analyzer, synonym.Weights{}, groups)
	c.read[source] = next
	return next, nil
}

func parseDecisions(raw []byte) (d Decisions, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil && !errors.Is(err, io.EOF) {
		return d, err
	}
	if len(d.Synonyms)+len(d.Glossary) > maxCuratedEntries {
		return d, fmt.Errorf("it has more than %d entries", maxCuratedEntries)
	}
	for i, s := range d.Synonyms {
		if len(s.Words) < 2 {
			return d, fmt.Errorf("synonym %d has fewer than two words", i+1)
		}
	}
	return d, nil
}

// Said is what of the decisions a text speaks of.
type Said struct {
	Others []string       // other words for those of the text
	Terms  []catalog.Term // business words in it
}

// Of returns what a text speaks of, of all marts and of those that are shown. err says
// that the file cannot be read; what was read before still counts.
func (c *Curated) Of(source, text string, shown func(mart string) bool) (Said, error) {
	f, err := c.of(source)
	var out Said
	if f.words == nil {
		return out, err
	}
	for _, m := range f.words.Matches(text) {
		var mart string
		var n int
		if _, scanErr := fmt.Sscan(m.Group.ID[1:], &n); scanErr != nil {
			continue
		}
		if m.Group.ID[0] == 's' {
			mart = f.decisions.Synonyms[n].Mart
		} else {
			mart = f.decisions.Glossary[n].Mart
		}
		if mart != "" && !shown(mart) {
			continue
		}
		if m.Group.ID[0] == 't' {
			out.Terms = append(out.Terms, f.decisions.Glossary[n])
		}
		for _, e := range m.Group.Entries {
			if !strings.EqualFold(e, m.Surface) && !slices.Contains(out.Others, e) {
				out.Others = append(out.Others, e)
			}
		}
	}
	return out, err
}

// Change returns the file's text before and after adding entries. With keep the new one
// is written, in the place of the old one at once.
func (c *Curated) Change(source string, add Decisions, keep bool) (before, after string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, err := os.ReadFile(c.Path(source))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	have, err := parseDecisions(raw)
	if err != nil {
		return "", "", fmt.Errorf("read what curators decided in %s: %w", c.Path(source), err)
	}
	for _, s := range add.Synonyms {
		if !slices.ContainsFunc(have.Synonyms, func(o Synonym) bool { return o.Mart == s.Mart && slices.Equal(o.Words, s.Words) }) {
			have.Synonyms = append(have.Synonyms, s)
		}
	}
	for _, t := range add.Glossary {
		have.Glossary = slices.DeleteFunc(have.Glossary, func(o catalog.Term) bool { return strings.EqualFold(o.Term, t.Term) && o.Mart == t.Mart })
		have.Glossary = append(have.Glossary, t)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(have); err != nil {
		return "", "", err
	}
	if _, err := parseDecisions(out.Bytes()); err != nil {
		return "", "", err
	}
	if !keep || out.String() == string(raw) {
		return string(raw), out.String(), nil
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return "", "", err
	}
	next := c.Path(source) + ".new"
	if err := os.WriteFile(next, out.Bytes(), 0o600); err != nil {
		return "", "", err
	}
	delete(c.read, source)
	return string(raw), out.String(), os.Rename(next, c.Path(source))
}
