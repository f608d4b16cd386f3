package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

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

// Decisions are what curators made of questions that went wrong.
type Decisions struct {
	Synonyms []Synonym      `yaml:"synonyms,omitempty"`
	Glossary []catalog.Term `yaml:"glossary,omitempty"`
}

// Synonym are words that mean the same, for all marts or for one.
type Synonym struct {
	Words []string `yaml:"words,flow"`
	Mart  string   `yaml:"mart,omitempty"`
}

// Texts keep what curators decided, a text in YAML for each source. They may be used
// concurrently and by several processes.
type Texts interface {
	// Place says where the text of a source is, for operators.
	Place(source string) string
	// Mark is equal as long as the text of a source has not changed; empty: there is none.
	Mark(ctx context.Context, source string) (string, error)
	// Read reads the text of a source; none is empty.
	Read(ctx context.Context, source string) ([]byte, error)
	// Change puts what change makes of the text in its place, at once; change may run more
	// than once, on what is there then. Where it returns nil the text stays.
	Change(ctx context.Context, source string, change func(before []byte) (after []byte, err error)) error
}

// Curated keeps decisions in texts. It may be used concurrently.
type Curated struct {
	texts    Texts
	analyzer *analysis.Analyzer

	mu   sync.Mutex
	read map[string]*curatedText // by source
}

// curatedText is a text as it was read.
type curatedText struct {
	mark      string
	decisions Decisions
	words     *synonym.Dictionary // groups: "s" and the number of a synonym, "t" and that of a term
}

// NewCurated returns the decisions that texts hold.
func NewCurated(texts Texts) (*Curated, error) {
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	return &Curated{texts: texts, analyzer: analyzer, read: make(map[string]*curatedText)}, nil
}

// of returns the decisions of a source as they are now. Where they cannot be read, those read
// before, with the error.
func (c *Curated) of(ctx context.Context, source string) (*curatedText, error) {
	mark, err := c.texts.Mark(ctx, source)
	c.mu.Lock()
	have := c.read[source]
	c.mu.Unlock()
	if have == nil {
		have = &curatedText{}
	}
	if err == nil && mark == have.mark {
		return have, nil
	}
	next := &curatedText{mark: mark}
	if err == nil && mark != "" {
		var raw []byte
		if raw, err = c.texts.Read(ctx, source); err == nil {
			next.decisions, err = parseDecisions(raw)
		}
	}
	if err != nil {
		return have, fmt.Errorf("read what curators decided in %s: %w", c.texts.Place(source), err)
	}
	var groups []synonym.Group
	for i, s := range next.decisions.Synonyms {
		groups = append(groups, synonym.Group{ID: fmt.Sprint("s", i), Entries: s.Words})
	}
	for i, t := range next.decisions.Glossary {
		groups = append(groups, synonym.Group{ID: fmt.Sprint("t", i), Entries: append([]string{t.Term}, t.Synonyms...)})
	}
	if len(groups) > 0 {
		next.words = synonym.New(c.analyzer, synonym.Weights{}, groups)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read[source] = next
	return next, nil
}

func parseDecisions(raw []byte) (d Decisions, err error) {
	if len(raw) > maxCuratedBytes {
		return d, fmt.Errorf("it is larger than %d bytes", maxCuratedBytes)
	}
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
// that they cannot be read; what was read before still counts.
func (c *Curated) Of(ctx context.Context, source, text string, shown func(mart string) bool) (Said, error) {
	f, err := c.of(ctx, source)
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

// Change returns the text before and after adding entries. With keep the new one is put in
// the place of the old one at once.
func (c *Curated) Change(ctx context.Context, source string, add Decisions, keep bool) (before, after string, err error) {
	change := func(raw []byte) ([]byte, error) {
		next, err := c.added(source, raw, add)
		before, after = string(raw), string(next)
		if after == before {
			next = nil
		}
		return next, err
	}
	if keep {
		err = c.texts.Change(ctx, source, change)
	} else {
		var raw []byte
		if raw, err = c.texts.Read(ctx, source); err == nil {
			_, err = change(raw)
		}
	}
	if err != nil {
		return "", "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.read, source) // times of files are coarse
	return before, after, nil
}

// added is a text with further entries.
func (c *Curated) added(source string, raw []byte, add Decisions) ([]byte, error) {
	have, err := parseDecisions(raw)
	if err != nil {
		return nil, fmt.Errorf("read what curators decided in %s: %w", c.texts.Place(source), err)
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
		return nil, err
	}
	if _, err := parseDecisions(out.Bytes()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
