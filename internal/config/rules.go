package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/result/store/objects"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/analysis"
	"github.com/dibrain/dibrain/services/chatbi"
	"github.com/dibrain/dibrain/services/findata"
	"github.com/dibrain/dibrain/services/fixsql"
	"github.com/dibrain/dibrain/services/knowledge"
	"github.com/dibrain/dibrain/services/logify"
	"github.com/dibrain/dibrain/services/router"
	"github.com/dibrain/dibrain/services/text2sql"
)

// rule says what is wrong with a value, in words that go on after the key; "" where
// nothing is.
type rule func(f Field) string

// Bounds that no sensible value passes, whatever the key.
const (
	maxCount    = 1_000_000_000
	maxAmount   = int64(1) << 50 // bytes and rows: a petabyte, a quadrillion
	minDuration = time.Millisecond
	maxDuration = 10 * 365 * 24 * time.Hour
	maxPort     = 65535
)

// rules are those of keys for which the type of their value does not say enough
// (ruleOf has the others). Services check what only they know, when they complete
// their part.
func rules() map[string]rule {
	all := map[string]rule{
		"source": sourceName, "reload_every": neverOr(time.Second, time.Hour), "log.level": oneOf("debug", "info", "warn", "error"), "log.format": oneOf("text", "json"),
		"store.kind":   oneOf(StoreSQLite, StorePostgres),
		"results.kind": oneOf(ResultsDirectory, ResultsS3), "results.s3.endpoint": httpAddress, "results.s3.encryption": oneOf("", objects.EncryptAES, objects.EncryptKMS),
		"auth.mode": oneOf("local", "token", "oidc", "services"), "auth.hop_key": key32,
		"router.strategy": oneOf(router.StrategyRules, router.StrategyLLM), "router.on_busy": oneOf(string(router.BusyReject), string(router.BusyWait)),
		"findata.strategy": oneOf(findata.StrategyRules, findata.StrategyLLM), "findata.hidden_tables": oneOf(findata.HiddenHide, findata.HiddenLock),
		"chatbi.strategy":    oneOf(chatbi.StrategyRules, chatbi.StrategyLLM),
		"fixsql.strategy":    oneOf(fixsql.StrategyRules, fixsql.StrategyLLM),
		"knowledge.strategy": oneOf(knowledge.StrategyRules, knowledge.StrategyLLM), "knowledge.address": target,
		"logify.strategy":            oneOf(logify.StrategyRules, logify.StrategyLLM),
		"text2sql.strategy":          oneOf(text2sql.StrategyRules, text2sql.StrategyLLM),
		"chatbi.cost.above_ask":      oneOf(string(chatbi.CostAllow), string(chatbi.CostAsk), string(chatbi.CostRefuse)),
		"chatbi.engine.memory_limit": memory, "export.parquet_memory": memory,
		"logify.address": target, "logify.loki_url": httpAddress,
		"analysis.review": oneOf(analysis.ReviewWait, analysis.ReviewNone), "analysis.python": oneOf(analysis.PythonOff, analysis.PythonSandbox, analysis.PythonRemote), "analysis.python_fallback": oneOf(analysis.FallbackOn, analysis.FallbackOff),
		"llm.base_url": httpAddress, "findata.search.endpoint.base_url": httpAddress, "findata.search.elasticsearch.addresses": httpAddress,
	}
	for _, service := range []string{"router", "findata", "text2sql", "fixsql", "chatbi", "analysis"} {
		all[service+".address"] = target
		all[service+".default_source"] = sourceName
	}
	return all
}

// neverOr takes a time within the bounds, and 0 for never.
func neverOr(least, most time.Duration) rule {
	return func(f Field) string {
		if v, ok := f.Value.(time.Duration); ok && v != 0 && (v < least || v > most) {
			return fmt.Sprintf("is %s: it has to be between %s and %s, or 0 for never.", duration(v), duration(least), duration(most))
		}
		return ""
	}
}

