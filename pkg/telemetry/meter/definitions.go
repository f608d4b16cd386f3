package meter

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/run"
)

// Kind of an instrument.
type Kind int

// The kinds.
const (
	Counter Kind = iota
	UpDown       // goes up and down, and adds up over processes
	Gauge        // the latest value
	Histogram
)

// Label is an attribute of measurements. Its values come from a closed list, or from
// what Bound says: never from people, data or SQL.
type Label struct {
	Key string
	// Values are all that there may be; another one is counted as "other". Empty: Bound
	// says what bounds them.
	Values []string
	Bound  string
}

// Definition is one instrument.
type Definition struct {
	// Name in OpenTelemetry, such as "dibrain.rpc.requests".
	Name   string
	Kind   Kind
	Unit   string // UCUM, such as "s"; empty: a plain number
	Help   string
	Labels []Label
	// Buckets of a histogram: their upper bounds.
	Buckets []float64
}

// Other stands for a value that is not in the list of its label.
const Other = "other"

// Prometheus returns the names under which a Prometheus endpoint shows the instrument.
func (d Definition) Prometheus() []string {
	name := strings.ReplaceAll(d.Name, ".", "_")
	switch d.Kind {
	case Counter:
		return []string{name + "_total"}
	case Histogram:
		return []string{name + "_bucket", name + "_count", name + "_sum"}
	default:
		return []string{name}
	}
}

// Keys returns the keys of the labels.
func (d Definition) Keys() []string {
	keys := make([]string, 0, len(d.Labels))
	for _, l := range d.Labels {
		keys = append(keys, l.Key)
	}
	return keys
}

// Buckets in seconds: of calls, which may take minutes, and of what should be quick.
var (
	callBuckets  = []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300}
	quickBuckets = []float64{.0003, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100}
)

