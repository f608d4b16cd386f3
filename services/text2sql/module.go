// Package text2sql writes Presto SQL for a question, or says that it cannot and
// why. The work is done by the package team, by rules (pipeline) or by a model
// (llm); this package gives the team what it works on (tables from the request or
// from findata's catalog, the semantic layer of the source, verified queries) and
// its tools, and translates to and from the contract.
package text2sql

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/text2sql/llm"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// Strategies.
const (
	StrategyRules = string(team.ByRules)
	StrategyLLM   = string(team.ByModel)
)

// Config of the service. The zero value of a field means its default.
type Config struct {
	// DefaultSource is asked where a request names no source.
	DefaultSource string `koanf:"default_source"`
	// Strategy of requests that name none: "rules", or "llm" for a model with the
	// rules where it fails.
	Strategy string `koanf:"strategy"`
	// Team bounds the work on one question.
	Team team.Config `koanf:",squash"`
	// Model bounds what a model is told.
	Model llm.Config `koanf:",squash"`
	// MaxModelAnswers is how many answers of the model are remembered.
	MaxModelAnswers int `koanf:"max_model_answers"`
	// KeepModelAnswers is for how long.
	KeepModelAnswers time.Duration `koanf:"keep_model_answers"`
	// ToolTimeout bounds one call of a tool: a candidate that is run, a repair.
	ToolTimeout time.Duration `koanf:"tool_timeout"`
	// Threshold of confidence below which the service abstains, from 0 to 1; 0:
	// that of the model of readings.
	Threshold float64 `koanf:"threshold"`
	// MaxTables bounds the tables that a question without tables looks at.
	MaxTables int `koanf:"max_tables"`
	// MaxAlternatives bounds the further candidates of an answer.
	MaxAlternatives int `koanf:"max_alternatives"`
	// MaxOffers bounds the readings that are offered where none is sure enough.
	MaxOffers int `koanf:"max_offers"`
	// MaxOffersTried bounds the readings that are tried to find them.
	MaxOffersTried int `koanf:"max_offers_tried"`
	// OfferTimeout bounds the time in which they are tried, all together.
	OfferTimeout time.Duration `koanf:"offer_timeout"`
	// MaxChangeDimensions bounds the dimensions that the change of a metric is split by,
	// at most 6.
	MaxChangeDimensions int `koanf:"max_change_dimensions"`
	// MaxChangeCells bounds the cells that they may have, by the catalog's figures.
	MaxChangeCells int `koanf:"max_change_cells"`
	// MaxChangeValues is how many values a dimension may have that a change is split by.
	MaxChangeValues int `koanf:"max_change_values"`
	// ChangeHistoryDays is how many days before the two periods the course of the metric
	// is looked at, for what changes usually are and for when this one set in.
	ChangeHistoryDays int `koanf:"change_history_days"`
	// MaxStudyColumns bounds the columns of a table that a check of its quality looks at.
	MaxStudyColumns int `koanf:"max_study_columns"`
	// CatalogTimeout bounds one question to the catalog.
	CatalogTimeout time.Duration `koanf:"catalog_timeout"`
	// MaxExamples bounds the verified queries of a source, proposals included.
	MaxExamples int `koanf:"max_examples"`
	// Curators are groups whose members may approve verified queries; administrators
	// always may.
	Curators []string `koanf:"curators"`
}

