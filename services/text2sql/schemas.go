package text2sql

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// maxSchemas bounds the sets of tables that are kept ready for questions; a set
// of 200 wide tables takes a few megabytes.
const maxSchemas = 16

// schemas keeps tables that were made ready, so that the next question over the
// same ones starts at once. What a set is follows from its content: tables that a
// source got anew, or that another asker may see, are another set.
type schemas struct {
	pipeline *pipeline.Pipeline

	mu    sync.Mutex
	held  map[schemaKey]*pipeline.Schema
	order []schemaKey // least recently used first
}

type schemaKey struct {
	tables [sha256.Size]byte
	layer  *pipeline.Layer // one a generation of its source
}

func newSchemas(p *pipeline.Pipeline) *schemas {
	return &schemas{pipeline: p, held: map[schemaKey]*pipeline.Schema{}}
}

// get returns the tables made ready with a layer. Two that ask at once for what
// is not there both make it.
func (s *schemas) get(tables []catalog.Table, layer *pipeline.Layer) (*pipeline.Schema, error) {
	text, err := json.Marshal(tables)
	if err != nil {
		return nil, fmt.Errorf("identify the tables of a question: %w", err)
	}
	key := schemaKey{tables: sha256.Sum256(text), layer: layer}
	if found := s.use(key); found != nil {
		return found, nil
	}
	made := s.pipeline.Prepare(tables, layer)
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.held[key]; ok {
		return found, nil
	}
	if len(s.order) >= maxSchemas {
		delete(s.held, s.order[0])
		s.order = s.order[1:]
	}
	s.held[key] = made
	s.order = append(s.order, key)
	return made, nil
}

// use returns a set that is there, and makes it the last to be let go.
func (s *schemas) use(key schemaKey) *pipeline.Schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.held[key]
	if !ok {
		return nil
	}
	for i, k := range s.order {
		if k == key {
			s.order = append(append(s.order[:i:i], s.order[i+1:]...), key)
			break
		}
	}
	return found
}