func strs[T ~string](values ...T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

var (
	labelMethod  = Label{Key: "method", Bound: "the methods of the contract"}
	labelCode    = Label{Key: "code", Bound: "the codes of gRPC"}
	labelModule  = Label{Key: "module", Bound: "the parts of a process"}
	labelModel   = Label{Key: "model", Bound: "the models of the configuration"}
	labelSource  = Label{Key: "source", Bound: "the sources of the data directory, and the limit of series"}
	labelState   = Label{Key: "state", Values: []string{"ready", "degraded", "not_ready"}}
	labelKind    = Label{Key: "kind", Values: []string{"clicked", "accepted", "rejected"}}
	labelAsked   = Label{Key: "kind", Values: []string{"question", "reply"}}
	labelCame    = Label{Key: "outcome", Values: []string{"found", "asked", "declined"}}
	labelOutcome = Label{Key: "outcome", Values: strs(run.OutcomeAnswered, run.OutcomeAsked, run.OutcomeAbstained, run.OutcomeRefused,
		run.OutcomeDenied, run.OutcomeCut, run.OutcomeFailed, run.OutcomeCancelled)}
	labelResult     = Label{Key: "result", Values: strs(OK, Refused, Busy, Timeout, Cancelled, Failed)}
	labelDependency = Label{Key: "dependency", Values: strs(Trino, DuckDB, PostgreSQL, SQLite, Milvus, Elasticsearch, Model, Embeddings, Loki, ObjectStorage)}
	labelOperation  = Label{Key: "operation", Values: strs(OpQuery, OpExplain, OpMetadata, OpRead, OpWrite, OpSearch, OpIndex, OpChat, OpEmbed, OpUpload, OpRemove, OpList)}
	labelEngine     = Label{Key: "engine", Values: strs(Trino, DuckDB)}
	labelCache      = Label{Key: "cache", Values: strs(CacheFindDataModel, CacheText2SQLModel, CacheResults, CacheRights, CacheQueries, CacheUsers)}
	labelFound      = Label{Key: "found", Values: []string{"hit", "miss"}}
	labelQueue      = Label{Key: "queue", Values: strs(QueueTurns, QueueModel, QueueTrino, QueueDuckDB, QueueProcesses)}
	labelDirection  = Label{Key: "direction", Values: []string{"input", "output"}}
	labelCurrency   = Label{Key: "currency", Bound: "llm.currency of the configuration"}
	labelIntent     = Label{Key: "intent", Values: strs(Intents()...)}
	labelConfidence = Label{Key: "confidence", Values: strs(High, Medium, Low, NotTold)}
	labelFileEnd    = Label{Key: "end", Values: strs(FileRemoved, FileSwept, FileFailed, FileLeft, FileStuck)}
	labelVersion    = Label{Key: "version", Bound: "the program's own"}
	labelGo         = Label{Key: "go", Bound: "the program's own"}
)

// Names of the instruments.
const (
	rpcRequests    = "dibrain.rpc.requests"
	rpcSeconds     = "dibrain.rpc.seconds"
	rpcOutcomes    = "dibrain.rpc.outcomes"
	rpcInFlight    = "dibrain.rpc.in_flight"
	depSeconds     = "dibrain.dependency.seconds"
	depInFlight    = "dibrain.dependency.in_flight"
	modelTokens    = "dibrain.model.tokens"
	modelCost      = "dibrain.model.cost"
	cacheRequests  = "dibrain.cache.requests"
	queueSeconds   = "dibrain.queue.seconds"
	queueWaiting   = "dibrain.queue.waiting"
	queueInUse     = "dibrain.queue.in_use"
	queueRejected  = "dibrain.queue.rejected"
	engineSeconds  = "dibrain.engine.seconds"
	engineRows     = "dibrain.engine.rows"
	engineBytes    = "dibrain.engine.bytes"
	resultFiles    = "dibrain.result.files"
	turnSeconds    = "dibrain.turn.seconds"
	clarifications = "dibrain.clarifications"
	answers        = "dibrain.answers"
	moduleState    = "dibrain.module.state"
	tokenFile      = "dibrain.token_file.unreadable_seconds"
	buildInfo      = "dibrain.build.info"
	findAnswers    = "dibrain.findata.answers"
	findQuestions  = "dibrain.findata.questions"
	findFeedback   = "dibrain.findata.feedback_tables"
	findClickRate  = "dibrain.findata.click_rate"
	findAcceptance = "dibrain.findata.acceptance_rate"
	secondsUnit    = "s"
)

// Definitions returns every instrument of the product: what /metrics and OTLP have, but
// for those of the Go runtime and the process.
func Definitions() []Definition {
	return []Definition{
		{Name: rpcRequests, Kind: Counter, Help: "Calls that ended, by method and gRPC code.", Labels: []Label{labelMethod, labelCode}},
		{Name: rpcSeconds, Kind: Histogram, Unit: secondsUnit, Buckets: callBuckets, Help: "Seconds that calls took, by method and gRPC code.", Labels: []Label{labelMethod, labelCode}},
		{Name: rpcOutcomes, Kind: Counter, Help: "Calls that ended, by method and what came of them; a call without an error may have refused what was asked.", Labels: []Label{labelMethod, labelOutcome}},
		{Name: rpcInFlight, Kind: UpDown, Help: "Calls at work, by method.", Labels: []Label{labelMethod}},

		{Name: depSeconds, Kind: Histogram, Unit: secondsUnit, Buckets: quickBuckets, Help: "Seconds that a call of a dependency took, by what was asked and how it ended.", Labels: []Label{labelDependency, labelOperation, labelResult}},
		{Name: depInFlight, Kind: UpDown, Help: "Calls of a dependency at work.", Labels: []Label{labelDependency}},

		{Name: modelTokens, Kind: Counter, Help: "Tokens sent to and written by a chat model, as the endpoint counted.", Labels: []Label{labelModel, labelDirection}},
		{Name: modelCost, Kind: Counter, Help: "What chat models cost by the prices of the configuration, in its currency.", Labels: []Label{labelModel, labelCurrency}},

		{Name: cacheRequests, Kind: Counter, Help: "Questions to a cache, by whether it had the answer.", Labels: []Label{labelCache, labelFound}},

		{Name: queueSeconds, Kind: Histogram, Unit: secondsUnit, Buckets: quickBuckets, Help: "Seconds for which somebody waited for a place, whether one was got or not.", Labels: []Label{labelQueue}},
		{Name: queueWaiting, Kind: UpDown, Help: "Who waits for a place now.", Labels: []Label{labelQueue}},
		{Name: queueInUse, Kind: UpDown, Help: "Places in use.", Labels: []Label{labelQueue}},
		{Name: queueRejected, Kind: Counter, Help: "Requests that got no place in time.", Labels: []Label{labelQueue}},

		{Name: engineSeconds, Kind: Histogram, Unit: secondsUnit, Buckets: callBuckets, Help: "Seconds from a statement's start to the end of its rows, waiting for a place included, by engine, kind of statement and how it ended.", Labels: []Label{labelEngine, labelOperation, labelResult}},
		{Name: engineRows, Kind: Counter, Help: "Rows that engines returned.", Labels: []Label{labelEngine}},
		{Name: engineBytes, Kind: Counter, Help: "Bytes of the values that engines returned, as text.", Labels: []Label{labelEngine}},

		{Name: resultFiles, Kind: Counter, Help: "Files of results that were let go, by what became of them: removed, swept later, or failed or left, which a later sweep removes.", Labels: []Label{labelFileEnd}},

		{Name: turnSeconds, Kind: Histogram, Unit: secondsUnit, Buckets: callBuckets, Help: "Seconds that turns took, by what was wanted and what came of it.", Labels: []Label{labelIntent, labelOutcome}},
		{Name: clarifications, Kind: Counter, Help: "Turns that ended with a question back, by what was wanted.", Labels: []Label{labelIntent}},
		{Name: answers, Kind: Counter, Help: "Turns that were answered, by what was wanted and how sure the writer of the SQL was: high from .9, medium from .75, low below; not_told where nothing was written.", Labels: []Label{labelIntent, labelConfidence}},

		{Name: moduleState, Kind: Gauge, Help: "1 for the state in which a part of the process is: ready, degraded or not_ready.", Labels: []Label{labelModule, labelState}},
		{Name: tokenFile, Kind: Gauge, Help: "How long auth.token_file cannot be read again; 0 while it can. After auth.token_grace nobody is let in."},
		{Name: buildInfo, Kind: Gauge, Help: "Always 1; the labels say what is running.", Labels: []Label{labelVersion, labelGo}},

		{Name: findAnswers, Kind: Counter, Help: "Answers with tables that were shown."},
		{Name: findQuestions, Kind: Counter, Help: "Questions of find data, and replies to what was asked back, by what came of them.", Labels: []Label{labelAsked, labelCame}},
		{Name: findFeedback, Kind: Counter, Help: "Tables clicked, accepted and rejected, by kind.", Labels: []Label{labelKind}},
		{Name: findClickRate, Kind: Gauge, Help: "Share of answers of which a table was opened or used, when figures of use or index status were last asked.", Labels: []Label{labelSource}},
		{Name: findAcceptance, Kind: Gauge, Help: "Share of right ones among the tables judged, when figures of use or index status were last asked.", Labels: []Label{labelSource}},
	}
}

// within returns v where the label may have it, else Other.
func (l Label) within(v string) string {
	if len(l.Values) == 0 || slices.Contains(l.Values, v) {
		return v
	}
	return Other
}
