package knowledge

import (
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/document"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/retrieval/passage"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store/small"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// CollectionsFile is a YAML file that lists the collections of documents, who may
	// read them and where they are; docs/knowledge.md. Empty: this project's own
	// documents alone.
	CollectionsFile string `koanf:"collections_file"`
	// HideOwnDocs leaves out the collection of this project's own documents.
	HideOwnDocs bool `koanf:"hide_own_docs"`
	// Strategy of answers: "rules" quotes, "llm" lets a model write sentences that are
	// checked against the passages, with the rules where it fails.
	Strategy string `koanf:"strategy"`
	// CheckEvery is how often the folder of a collection is looked at for changes.
	CheckEvery time.Duration `koanf:"check_every"`
	// ReadTimeout is how long one document may take to be read.
	ReadTimeout time.Duration `koanf:"read_timeout"`
	// MinConfidence is the confidence, 0 to 1, under which a question counts as not
	// answered by the documents.
	MinConfidence float64 `koanf:"min_confidence"`
	// MaxDocuments bounds the files of a collection, MaxTotalBytes their size together.
	MaxDocuments  int   `koanf:"max_documents"`
	MaxTotalBytes int64 `koanf:"max_total_bytes"`
	// MaxFileBytes is the largest file that is read.
	MaxFileBytes int64 `koanf:"max_file_bytes"`
	// MaxTextBytes bounds the text of one document.
	MaxTextBytes int `koanf:"max_text_bytes"`
	// MaxSections bounds the sections of one document, MaxPages the pages of a PDF.
	MaxSections int `koanf:"max_sections"`
	MaxPages    int `koanf:"max_pages"`
	// MaxPassages bounds the passages of a collection, MaxPassage the characters of one.
	MaxPassages int `koanf:"max_passages"`
	MaxPassage  int `koanf:"max_passage"`
	// MaxQuote bounds the characters of one quotation, MaxCitations how many an answer
	// has, MaxNearest the headings that are told where there is no answer.
	MaxQuote     int `koanf:"max_quote"`
	MaxCitations int `koanf:"max_citations"`
	MaxNearest   int `koanf:"max_nearest"`
	// MaxSessions bounds the sessions that are kept of one person, KeepSessions how long
	// they are kept after their last turn.
	MaxSessions  int           `koanf:"max_sessions"`
	KeepSessions time.Duration `koanf:"keep_sessions"`
}

// Strategies.
const (
	StrategyRules = "rules"
	StrategyLLM   = "llm"
)

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	switch c.Strategy {
	case "":
		c.Strategy = StrategyRules
	case StrategyRules, StrategyLLM:
	default:
		return c, fmt.Errorf("knowledge.strategy is %q: use rules or llm", c.Strategy)
	}
	for _, limit := range []struct {
		key       string
		value     *int
		otherwise int
	}{
		{"max_documents", &c.MaxDocuments, 20_000}, {"max_text_bytes", &c.MaxTextBytes, 4 << 20}, {"max_sections", &c.MaxSections, 20_000},
		{"max_pages", &c.MaxPages, 2_000}, {"max_passages", &c.MaxPassages, 200_000}, {"max_passage", &c.MaxPassage, 1_200},
		{"max_quote", &c.MaxQuote, 700}, {"max_citations", &c.MaxCitations, 3}, {"max_nearest", &c.MaxNearest, 3}, {"max_sessions", &c.MaxSessions, 200},
	} {
		if err := positive(limit.key, limit.value, limit.otherwise); err != nil {
			return c, err
		}
	}
	for _, limit := range []struct {
		key       string
		value     *int64
		otherwise int64
	}{{"max_total_bytes", &c.MaxTotalBytes, 1 << 30}, {"max_file_bytes", &c.MaxFileBytes, 16 << 20}} {
		if err := positive(limit.key, limit.value, limit.otherwise); err != nil {
			return c, err
		}
	}
	for _, wait := range []struct {
		key       string
		value     *time.Duration
		otherwise time.Duration
	}{{"check_every", &c.CheckEvery, 30 * time.Second}, {"read_timeout", &c.ReadTimeout, 20 * time.Second}, {"keep_sessions", &c.KeepSessions, 30 * 24 * time.Hour}} {
		if err := positive(wait.key, wait.value, wait.otherwise); err != nil {
			return c, err
		}
	}
	if err := positive("min_confidence", &c.MinConfidence, passage.DefaultMinConfidence); err != nil {
		return c, err
	}
	if c.MinConfidence > 1 {
		return c, fmt.Errorf("knowledge.min_confidence is %g: use 0 to 1", c.MinConfidence)
	}
	return c, nil
}

func positive[T int | int64 | float64 | time.Duration](key string, value *T, otherwise T) error {
	if *value == 0 {
		*value = otherwise
	}
	if *value < 0 {
		return fmt.Errorf("knowledge.%s is %v: it has to be above 0", key, *value)
	}
	return nil
}

func (c Config) limits() document.Limits {
	return document.Limits{MaxBytes: c.MaxFileBytes, MaxText: c.MaxTextBytes, MaxSections: c.MaxSections, MaxPages: c.MaxPages, MaxPassage: c.MaxPassage}
}

// Deps are what the service works with.
type Deps struct {
	// OwnDocs are this project's own documents; nil: there are none.
	OwnDocs fs.FS
	// DataDir holds the expert's sessions, in knowledge/, where nothing is shared.
	DataDir string
	// Shared keeps the expert's sessions for several processes, and is closed with the service;
	// nil: a file in DataDir does, for one process.
	Shared small.Store
	// Model writes answers with strategy llm; nil: the rules quote, whatever is
	// configured.
	Model       llm.Model
	ModelBudget budget.Limits
	// FindData knows who answers for tables, to name them where documents have no answer;
	// nil: nobody is named.
	FindData findatav1.FindDataServiceClient
	// Clock and IDs default to the wall clock and random ids.
	Clock func() time.Time
	IDs   func(prefix string) string
	// Log defaults to slog.Default.
	Log *slog.Logger
}

func (d Deps) complete() Deps {
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.IDs == nil {
		d.IDs = func(prefix string) string { return run.NewID(prefix, nil) }
	}
	if d.Log == nil {
		d.Log = slog.Default()
	}
	return d
}
