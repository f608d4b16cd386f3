package findata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/chart/advise"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/cache"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/knowledge"
	"github.com/dibrain/dibrain/services/findata/library"
	advice "github.com/dibrain/dibrain/services/findata/llm"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// DefaultSource is searched where a request names no source.
	DefaultSource string `koanf:"default_source"`
	// Strategy of requests that name none: "rules", or "llm" for a model with the
	// rules where it fails.
	Strategy string `koanf:"strategy"`
	// MaxModelAnswers is how many answers of the model are remembered.
	MaxModelAnswers int `koanf:"max_model_answers"`
	// KeepModelAnswers is for how long.
	KeepModelAnswers time.Duration `koanf:"keep_model_answers"`
	// SureFrom is how likely a question has to be about the source, by the rules, for no
	// model to be asked about its words and its mart, where all its subjects are known and
	// its mart is clear; above 1 the model is always asked.
	SureFrom float64 `koanf:"sure_from"`
	// Search chooses where words and vectors are searched.
	Search backend.Config `koanf:"search"`
	// MaxTables returned where a request does not say.
	MaxTables int `koanf:"max_tables"`
	// SmallSource is the number of tables up to which a source is handed over
	// whole rather than cut: the SQL writer finds more in it than search does.
	SmallSource int `koanf:"small_source"`
	// MaxNeighbours bounds the tables added because found ones point to them.
	MaxNeighbours int `koanf:"max_neighbours"`
	// MaxNear bounds the near matches of a name that does not exist.
	MaxNear int `koanf:"max_near"`
	// MaxVariants bounds the names of near-identical tables told with a table.
	MaxVariants int `koanf:"max_variants"`
	// MaxGlossary and MaxRules bound what an answer carries of them.
	MaxGlossary int `koanf:"max_glossary"`
	MaxRules    int `koanf:"max_rules"`
	// MaxTraceBytes bounds the run records returned with an answer.
	MaxTraceBytes int `koanf:"max_trace_bytes"`
	// LateAfter is how old a table's data may be before the answer warns.
	LateAfter time.Duration `koanf:"late_after"`
	// SwapWait is how long a search waits for the index of a new generation
	// before it goes on with the old one.
	SwapWait time.Duration `koanf:"swap_wait"`
	// CheckEvery is how often a source is looked at for a new generation.
	CheckEvery time.Duration `koanf:"check_every"`
	// MaxOpen is how many sources are kept indexed; the one unused for longest
	// makes room.
	MaxOpen int `koanf:"max_open"`
	// MaxFeedback bounds the stored feedback of one person; the oldest goes.
	MaxFeedback int `koanf:"max_feedback"`
	// MaxShown bounds the answers stored of one person, from which ranking is
	// learned; the oldest goes. -1: none are stored.
	MaxShown int `koanf:"max_shown"`
	// MaxReview bounds the questions of a source that wait for a curator: declined, asked
	// back, or with tables that were called wrong; the oldest goes. Who asked is not kept.
	// -1: none are.
	MaxReview int `koanf:"max_review"`
	// RankModel is the model file by which tables are ranked, as `dibrain findata
	// train` writes it; empty: the built-in one.
	RankModel string `koanf:"rank_model"`
	// HiddenTables is what becomes of tables that the asker may not read: "hide",
	// they do not exist, or "lock", their names are told with how to apply.
	HiddenTables string `koanf:"hidden_tables"`
	// ApplyHint is told with locked tables: where to ask for the right to read them.
	ApplyHint string `koanf:"apply_hint"`
	// KnowledgeDir is a folder of Markdown files that is searched beside the tables;
	// empty: none.
	KnowledgeDir string `koanf:"knowledge_dir"`
	// KnowledgeWait is how long a knowledge base may take before the answer goes on
	// without it.
	KnowledgeWait time.Duration `koanf:"knowledge_wait"`
	// MaxDocs bounds the passages of knowledge bases in an answer.
	MaxDocs int `koanf:"max_docs"`
	// SynonymsFile is a YAML file of further groups of synonyms, for all marts or
	// for one; it is read again when it has changed. Empty: none.
	SynonymsFile string `koanf:"synonyms_file"`
	// RulesFile is a YAML file of an installation's own rules, which hide tables, prefer
	// them, replace them or warn of them; it is read again when it has changed. They
	// choose what is offered and protect nothing: that is the policy. Empty: none.
	RulesFile string `koanf:"rules_file"`
	// RankingFile is a YAML file of weights of the ranking's lists, for all questions or
	// by kind of question (table, column, semantic), over the built-in ones. Empty: these.
	RankingFile string `koanf:"ranking_file"`
	// CacheRights bounds the rights whose view of a source is kept ready.
	CacheRights int `koanf:"cache_rights"`
	// CacheQueries bounds the questions whose candidates are kept, QueryFor how long.
	CacheQueries int           `koanf:"cache_queries"`
	QueryFor     time.Duration `koanf:"query_for"`
	// CacheUsers bounds the people whose use is kept ready, UserFor how long.
	CacheUsers int           `koanf:"cache_users"`
	UserFor    time.Duration `koanf:"user_for"`
	// CacheTables bounds the tables kept as they are shown, TableFor how long.
	CacheTables int           `koanf:"cache_tables"`
	TableFor    time.Duration `koanf:"table_for"`
}