// verifyValues holds every key against its rule.
func (c Config) verifyValues(p *problems) {
	c.verifyFields(p, func(Field) bool { return true })
	c.verifyOrder(p)
}

// verifyFields holds those keys against their rules that are wanted.
func (c Config) verifyFields(p *problems, wanted func(Field) bool) {
	special, byDefault := rules(), make(map[string]Field)
	for _, f := range Default().Fields() {
		byDefault[f.Key] = f
	}
	for _, f := range c.Fields() {
		if !wanted(f) {
			continue
		}
		if mayBeNone(f.Key) && f.Text() == "-1" {
			continue
		}
		wrong := ruleOf(f, byDefault[f.Key])(f)
		if own := special[f.Key]; wrong == "" && own != nil {
			wrong = own(f)
		}
		if wrong != "" {
			p.addf(f.Key, "%s", wrong)
		}
	}
}

// mayBeNone reports keys whose value -1 says that there is none of what they count, or that
// it is left to others, where leaving them out, or 0, means their default.
func mayBeNone(key string) bool {
	return slices.Contains([]string{
		"memory.soft_limit_bytes", "router.repair_budget", "llm.temperature", "findata.max_shown", "findata.max_review", "findata.search.elasticsearch.replicas", "findata.search.elasticsearch.keep_generations",
	}, key) || strings.HasPrefix(key, "findata.search.effort.") && strings.HasSuffix(key, ".threshold")
}

// verifyOrder holds keys of which one bounds the other against each other.
func (c Config) verifyOrder(p *problems) {
	bi, model := c.ChatBI.Config, c.LLM.Config
	for _, pair := range []struct {
		less, more string
		wrong      bool
	}{
		{"chatbi.cost.ask_rows", "chatbi.cost.refuse_rows", bi.Cost.AskRows > bi.Cost.RefuseRows},
		{"chatbi.cost.ask_bytes", "chatbi.cost.refuse_bytes", bi.Cost.AskBytes > bi.Cost.RefuseBytes},
		{"chatbi.limits.default_limit", "chatbi.limits.max_rows", bi.Limits.DefaultLimit > bi.Limits.MaxRows},
		{"llm.retry_wait", "llm.max_retry_wait", model.RetryWait > model.MaxRetryWait},
	} {
		if pair.wrong {
			p.addf(pair.less, "is above %s: it has to be at most that.", pair.more)
		}
	}
}

// ruleOf is the rule of a value's type. Counts, amounts and durations are above zero
// where the default is.
func ruleOf(f, byDefault Field) rule {
	least := 1.0
	if v := reflect.ValueOf(byDefault.Value); v.IsValid() && v.IsZero() || f.Key == "reload_every" { // which neverOr bounds
		least = 0
	}
	switch v := f.Value.(type) {
	case time.Duration:
		return func(Field) string {
			if low := minDuration * time.Duration(least); v < low || v > maxDuration {
				return fmt.Sprintf("is %s: it has to be between %s and %s.", duration(v), duration(low), duration(maxDuration))
			}
			return ""
		}
	case int:
		return number(float64(v), least, most(f.Key))
	case int64:
		return number(float64(v), least, most(f.Key))
	case uint32:
		return number(float64(v), least, most(f.Key))
	case uint64:
		return func(Field) string { return "" } // a seed: any is good
	case float64:
		return number(v, 0, maxCount)
	default:
		return text
	}
}

// most is the bound of a count, or of an amount of bytes or rows.
func most(key string) float64 {
	if strings.HasSuffix(key, "_bytes") || strings.HasSuffix(key, "_rows") {
		return float64(maxAmount)
	}
	return maxCount
}

