package llm

import (
	"context"
	"regexp"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	chat "github.com/dibrain/dibrain/pkg/llm"
)

// Level is the length of a summary: "short", "full" or "expert".
type Level string

// Levels.
const (
	Short  Level = "short"
	Full   Level = "full"
	Expert Level = "expert"
)

// Found is a table with the reasons for it.
type Found struct {
	Table   *catalog.Table
	Reasons []string
}

// SummaryRequest is what a summary is written from.
type SummaryRequest struct {
	Question
	Level  Level
	Tables []Found // best first
	Terms  []catalog.Term
	Rules  []catalog.Rule
}

// Headings of a summary.
const (
	headTablesEn, headTablesZh = "Tables", "相关表"
	headNotesEn, headNotesZh   = "Notes", "说明"
)

// Summarize writes what was found in Markdown.
func (a *Advisor) Summarize(ctx context.Context, r SummaryRequest) (string, error) {
	var tables strings.Builder
	for i, f := range r.Tables[:min(len(r.Tables), a.cfg.MaxManifest)] {
		tables.WriteString(a.entry(f.Table, r.Language) + "\n")
		if r.Level == Expert && i < a.cfg.MaxDetails {
			tables.WriteString(a.facts(f.Table, r.Language))
		}
		tables.WriteString("  found because: " + strings.Join(f.Reasons, "; ") + "\n")
	}
	req, err := a.prompts.summary.Request(map[string]any{
		"Language": languageName(r.Language), "Level": string(r.Level),
		"HeadTables": r.Language.Pick(headTablesEn, headTablesZh), "HeadNotes": r.Language.Pick(headNotesEn, headNotesZh),
		"Glossary": a.terms(r.Terms, r.Language), "Rules": a.rules(r.Rules, r.Language), "Tables": tables.String(), "Question": a.question(r.Question),
	})
	if err != nil {
		return "", err
	}
	req.CacheKey = r.Session
	answer, err := a.model.Chat(ctx, req)
	if err != nil {
		return "", err
	}
	text := a.tidy(groundOf(req).scrub(answer.Prose()))
	if !namesOne(text, r.Tables) {
		return "", fault.New(codes.Internal, chat.ReasonMalformed, "The model's summary names none of the tables.")
	}
	return text, nil
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(```|$)")
	title     = regexp.MustCompile(`(?m)^# .*\n?`)
)

// tidy leaves out what a summary shall not have (code, a title) and cuts
// it at its bound, at the end of a line.
func (a *Advisor) tidy(text string) string {
	for _, re := range []*regexp.Regexp{codeBlock, title} {
		text = re.ReplaceAllString(text, "")
	}
	text = strings.TrimSpace(text)
	for chat.EstimateTokens(text) > a.cfg.MaxSummaryTokens {
		cut := strings.LastIndexByte(text, '\n')
		if cut < 0 {
			return shorten(text, a.cfg.MaxSummaryTokens)
		}
		text = text[:cut]
	}
	return strings.TrimSpace(text)
}

// namesOne reports whether a text names one of the tables, by its full name or the
// name alone.
func namesOne(text string, tables []Found) bool {
	text = strings.ToLower(text)
	for _, f := range tables {
		if strings.Contains(text, strings.ToLower(f.Table.Name.Table)) {
			return true
		}
	}
	return false
}
