package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/internal/state"
	"github.com/dibrain/dibrain/pkg/store/postgres"
)

// Bounds of a support bundle.
const (
	maxBundlePart  = 8 << 20
	maxBundleFiles = 5_000
	maxSecretFile  = 1 << 20
	// minSecret is the length from which a text counts as a secret: a shorter one would take
	// letters out of every word.
	minSecret = 6
)

// bundlePart is one file of a support bundle.
type bundlePart struct {
	name string
	text string
}

// writeBundle writes what helps somebody elsewhere to see what is wrong: findings, configuration,
// versions of stores, names and sizes of files, and what a running server says of itself. Each
// part goes by a redactor. No row, question or answer is in it.
func writeBundle(ctx context.Context, f *Factory, name string, findings string) error {
	if _, err := os.Stat(name); err == nil {
		return badUsage("--bundle: %s is there already: choose another name", name)
	}
	parts := []bundlePart{{"findings.json", findings}, {"environment.txt", environmentNames(f.Environ)}}
	cfg, err := f.Config()
	redact := newRedactor(f.Environ, nil)
	if err == nil {
		redact = newRedactor(f.Environ, cfg)
		parts = append(parts, f.bundleConfig(cfg), f.bundleStores(ctx, cfg), bundleFiles(cfg))
		for _, page := range []string{"readyz", "metrics"} {
			parts = append(parts, bundlePage(ctx, cfg, page))
		}
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		part, err := w.Create(p.name)
		if err != nil {
			return err
		}
		text := p.text
		if len(text) > maxBundlePart {
			text = text[:maxBundlePart] + "\n… cut off here\n"
		}
		if _, err := io.WriteString(part, redact.clean(text)); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return badUsage("--bundle: %w", err)
	}
	_, err = file.Write(out.Bytes())
	return errors.Join(err, file.Close())
}

// failedPart says why a part is not there.
func failedPart(name string, err error) bundlePart {
	return bundlePart{name, "not to be had: " + err.Error() + "\n"}
}

func (f *Factory) bundleConfig(cfg *config.Config) bundlePart {
	var text bytes.Buffer
	if err := cfg.Print(&text); err != nil {
		return failedPart("config.yaml", err)
	}
	return bundlePart{"config.yaml", text.String()}
}

func (f *Factory) bundleStores(ctx context.Context, cfg *config.Config) bundlePart {
	db, err := postgres.Config{}, error(nil)
	if cfg.Store.Kind == config.StorePostgres {
		db, err = databaseConfig(f, cfg)
	}
	var list []state.Kept
	if err == nil {
		list, err = state.Versions(ctx, *cfg, db)
	}
	if err != nil {
		return failedPart("stores.json", err)
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return failedPart("stores.json", err)
	}
	return bundlePart{"stores.json", string(text)}
}

// bundleFiles lists the files of the data directory, without what is in them.
func bundleFiles(cfg *config.Config) bundlePart {
	var text strings.Builder
	listed := 0
	err := filepath.WalkDir(cfg.DataDir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if entry.IsDir() {
			return nil
		}
		if listed++; listed > maxBundleFiles {
			fmt.Fprintf(&text, "… more than %d files\n", maxBundleFiles)
			return fs.SkipAll
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // it went meanwhile
		}
		rel, err := filepath.Rel(cfg.DataDir, file)
		if err == nil {
			fmt.Fprintf(&text, "%s %12d %s\n", info.Mode(), info.Size(), rel)
		}
		return err
	})
	if err != nil {
		return failedPart("files.txt", err)
	}
	return bundlePart{"files.txt", text.String()}
}

// bundlePage is what a running server says on its admin port.
func bundlePage(ctx context.Context, cfg *config.Config, page string) bundlePart {
	name := page + ".txt"
	if cfg.Admin.Listen == "" {
		return failedPart(name, errors.New("admin.listen is empty"))
	}
	ctx, cancel := context.WithTimeout(ctx, engineDeadline)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+cfg.Admin.Listen+"/"+page, nil)
	if err != nil {
		return failedPart(name, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return failedPart(name, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBundlePart+1))
	if err != nil {
		return failedPart(name, err)
	}
	return bundlePart{name, string(text)}
}

