package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/rpc"
	"github.com/dibrain/dibrain/services/chatbi"
	"github.com/dibrain/dibrain/services/findata"
	"github.com/dibrain/dibrain/services/router"
)

// reload is what a process knows of its configuration while it serves.
type reload struct {
	mu      sync.Mutex
	running config.Config                // what is in use
	started map[string][sha256.Size]byte // of the files that are read at the start alone, by key

	// refused says why the newest configuration is not in use; nil: it is. Readiness asks for
	// it, which waits for nothing.
	refused atomic.Pointer[error]

	// Those below take on what can change, and are nil where the process has no such part.
	rates  func(config.Config)
	router *router.Service
	model  *llm.Client
	chatbi *chatbi.Service
	find   *findata.Service
}

// LiveSetting is a group of settings that a process takes on while it serves.
type LiveSetting struct {
	// Keys are keys of the configuration. One that ends in a dot stands for all that begin
	// with it.
	Keys []string
	// But are those of them that wait for a restart all the same.
	But []string
	// Doc says from when on the new values count.
	Doc string
	// take has the process use them; nil where it does so by itself.
	take func(*App, config.Config) error
	// absent says that the process has nothing that uses them, so that they change nothing
	// and wait for nothing; nil: it has.
	absent func(*App) bool
}

// holds reports whether a key is one of the group.
func (s LiveSetting) holds(key string) bool {
	return matches(s.Keys, key) && !matches(s.But, key)
}

func matches(keys []string, key string) bool {
	return slices.ContainsFunc(keys, func(k string) bool {
		return k == key || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k)
	})
}

// LiveSettings are all settings that a process takes on while it serves; the others wait for
// a restart.
func LiveSettings() []LiveSetting {
	chatbiKeys, chatbiBut := chatbi.LiveSettings()
	return []LiveSetting{
		{Keys: []string{"log.level", "log.format"}, Doc: "from the next line on", take: func(a *App, c config.Config) error {
			if a.options.LiveLog == nil {
				return nil
			}
			return a.options.LiveLog.Set(c.Log.Level, c.Log.Format)
		}},
		{Keys: []string{"limits.requests_per_second", "limits.request_burst", "limits.max_principals", "auth.failed_sign_ins", "auth.failed_sign_in_every"},
			Doc: "from the next call on, for those too who called before",
			take: func(a *App, c config.Config) error {
				a.reload.rates(c)
				return nil
			}, absent: func(a *App) bool { return a.reload.rates == nil }},
		{Keys: []string{"router."}, But: append(under("router.", router.RestartSettings()), "router.address"), Doc: "for whatever a turn does from then on, also a turn at work",
			take: func(a *App, c config.Config) error { return a.reload.router.Reconfigure(c.Router.Config) }, absent: func(a *App) bool { return a.reload.router == nil }},
		{Keys: []string{"llm."}, But: append(under("llm.", llm.RestartSettings()), "llm.api_key", "llm.api_key_file"), Doc: "from the next request to the model on; prices, for answers that come from then on",
			take: func(a *App, c config.Config) error { return a.reload.model.Reconfigure(c.LLM.Config) }, absent: func(a *App) bool { return a.reload.model == nil }},
		{Keys: under("chatbi.", chatbiKeys), But: under("chatbi.", chatbiBut), Doc: "for statements and pages that begin from then on",
			take: func(a *App, c config.Config) error { return a.reload.chatbi.Reconfigure(c.ChatBI.Config) }, absent: func(a *App) bool { return a.reload.chatbi == nil }},
		{Keys: under("findata.", findata.LiveSettings()), Doc: "for whatever a search does from then on",
			take: func(a *App, c config.Config) error { return a.reload.find.Reconfigure(c.FindData.Config) }, absent: func(a *App) bool { return a.reload.find == nil }},
		{Keys: []string{"reload_every"}, Doc: "after the look that is due"},
	}
}

func under(prefix string, keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = prefix + k
	}
	return out
}

// RereadFiles are the keys of files that are read again by themselves, when they change or
// before each use.
func RereadFiles() []string {
	return []string{
		"policy.file", "auth.token_file", "tls.cert_file", "tls.key_file", "tls.client_ca_file", "tls.ca_file", "llm.api_key_file", "store.dsn_file",
		"findata.rules_file", "findata.synonyms_file", "logify.policy_file", "logify.masks_file", "logify.token_file", "analysis.python_runner_token_file",
		"results.s3.access_key_id_file", "results.s3.secret_access_key_file",
	}
}

// StartFiles are the keys of files that are read at the start alone.
func StartFiles() []string {
	return []string{
		"router.agents_file", "analysis.agents_file", "analysis.watch_targets_file", "knowledge.collections_file", "findata.ranking_file", "findata.rank_model",
		"auth.hop_key_file", "auth.hop_keys_file", "auth.oidc.ca_file", "findata.search.elasticsearch.tls.ca_file", "findata.search.milvus.tls.ca_file",
		"findata.search.endpoint.tls.ca_file", "analysis.python_runner_ca_file", "results.s3.ca_file",
	}
}