// What becomes of tables that the asker may not read.
const (
	HiddenHide = "hide"
	HiddenLock = "lock"
)

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
		return c, fmt.Errorf("findata.strategy is %q: use rules or llm", c.Strategy)
	}
	switch c.HiddenTables {
	case "":
		c.HiddenTables = HiddenHide
	case HiddenHide, HiddenLock:
	default:
		return c, fmt.Errorf("findata.hidden_tables is %q: use %s or %s", c.HiddenTables, HiddenHide, HiddenLock)
	}
	var err error
	if c.Search, err = c.Search.Complete(); err != nil {
		return c, fmt.Errorf("findata.search: %w", err)
	}
	if c.MaxShown == 0 {
		c.MaxShown = 1000
	}
	if c.MaxReview == 0 {
		c.MaxReview = 5000
	}
	if c.SureFrom == 0 {
		c.SureFrom = 0.9
	}
	if c.SureFrom < 0 {
		return c, fmt.Errorf("findata.sure_from is %g: use a probability, or more than 1 to ask the model always", c.SureFrom)
	}
	if c.DefaultSource == "" {
		c.DefaultSource = "demo"
	}
	if err := source.ValidateName(c.DefaultSource); err != nil {
		return c, fmt.Errorf("findata.default_source: %w", err)
	}
	for _, f := range []struct {
		key   string
		value *int
		byDef int
	}{
		{"max_model_answers", &c.MaxModelAnswers, 1000}, {"max_tables", &c.MaxTables, 10}, {"small_source", &c.SmallSource, 30}, {"max_neighbours", &c.MaxNeighbours, 6},
		{"max_near", &c.MaxNear, 5}, {"max_variants", &c.MaxVariants, 20}, {"max_glossary", &c.MaxGlossary, 10},
		{"max_rules", &c.MaxRules, 20}, {"max_trace_bytes", &c.MaxTraceBytes, 64 << 10}, {"max_open", &c.MaxOpen, 32},
		{"max_feedback", &c.MaxFeedback, 10_000}, {"max_docs", &c.MaxDocs, 5}, {"cache_rights", &c.CacheRights, 32},
		{"cache_queries", &c.CacheQueries, 200}, {"cache_users", &c.CacheUsers, 500}, {"cache_tables", &c.CacheTables, 2_000},
	} {
		if *f.value == 0 {
			*f.value = f.byDef
		}
		if *f.value < 0 {
			return c, fmt.Errorf("findata.%s is %d: it has to be at least 1", f.key, *f.value)
		}
	}
	for _, f := range []struct {
		key   string
		value *time.Duration
		byDef time.Duration
	}{
		{"late_after", &c.LateAfter, 36 * time.Hour}, {"swap_wait", &c.SwapWait, time.Second}, {"check_every", &c.CheckEvery, time.Second},
		{"knowledge_wait", &c.KnowledgeWait, 2 * time.Second}, {"query_for", &c.QueryFor, 7 * 24 * time.Hour},
		{"user_for", &c.UserFor, 30 * 24 * time.Hour}, {"table_for", &c.TableFor, 24 * time.Hour},
		{"keep_model_answers", &c.KeepModelAnswers, time.Hour},
	} {
		if *f.value == 0 {
			*f.value = f.byDef
		}
		if *f.value < 0 {
			return c, fmt.Errorf("findata.%s is %v: it has to be positive", f.key, *f.value)
		}
	}
	return c, nil
}

