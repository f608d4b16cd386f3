// Package words holds the sentences of the router, English and Chinese side by
// side in words.yaml.
package words

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
)

//go:embed words.yaml
var file []byte

// Keys of words.yaml. Done stands for the words of the last call's output and
// has no entry of its own.
const (
	Done             = "done"
	Greeting         = "greeting"
	Capabilities     = "capabilities"
	Welcome          = "welcome"
	Farewell         = "farewell"
	Declined         = "declined"
	NarrowDown       = "narrow_down"
	NotRun           = "not_run"
	NotRunYet        = "not_run_yet"
	OutOfScope       = "out_of_scope"
	Unsafe           = "unsafe"
	AskForMore       = "ask_for_more"
	ArgumentsRefused = "arguments_refused"
	NotServed        = "not_served"
	Lost             = "lost"
	Stopping         = "stopping"
	Unreachable      = "unreachable"
	Internal         = "internal"
	TimedOut         = "timed_out"
	Cancelled        = "cancelled"
	CallLimit        = "call_limit"
	ModelAway        = "model_away"
	TablesFound      = "tables_found"
	TablesNone       = "tables_none"
	TablesUnknown    = "tables_unknown"
	TablesNear       = "tables_near"
	SQLReady         = "sql_ready"
	SQLReadAs        = "sql_read_as"
	SQLConfirm       = "sql_confirm"
	SQLAbstained     = "sql_abstained"
	SQLNotUnderstood = "sql_not_understood"
	SQLTablesSeen    = "sql_tables_seen"
	SQLFixed         = "sql_fixed"
	SQLUnchanged     = "sql_unchanged"
	SQLStillWrong    = "sql_still_wrong"
	SQLDangers       = "sql_dangers"
	RunDone          = "run_done"
	RunFailed        = "run_failed"
	RunRefused       = "run_refused"
	RunRepaired      = "run_repaired"
	ChangeOpen       = "change_open"
	ReadingTaken     = "reading_taken"
	ChangeWithout    = "change_without"
	ShowSQL          = "show_sql"
	OfferGenerate    = "offer_generate"
	OfferExecute     = "offer_execute"
	Yes              = "yes"
	No               = "no"
	LogQL            = "logql"
	WholeReport      = "whole_report"

	RewriteExecute   = "rewrite_execute"
	RewriteFix       = "rewrite_fix"
	RewriteFixAndRun = "rewrite_fix_and_run"
	RewriteExplain   = "rewrite_explain"
	RewriteGenerate  = "rewrite_generate"
	RewriteChange    = "rewrite_change"
	RewriteChoice    = "rewrite_choice"
	RewriteFreeText  = "rewrite_free_text"
)

// Book is the sentences, read once.
type Book struct {
	texts map[string]text
}

type text struct {
	EN string `yaml:"en"`
	ZH string `yaml:"zh"`
}

// Open reads the embedded sentences. One that is missing in a language is an
// error.
func Open() (*Book, error) { return read(file) }

func read(raw []byte) (*Book, error) {
	b := &Book{}
	if err := yaml.Unmarshal(raw, &b.texts); err != nil {
		return nil, fmt.Errorf("words: %w", err)
	}
	var missing []error
	for key, t := range b.texts {
		if t.EN == "" || t.ZH == "" {
			missing = append(missing, fmt.Errorf("words: %s is missing in a language", key))
		}
	}
	return b, errors.Join(missing...)
}

// Has reports whether there is a sentence for key.
func (b *Book) Has(key string) bool { _, ok := b.texts[key]; return ok }

// Say returns the sentence of key with its {names} replaced; args are pairs of
// name and value. An unknown key says itself, so that a slip is seen.
func (b *Book) Say(l lang.Language, key string, args ...string) string {
	t, ok := b.texts[key]
	if !ok {
		return key
	}
	pairs := make([]string, 0, len(args))
	for i := 0; i+1 < len(args); i += 2 {
		pairs = append(pairs, "{"+args[i]+"}", args[i+1])
	}
	return strings.TrimSpace(strings.NewReplacer(pairs...).Replace(l.Pick(t.EN, t.ZH)))
}