// Complete fills in the defaults and checks the rest.
func (c Config) Complete() (Config, error) {
	if c.DefaultSource == "" {
		c.DefaultSource = "demo"
	}
	if c.MaxTables == 0 {
		c.MaxTables = 200
	}
	if c.MaxAlternatives == 0 {
		c.MaxAlternatives = 2
	}
	if c.MaxOffers == 0 {
		c.MaxOffers = 3
	}
	if c.MaxOffersTried == 0 {
		c.MaxOffersTried = 6
	}
	if c.OfferTimeout == 0 {
		c.OfferTimeout = 10 * time.Second
	}
	if c.MaxChangeDimensions == 0 {
		c.MaxChangeDimensions = 6
	}
	if c.MaxChangeCells == 0 {
		c.MaxChangeCells = 40_000
	}
	if c.MaxChangeValues == 0 {
		c.MaxChangeValues = 500
	}
	if c.ChangeHistoryDays == 0 {
		c.ChangeHistoryDays = 180
	}
	if c.MaxStudyColumns == 0 {
		c.MaxStudyColumns = 60
	}
	if c.CatalogTimeout == 0 {
		c.CatalogTimeout = 10 * time.Second
	}
	if c.MaxExamples == 0 {
		c.MaxExamples = 10_000
	}
	if c.Strategy == "" {
		c.Strategy = StrategyRules
	}
	if c.MaxModelAnswers == 0 {
		c.MaxModelAnswers = 1000
	}
	if c.KeepModelAnswers == 0 {
		c.KeepModelAnswers = time.Hour
	}
	if c.ToolTimeout == 0 {
		c.ToolTimeout = 30 * time.Second
	}
	var err error
	if c.Team, err = c.Team.Complete(); err != nil {
		return c, err
	}
	if c.Model, err = c.Model.Complete(); err != nil {
		return c, err
	}
	switch {
	case c.Strategy != StrategyRules && c.Strategy != StrategyLLM:
		return c, fmt.Errorf("text2sql.strategy is %q: use rules or llm", c.Strategy)
	case c.MaxModelAnswers < 0 || c.KeepModelAnswers < 0 || c.ToolTimeout < 0:
		return c, errors.New("text2sql.max_model_answers, keep_model_answers and tool_timeout have to be positive")
	case c.Threshold < 0 || c.Threshold > 1:
		return c, fmt.Errorf("text2sql.threshold is %v: it has to be from 0 to 1", c.Threshold)
	case c.MaxTables < 1 || c.MaxTables > 1000:
		return c, fmt.Errorf("text2sql.max_tables is %d: it has to be from 1 to 1000", c.MaxTables)
	case c.MaxAlternatives < 0:
		return c, fmt.Errorf("text2sql.max_alternatives is %d: it cannot be negative", c.MaxAlternatives)
	case c.MaxOffers < 1 || c.MaxOffers > 9:
		return c, fmt.Errorf("text2sql.max_offers is %d: it has to be from 1 to 9", c.MaxOffers)
	case c.MaxOffersTried < c.MaxOffers || c.MaxOffersTried > 50:
		return c, fmt.Errorf("text2sql.max_offers_tried is %d: it has to be from max_offers, %d, to 50", c.MaxOffersTried, c.MaxOffers)
	case c.MaxChangeDimensions < 1 || c.MaxChangeDimensions > 6:
		return c, fmt.Errorf("text2sql.max_change_dimensions is %d: it has to be from 1 to 6", c.MaxChangeDimensions)
	case c.MaxChangeCells < 2 || c.MaxChangeCells > 49_000:
		return c, fmt.Errorf("text2sql.max_change_cells is %d: it has to be from 2 to 49000", c.MaxChangeCells)
	case c.MaxChangeValues < 2 || c.MaxChangeValues > 100_000:
		return c, fmt.Errorf("text2sql.max_change_values is %d: it has to be from 2 to 100000", c.MaxChangeValues)
	case c.ChangeHistoryDays < 1 || c.ChangeHistoryDays > 1000:
		return c, fmt.Errorf("text2sql.change_history_days is %d: it has to be from 1 to 1000", c.ChangeHistoryDays)
	case c.MaxStudyColumns < 1 || c.MaxStudyColumns > 1000:
		return c, fmt.Errorf("text2sql.max_study_columns is %d: it has to be from 1 to 1000", c.MaxStudyColumns)
	case c.OfferTimeout < 0:
		return c, fmt.Errorf("text2sql.offer_timeout is %s: it cannot be negative", c.OfferTimeout)
	case c.MaxExamples < 0 || c.MaxExamples > 100_000:
		return c, fmt.Errorf("text2sql.max_examples is %d: it has to be from 1 to 100000", c.MaxExamples)
	case c.CatalogTimeout < 0:
		return c, fmt.Errorf("text2sql.catalog_timeout is %s: it cannot be negative", c.CatalogTimeout)
	}
	return c, nil
}

// Deps are what the service works with.
type Deps struct {
	// Sources holds the semantic layers.
	Sources *source.Store
	// Catalog is findata's: what it does not describe, the asker may not read.
	Catalog findatav1.CatalogServiceClient
	// Policy says who reads tables in full; nil: everybody does.
	Policy *policy.File
	// DataDir has semantic layers that do not stand with their source, and verified queries
	// where nothing is shared.
	DataDir string
	// Shared keeps verified queries for several processes, and is closed with the service;
	// nil: a file in DataDir does, for one process.
	Shared small.Store
	// FixSQL repairs statements; nil: nothing is repaired by rules.
	FixSQL fixsqlv1.FixSQLServiceClient
	// ChatBI runs candidates as the asker; nil: none is run.
	ChatBI chatbiv1.ChatBIServiceClient
	// Model is asked with strategy llm; nil: there is none.
	Model chat.Model
	// ModelBudget is what one question may spend on it.
	ModelBudget budget.Limits
	// Log takes what an operator should know; nil: slog.Default().
	Log *slog.Logger
	// Meter measures; nil: nobody does.
	Meter *meter.Set
	// Clock and Random default to the wall clock and the operating system's generator.
	Clock  func() time.Time
	Random io.Reader
}

func (d Deps) check() error {
	switch {
	case d.Sources == nil:
		return errors.New("text2sql needs the source store")
	case d.Catalog == nil:
		return errors.New("text2sql needs a catalog client")
	}
	return nil
}