// Deps are what the service is made of.
type Deps struct {
	// Sources are the warehouses that can be searched. Required.
	Sources *source.Store
	// DataDir holds vectors, and where nothing is shared findata/findata.db and what curators
	// decided, which only this service opens. Required.
	DataDir string
	// Shared keeps preferences, feedback and what curators decided for several processes, and
	// is closed with the service; nil: files in DataDir do, for one process.
	Shared small.Store
	// Clock is the wall clock for what is not bound to a run; nil: time.Now.
	Clock func() time.Time
	// Policy says who may read what; nil: everybody may read everything.
	Policy *policy.File
	// Permission says whether a principal may know of a table; nil: everybody
	// may know of every table.
	Permission func(p run.Principal, source string, t *catalog.Table) bool
	// Knowledge are further knowledge bases, asked beside the tables.
	Knowledge []knowledge.Base
	// Log takes what an operator should know; nil: slog.Default().
	Log *slog.Logger
	// Meter measures; nil: nobody does.
	Meter *meter.Set
	// Model is asked with strategy llm; nil: there is none.
	Model llm.Model
	// ModelBudget is what one request may spend on it.
	ModelBudget budget.Limits
}

// Service finds tables and serves the catalog.
type Service struct {
	settings atomic.Pointer[Config] // read by config

	deps    Deps
	backend *backend.Backend
	library *library.Library
	memory  *memory.Store
	reader  *preprocess.Reader
	charts  *advise.Adviser
	scopes  *scope.Clarifier
	about   *about
	ranker  *rank.Ranker
	writer  *answer.Writer

	synonyms   *preprocess.Synonyms
	rules      *filter.Rules
	curated    *library.Curated
	folderDocs knowledge.Base // nil: there is no folder of documents

	sights  *cache.Cache[sightKey, *sight]
	found   *cache.Cache[foundKey, []retrieval.Candidate]
	cleaned *cache.Cache[cleanedKey, catalog.Table]
	users   *cache.Cache[userKey, use]
	advisor *advice.Advisor // nil: there is no model
}

// folderCheckEvery is how often the files of findata.knowledge_dir and the synonyms
// are looked at for changes.
const folderCheckEvery = 10 * time.Second