// maxStartFile bounds what is read of such a file, in bytes; what is behind it is not compared.
const maxStartFile = 64 << 20

// sums returns what the files read at the start hold now. One that cannot be read is told by
// those who read it.
func sums(c config.Config) map[string][sha256.Size]byte {
	out := make(map[string][sha256.Size]byte)
	for _, f := range c.Fields() {
		path, ok := f.Value.(string)
		if !ok || path == "" || !slices.Contains(StartFiles(), f.Key) {
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		h := sha256.New()
		_, err = io.Copy(h, io.LimitReader(file, maxStartFile))
		if err = errors.Join(err, file.Close()); err == nil {
			out[f.Key] = [sha256.Size]byte(h.Sum(nil))
		}
	}
	return out
}

// beginReloading remembers what the process was started with, and has readiness tell when
// something newer was refused.
func (a *App) beginReloading() {
	a.reload.running, a.reload.started = a.config, sums(a.config)
	if !a.headless {
		a.ready.add("configuration", func(context.Context) error {
			if refused := a.reload.refused.Load(); refused != nil {
				return rpc.Degraded(*refused)
			}
			return nil
		})
	}
}

// Reloaded says what became of the keys that have changed, without their values.
type Reloaded struct {
	Taken   []string // count from now on
	Waiting []string // wait for a restart, also what an earlier reload told of
}

// Reload takes on what can change while the process serves. load reads the new configuration;
// it is verified whole, and in the mixture that would be in use, and one that is not valid
// changes nothing: the error says why, and readiness tells of it until a later one is valid.
func (a *App) Reload(ctx context.Context, load func() (*config.Config, error)) (Reloaded, error) {
	a.reload.mu.Lock()
	defer a.reload.mu.Unlock()
	out, err := a.takeOn(ctx, load)
	if err != nil {
		refused := fmt.Errorf("the configuration was read again and is not valid, and the one before stays in use: %s", fault.OperatorText(err))
		a.reload.refused.Store(&refused)
		return out, err
	}
	a.reload.refused.Store(nil)
	return out, nil
}

func (a *App) takeOn(ctx context.Context, load func() (*config.Config, error)) (Reloaded, error) {
	next, err := load()
	if err == nil {
		err = Verify(ctx, *next, a.targets)
	}
	if err != nil {
		return Reloaded{}, err
	}
	settings := LiveSettings()
	// A model of another endpoint is none of this one: all of it waits together.
	moves := next.LLM.Config.BaseURL != a.reload.running.LLM.Config.BaseURL
	of := func(key string) *LiveSetting {
		if moves && strings.HasPrefix(key, "llm.") {
			return nil
		}
		for i, s := range settings {
			if s.holds(key) {
				return &settings[i]
			}
		}
		return nil
	}
	mixed := a.reload.running.Adopt(*next, func(key string) bool { return of(key) != nil })
	if err := verify(ctx, a.planned, mixed); err != nil {
		return Reloaded{}, fmt.Errorf("what can change while the process serves does not go with what waits for a restart: %w", err)
	}
	var out Reloaded
	was := make(map[string]any)
	for _, f := range a.reload.running.Fields() {
		was[f.Key] = f.Value
	}
	changed := make(map[*LiveSetting][]string)
	for _, f := range next.Fields() {
		if reflect.DeepEqual(f.Value, was[f.Key]) {
			continue
		}
		if s := of(f.Key); s == nil {
			out.Waiting = append(out.Waiting, f.Key)
		} else {
			changed[s] = append(changed[s], f.Key)
		}
	}
	var taken []*LiveSetting
	for i := range settings {
		s := &settings[i]
		if len(changed[s]) == 0 || s.absent != nil && s.absent(a) {
			continue
		}
		if s.take != nil {
			if err := s.take(a, mixed); err != nil {
				for _, before := range taken { // all of it counts, or nothing
					err = errors.Join(err, before.take(a, a.reload.running))
				}
				return Reloaded{}, err
			}
			taken = append(taken, s)
		}
		out.Taken = append(out.Taken, changed[s]...)
	}
	a.reload.running = mixed
	for key, sum := range sums(a.config) {
		if sum != a.reload.started[key] && !slices.Contains(out.Waiting, key) {
			out.Waiting = append(out.Waiting, key+" (what is in the file)")
		}
	}
	slices.Sort(out.Waiting)
	return out, nil
}

// ReloadEvery is how often the configuration file is to be looked at; 0: never.
func (a *App) ReloadEvery() time.Duration {
	a.reload.mu.Lock()
	defer a.reload.mu.Unlock()
	return a.reload.running.ReloadEvery
}