func number(v, least, most float64) rule {
	return func(f Field) string {
		if math.IsNaN(v) || v < least || v > most {
			return fmt.Sprintf("is %s: it has to be between %s and %s.", f.Text(), plainNumber(least), plainNumber(most))
		}
		return ""
	}
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// texts returns what a field says, an entry each.
func texts(f Field) []string {
	switch v := f.Value.(type) {
	case []string:
		return v
	case Secret:
		return []string{v.Reveal()}
	}
	if v := reflect.ValueOf(f.Value); v.Kind() == reflect.String {
		return []string{v.String()}
	}
	return nil
}

func text(f Field) string {
	for _, v := range texts(f) {
		if !utf8.ValidString(v) || strings.IndexFunc(v, unicode.IsControl) >= 0 {
			return "has a line break or another character that cannot be seen: write it on one line."
		}
		if _, list := f.Value.([]string); list && strings.TrimSpace(v) == "" {
			return "has an empty entry: leave it out."
		}
	}
	return ""
}

func oneOf(values ...string) rule {
	return func(f Field) string {
		if v := texts(f)[0]; !slices.Contains(values, v) {
			last := len(values) - 1
			return fmt.Sprintf("is %q: use %s or %s.", v, strings.Join(values[:last], ", "), values[last])
		}
		return ""
	}
}

func sourceName(f Field) string {
	if err := source.ValidateName(texts(f)[0]); err != nil {
		return fmt.Sprintf("is %q: %v.", texts(f)[0], strings.TrimSuffix(err.Error(), "."))
	}
	return ""
}

// key32 is a key with no white space around it: in a file that does not count, and
// here it would be part of the key, which the other services do not have.
func key32(f Field) string {
	if v := texts(f)[0]; strings.TrimSpace(v) != v {
		return "has white space around it: write the key alone."
	}
	return ""
}

// memory is an amount as DuckDB reads it.
func memory(f Field) string {
	v := texts(f)[0]
	if parts := memoryAmount.FindStringSubmatch(v); parts == nil || strings.Trim(parts[1], "0.") == "" {
		return fmt.Sprintf("is %q: use a number and a unit, such as 2GB or 512MB.", v)
	}
	return ""
}

var memoryAmount = regexp.MustCompile(`(?i)^(\d+(?:\.\d+)?) ?(?:[kmgt]i?b)$`)

// target is where a service is called: "host:port" or a gRPC target with a scheme.
func target(f Field) string {
	v := texts(f)[0]
	if v == "" || strings.HasPrefix(v, "unix:") || strings.HasPrefix(v, "xds:") {
		return ""
	}
	host, port, err := net.SplitHostPort(trimScheme(v))
	if err != nil || host == "" || !isPort(port, 1) {
		return fmt.Sprintf("is %q: use \"host:port\" or \"dns:///name:port\".", v)
	}
	return ""
}

// isPort tells whether a text is a port's number, least or more.
func isPort(text string, least int) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= least && n <= maxPort
}

// httpAddress is a URL with a host.
func httpAddress(f Field) string {
	for _, v := range texts(f) {
		if v == "" {
			continue
		}
		if u, err := url.Parse(v); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Port() != "" && !isPort(u.Port(), 1) {
			if strings.Contains(v, "@") { // there may be a password in it
				v = "an address that cannot be read"
			}
			return fmt.Sprintf("is %q: use an http or https address, such as https://search.example.com:9200.", v)
		}
	}
	return ""
}

// zeros remembers the numbers and durations that somebody set to nothing.
func (c Config) zeros() map[string]Field {
	out := make(map[string]Field)
	for _, f := range c.Fields() {
		switch reflect.ValueOf(f.Value).Kind() {
		case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Float64:
			if c.origins[f.Key] != "" && reflect.ValueOf(f.Value).IsZero() {
				out[f.Key] = f
			}
		default: // an empty text is one that is not set
		}
	}
	return out
}

// verifyZeros refuses zeros that completing replaced: somebody who writes 0 means
// none, or no limit, and would have got the default without a word.
func (c Config) verifyZeros(before map[string]Field) error {
	var p problems
	for _, f := range c.Fields() {
		if was, ok := before[f.Key]; ok && !reflect.ValueOf(f.Value).IsZero() {
			p.addf(f.Key, "is %s (from %s), which it cannot be: leave it out for the default, %s.", was.Text(), c.origins[f.Key], f.Text())
		}
	}
	return p.err()
}
