package eval

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/jsonl"
	"github.com/dibrain/dibrain/pkg/ingest/lines"
)

// corpusRegion is the data centre of all tables of a corpus.
const corpusRegion = "corpus"

// corpus is a set of tables with the ids that answers are given in.
type corpus struct {
	snapshot *catalog.Snapshot
	ids      map[string]string // by catalog.Name.Key()
	known    map[string]bool   // ids in lower case
}

// readCorpus reads a corpus with the reader of `dibrain ingest jsonl`. What that
// leaves out and names, a broken line, is an error here.
func readCorpus(ctx context.Context, path string) (*corpus, error) {
	c := &corpus{snapshot: &catalog.Snapshot{}, ids: make(map[string]string), known: make(map[string]bool)}
	err := jsonl.Each(ctx, path, lines.Limits{}, func(n int, line *jsonl.Line, err error) error {
		if err != nil {
			return fmt.Errorf("%w: %s line %d: %w", ErrData, path, n, err)
		}
		t := line.CatalogTable(corpusRegion)
		c.snapshot.Tables = append(c.snapshot.Tables, t)
		c.ids[t.Name.Key()] = line.ID
		c.known[strings.ToLower(line.ID)] = true
		return nil
	})
	if err != nil && !errors.Is(err, ErrData) {
		err = fmt.Errorf("%w: %s: %w", ErrData, path, err)
	}
	if err != nil {
		return nil, err
	}
	if len(c.known) == 0 {
		return nil, fmt.Errorf("%w: %s is empty", ErrData, path)
	}
	return c, nil
}

func (c *corpus) has(id string) bool { return c.known[strings.ToLower(id)] }

// id returns the id of a table; one that is none of the corpus keeps its name.
func (c *corpus) id(n catalog.Name) string {
	if id, ok := c.ids[n.Key()]; ok {
		return id
	}
	return n.String()
}

// familyShare is the share of its tables that a corpus has to lose when digits
// are masked for its families to be scored as well.
const familyShare = 0.25

// hasFamilies reports whether the corpus keeps one table in many shards.
func (c *corpus) hasFamilies() bool {
	families := make(map[string]bool, len(c.known))
	for id := range c.known {
		families[maskDigits(id)] = true
	}
	return float64(len(families)) <= (1-familyShare)*float64(len(c.known))
}

var digits = regexp.MustCompile(`[0-9]+`)

func maskDigits(id string) string { return digits.ReplaceAllString(strings.ToLower(id), "#") }

// familiesOf masks digits; a family stands once, at its best place.
func familiesOf(ids []string) []string {
	var families []string
	seen := make(map[string]bool)
	for _, id := range ids {
		if f := maskDigits(id); !seen[f] {
			seen[f] = true
			families = append(families, f)
		}
	}
	return families
}
