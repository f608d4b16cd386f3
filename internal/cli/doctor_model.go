package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/services/chatbi"
	"github.com/dibrain/dibrain/services/findata"
	"github.com/dibrain/dibrain/services/logify"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/text2sql"
)

// checkModel sends the model one short question: a model that is away costs every
// answer its time limit before the rules take over.
func checkModel(ctx context.Context, cfg *config.Config) []finding {
	const what = "model"
	if !cfg.LLM.Config.Enabled() {
		return []finding{{good, what, "none: every decision is made by rules", ""}}
	}
	model, err := app.Model(cfg.LLM, time.Now)
	if err != nil {
		return []finding{{bad, what, fault.OperatorText(err), "see docs/llm.md"}}
	}
	ctx, cancel := context.WithTimeout(ctx, engineDeadline)
	defer cancel()
	start := time.Now()
	_, err = model.Chat(ctx, llm.Request{
		MaxAnswerTokens: 16, Messages: []llm.Message{{Speaker: llm.User, Text: "Answer with the word ok."}},
	})
	if err != nil {
		verdict := remark
		if asksModel(cfg) {
			verdict = bad
		}
		return []finding{{verdict, what, fault.OperatorText(err), "see docs/llm.md; until it answers, decisions are made by rules"}}
	}
	return []finding{{good, what, fmt.Sprintf("%s answers in %d ms", cfg.LLM.Config.BaseURL, time.Since(start).Milliseconds()), ""}}
}

// asksModel reports whether a service asks the model where a request says nothing.
func asksModel(cfg *config.Config) bool {
	return cfg.Router.Config.Strategy == router.StrategyLLM || cfg.FindData.Config.Strategy == findata.StrategyLLM ||
		cfg.Text2SQL.Config.Strategy == text2sql.StrategyLLM || cfg.Logify.Config.Strategy == logify.StrategyLLM ||
		cfg.ChatBI.Config.Strategy == chatbi.StrategyLLM
}