// environmentNames lists the variables that the program reads, without their values.
func environmentNames(environ []string) string {
	var names []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		for _, prefix := range []string{"DIBRAIN_", "OTEL_", "XDG_", "GO", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "KUBERNETES_"} {
			if strings.HasPrefix(strings.ToUpper(name), prefix) {
				names = append(names, name)
				break
			}
		}
	}
	slices.Sort(names)
	return strings.Join(append(names, ""), "\n")
}

// redactor takes secrets out of texts: those that are known from the configuration, its files
// and the environment, and what looks like one.
type redactor struct{ known []string }

// secretName are names of settings and variables whose values are secrets.
var secretName = regexp.MustCompile(`(?i)(key|token|secret|password|passwd|credential|dsn|headers|authorization)`)

// shapes look like secrets wherever they stand, with what stands for them.
var shapes = []struct {
	look *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\z)`), "[private key]"},
	{regexp.MustCompile(`(://)[^/\s"'@]+@`), "${1}[who]@"},
	{regexp.MustCompile(`dib_[A-Za-z0-9_-]{10,}`), "[token]"},
	{regexp.MustCompile(`eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`), "[token]"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}`), "${1} [token]"},
	{regexp.MustCompile(`(?i)\b(password|passwd|secret|api_?key|token)(["']?\s*[=:]\s*)("[^"]+"|'[^']+'|[^\s,;&"']+)`), "${1}${2}[secret]"},
	{regexp.MustCompile(`\b(sk-|ghp_|glpat-|xox[a-z]-|AKIA)[A-Za-z0-9_-]{8,}`), "[token]"},
}

// newRedactor reads the secrets of a configuration, which may be nil, and of the environment.
func newRedactor(environ []string, cfg *config.Config) *redactor {
	r := &redactor{}
	for _, pair := range environ {
		if name, value, _ := strings.Cut(pair, "="); secretName.MatchString(name) && !strings.HasSuffix(strings.ToUpper(name), "_FILE") {
			r.add(value)
		}
	}
	if cfg != nil {
		for _, f := range cfg.Fields() {
			switch v := f.Value.(type) {
			case config.Secret:
				r.add(v.Reveal())
			case string:
				if last := f.Key[strings.LastIndexByte(f.Key, '.')+1:]; strings.HasSuffix(last, "_file") && secretName.MatchString(strings.TrimSuffix(last, "_file")) {
					r.file(v)
				}
			}
		}
		r.file(filepath.Join(cfg.DataDir, "hop.key"))
	}
	// The longest first: a secret may hold another one.
	slices.SortFunc(r.known, func(a, b string) int { return len(b) - len(a) })
	return r
}

// file takes each value of a file of secrets: the whole, its lines, and what a YAML of it says.
func (r *redactor) file(name string) {
	info, err := os.Stat(name)
	if name == "" || err != nil || !info.Mode().IsRegular() || info.Size() > maxSecretFile {
		return
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		r.add(line)
	}
	var doc any
	if yaml.Unmarshal(text, &doc) == nil {
		r.values(doc)
	}
}

func (r *redactor) values(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if _, text := inner.(string); text && !secretName.MatchString(name) && name != "hash" {
				continue
			}
			r.values(inner)
		}
	case []any:
		for _, inner := range v {
			r.values(inner)
		}
	case string:
		r.add(v)
	}
}

// add takes a secret, and the password of one that is an address.
func (r *redactor) add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < minSecret {
		return
	}
	r.known = append(r.known, secret)
	if _, rest, ok := strings.Cut(secret, "://"); ok {
		if who, _, ok := strings.Cut(rest, "@"); ok {
			if _, password, ok := strings.Cut(who, ":"); ok && len(password) >= minSecret {
				r.known = append(r.known, password)
			}
		}
	}
}

// clean is a text without secrets.
func (r *redactor) clean(text string) string {
	for _, secret := range r.known {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	for _, s := range shapes {
		text = s.look.ReplaceAllString(text, s.with)
	}
	return text
}
