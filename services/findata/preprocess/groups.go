package preprocess

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/synonym"
)

// Limits of a file of synonyms; it is written by people.
const (
	maxSynonymBytes  = 4 << 20
	maxSynonymGroups = 20_000
)

// Synonyms are groups of words that an installation adds, for all marts or for one,
// in a file that may be edited while the service runs:
//
//	groups:
//	  - {words: [GMV, 成交额, 流水]}
//	  - {words: [first mile, 揽收], mart: Logistics}
//
// They may be used concurrently.
type Synonyms struct {
	path     string
	analyzer *analysis.Analyzer
	every    time.Duration
	clock    func() time.Time

	mu       sync.Mutex
	checked  time.Time
	modified time.Time
	words    *synonym.Dictionary // nil: no file was read yet
	marts    map[string]string   // by group id; absent: all marts
}

// NewSynonyms returns the groups of a file, which is looked at for changes so often.
// A path "" has none. A file that cannot be read is an error: a later one is told
// by Of, which goes on with what it had.
func NewSynonyms(path string, every time.Duration, clock func() time.Time) (*Synonyms, error) {
	analyzer, err := analysis.New()
	if err != nil {
		return nil, err
	}
	s := &Synonyms{path: path, analyzer: analyzer, every: every, clock: clock}
	if path == "" {
		return s, nil
	}
	return s, s.refresh()
}

// Of returns, for each group of which a word stands in a text, its other words; of
// a mart's groups only those of marts for which shown is true. err says that a
// changed file cannot be read; what was read before it still counts.
func (s *Synonyms) Of(text string, shown func(mart string) bool) (others []string, err error) {
	if s.path == "" {
		return nil, nil
	}
	s.mu.Lock()
	if s.clock().Sub(s.checked) >= s.every {
		err = s.refresh()
	}
	words, marts := s.words, s.marts
	s.mu.Unlock()
	if words == nil {
		return nil, err
	}
	for _, m := range words.Matches(text) {
		if mart, only := marts[m.Group.ID]; only && !shown(mart) {
			continue
		}
		for _, e := range m.Group.Entries {
			if !strings.EqualFold(e, m.Surface) {
				others = append(others, e)
			}
		}
	}
	return others, err
}

// refresh reads the file where it has changed. Called with mu held, or before
// anybody else has s.
func (s *Synonyms) refresh() error {
	s.checked = s.clock()
	info, err := os.Stat(s.path)
	if err == nil && info.ModTime().Equal(s.modified) {
		return nil
	}
	if err == nil && info.Size() > maxSynonymBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxSynonymBytes)
	}
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(s.path)
	}
	var f struct {
		Groups []struct {
			Words []string `yaml:"words"`
			Mart  string   `yaml:"mart"`
		} `yaml:"groups"`
	}
	if err == nil {
		err = yaml.Unmarshal(raw, &f)
	}
	if err == nil && len(f.Groups) > maxSynonymGroups {
		err = fmt.Errorf("it has more than %d groups", maxSynonymGroups)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the file is not there")
		}
		return fmt.Errorf("read the synonyms in %s: %w", s.path, err)
	}
	groups, marts := make([]synonym.Group, 0, len(f.Groups)), make(map[string]string)
	for i, g := range f.Groups {
		if len(g.Words) < 2 {
			return fmt.Errorf("read the synonyms in %s: group %d has fewer than two words", s.path, i+1)
		}
		id := fmt.Sprint(i)
		groups = append(groups, synonym.Group{ID: id, Entries: g.Words})
		if g.Mart != "" {
			marts[id] = g.Mart
		}
	}
	s.words, s.marts, s.modified = synonym.New(s.analyzer, synonym.Weights{}, groups), marts, info.ModTime()
	return nil
}