// New returns the service. It opens nothing: a source is indexed when the first
// call needs it, and the store opens with the first feedback or preference.
func New(config Config, deps Deps) (*Service, error) {
	config, err := config.Complete()
	if err != nil {
		return nil, err
	}
	if deps.Sources == nil || deps.DataDir == "" {
		return nil, errors.New("findata needs a source store and a data directory")
	}
	if deps.Clock == nil {
		deps.Clock = time.Now
	}
	if deps.Log == nil {
		deps.Log = slog.Default()
	}
	weights, err := retrieval.DefaultConfig()
	if err != nil {
		return nil, err
	}
	s := &Service{
		deps:    deps,
		sights:  cache.New[sightKey, *sight](config.CacheRights, config.TableFor, deps.Clock).Telling(lookups(deps.Meter, meter.CacheRights)),
		found:   cache.New[foundKey, []retrieval.Candidate](config.CacheQueries, config.QueryFor, deps.Clock).Telling(lookups(deps.Meter, meter.CacheQueries)),
		cleaned: cache.New[cleanedKey, catalog.Table](config.CacheTables, config.TableFor, deps.Clock),
		users:   cache.New[userKey, use](config.CacheUsers, config.UserFor, deps.Clock).Telling(lookups(deps.Meter, meter.CacheUsers)),
	}
	s.settings.Store(&config)
	if config.KnowledgeDir != "" {
		s.folderDocs = knowledge.NewFolder(knowledgeDocs, config.KnowledgeDir, folderCheckEvery, deps.Clock)
	}
	search := backend.Deps{Dir: filepath.Join(deps.DataDir, "findata", "vectors"), Log: deps.Log, Clock: deps.Clock, Meter: deps.Meter}
	if s.backend, err = backend.Open(context.Background(), config.Search, search); err != nil {
		return nil, fmt.Errorf("findata.search: %w", err)
	}
	s.library = library.New(library.Config{
		Retrieval: weights, Makers: s.backend, Layers: semantic.NewLayers(deps.DataDir, deps.Clock, deps.Log), SwapWait: config.SwapWait, CheckEvery: config.CheckEvery, MaxOpen: config.MaxOpen,
	}, deps.Sources, deps.Clock, deps.Log)
	kept, curated := deps.Shared, library.InTables(deps.Shared)
	if kept == nil {
		kept, curated = small.InFile(memory.File(deps.DataDir)), library.InFolder(filepath.Join(deps.DataDir, "findata", "curated"))
	}
	s.memory = memory.New(memory.Config{MaxFeedback: config.MaxFeedback, MaxShown: config.MaxShown}, kept, deps.Clock)
	if s.reader, err = preprocess.New(preprocess.Config{MaxNear: config.MaxNear}); err != nil {
		return nil, err
	}
	if s.charts, err = advise.New(); err != nil {
		return nil, err
	}
	if s.synonyms, err = preprocess.NewSynonyms(config.SynonymsFile, folderCheckEvery, deps.Clock); err != nil {
		return nil, fmt.Errorf("findata.synonyms_file: %w", err)
	}
	if s.rules, err = filter.NewRules(config.RulesFile, folderCheckEvery, deps.Clock); err != nil {
		return nil, fmt.Errorf("findata.rules_file: %w", err)
	}
	if s.scopes, err = scope.New(); err != nil {
		return nil, err
	}
	if s.curated, err = library.NewCurated(curated); err != nil {
		return nil, err
	}
	if s.about, err = newAbout(); err != nil {
		return nil, err
	}
	if s.ranker, err = newRanker(config.RankModel, config.RankingFile); err != nil {
		return nil, err
	}
	if s.writer, err = answer.New(answer.Config{LateAfter: config.LateAfter}); err != nil {
		return nil, err
	}
	if deps.Model != nil {
		remembering := llm.NewCache(deps.Model, config.MaxModelAnswers, config.KeepModelAnswers, deps.Clock).Measured(deps.Meter, meter.CacheFindDataModel)
		if s.advisor, err = advice.New(advice.Config{}, remembering); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// config is the configuration at present.
func (s *Service) config() *Config { return s.settings.Load() }

// LiveSettings are the keys of Config that Reconfigure takes on: limits of one request that
// nothing was made with.
func LiveSettings() []string {
	return []string{
		"sure_from", "max_tables", "small_source", "max_neighbours", "max_variants", "max_glossary", "max_rules", "max_trace_bytes",
		"max_review", "knowledge_wait", "max_docs",
	}
}

// Reconfigure takes on those of LiveSettings of another configuration while calls are at work:
// whatever asks for one from then on gets the new one. The others stay as they are. An error
// changes nothing.
func (s *Service) Reconfigure(c Config) error {
	next, err := c.Complete()
	if err != nil {
		return err
	}
	now := *s.config()
	now.SureFrom, now.MaxTables, now.SmallSource, now.MaxNeighbours = next.SureFrom, next.MaxTables, next.SmallSource, next.MaxNeighbours
	now.MaxVariants, now.MaxGlossary, now.MaxRules, now.MaxTraceBytes = next.MaxVariants, next.MaxGlossary, next.MaxRules, next.MaxTraceBytes
	now.MaxReview, now.KnowledgeWait, now.MaxDocs = next.MaxReview, next.KnowledgeWait, next.MaxDocs
	s.settings.Store(&now)
	return nil
}

// lookups tells the meter of a question to a cache.
func lookups(m *meter.Set, c meter.Cache) func(hit bool) {
	return func(hit bool) { m.Looked(context.Background(), c, hit) }
}

// Register adds FindDataService and CatalogService to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) {
	findatav1.RegisterFindDataServiceServer(r, &findDataServer{service: s})
	findatav1.RegisterCatalogServiceServer(r, &catalogServer{service: s})
}

// Close frees the indices and closes the store. Searches under way end first.
func (s *Service) Close() error {
	return errors.Join(s.library.Close(), s.backend.Close(), s.memory.Close())
}
