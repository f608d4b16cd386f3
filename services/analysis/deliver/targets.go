// Package deliver sends results of watches to the targets that the operator allows: chats,
// over their webhooks, and folders.
//
// targets.go reads the file of targets, payload.go says what each kind takes, http.go sends
// it, and file.go writes it.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/analysis/watch"
)

// Kind of a target.
type Kind string

// The kinds. All but File are webhooks.
const (
	Slack  Kind = "slack"
	Teams  Kind = "teams"
	Feishu Kind = "feishu"
	JSON   Kind = "json"
	File   Kind = "file"
)

// Bounds of the file of targets.
const (
	maxTargets   = 200
	maxFileBytes = 1 << 20
	maxSecret    = 16 << 10
)

// Target is somewhere that results may go.
type Target struct {
	Name string `yaml:"name"`
	Kind Kind   `yaml:"kind"`
	// URLFile holds the address of a webhook, which is a secret: whoever has it can write
	// there. URL is for those that are none.
	URLFile string `yaml:"url_file"`
	URL     string `yaml:"url"`
	// SecretFile holds the key that feishu and json sign with; empty: they do not.
	SecretFile string `yaml:"secret_file"`
	// Private lets the address be one of a private network, without TLS too.
	Private bool `yaml:"private"`
	// Folder is where a target of the kind file writes.
	Folder string `yaml:"folder"`
}

// Targets send results. They may be used concurrently.
type Targets struct {
	list   []Target
	public *http.Client
	inside *http.Client
	clock  func() time.Time
	log    *slog.Logger
}

var targetName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,63}$`)

// Open reads a file of targets; an empty path is none.
func Open(path string, timeout time.Duration, clock func() time.Time, log *slog.Logger) (*Targets, error) {
	t := &Targets{public: client(timeout, false), inside: client(timeout, true), clock: clock, log: log}
	if path == "" {
		return t, nil
	}
	text, err := readFile(path, maxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("analysis.watch_targets_file: %w", err)
	}
	var file struct {
		Targets []Target `yaml:"targets"`
	}
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("analysis.watch_targets_file %s: %w", path, err)
	}
	if len(file.Targets) > maxTargets {
		return nil, fmt.Errorf("analysis.watch_targets_file %s: it has %d targets, and the most is %d", path, len(file.Targets), maxTargets)
	}
	for i, target := range file.Targets {
		// Files are beside the one that names them.
		for _, name := range []*string{&target.URLFile, &target.SecretFile, &target.Folder} {
			if *name != "" && !filepath.IsAbs(*name) {
				*name = filepath.Join(filepath.Dir(path), *name)
			}
		}
		if err := target.check(); err != nil {
			return nil, fmt.Errorf("analysis.watch_targets_file %s: target %d, %q: %w", path, i+1, target.Name, err)
		}
		if t.has(target.Name) {
			return nil, fmt.Errorf("analysis.watch_targets_file %s: target %q is there twice", path, target.Name)
		}
		t.list = append(t.list, target)
	}
	slices.SortFunc(t.list, func(a, b Target) int { return strings.Compare(a.Name, b.Name) })
	return t, nil
}

// check says what is wrong with a target, without its address.
func (t Target) check() error {
	if !targetName.MatchString(t.Name) {
		return errors.New("name is 1 to 64 letters, digits, dots, dashes and underscores")
	}
	switch t.Kind {
	case File:
		if t.Folder == "" || t.URL != "" || t.URLFile != "" || t.SecretFile != "" {
			return errors.New("a file needs folder and nothing else")
		}
		if at, err := os.Stat(t.Folder); err != nil || !at.IsDir() {
			return fmt.Errorf("folder %s is no folder", t.Folder)
		}
		return nil
	case Slack, Teams, Feishu, JSON:
	default:
		return fmt.Errorf("kind is %q: use slack, teams, feishu, json or file", t.Kind)
	}
	if t.Folder != "" {
		return errors.New("folder is for the kind file")
	}
	if (t.URL == "") == (t.URLFile == "") {
		return errors.New("give url_file, or url for an address that is no secret")
	}
	if t.SecretFile != "" && t.Kind != Feishu && t.Kind != JSON {
		return errors.New("secret_file is for feishu and json")
	}
	_, err := t.address()
	return err
}

// address reads where a webhook is. Errors never hold it.
func (t Target) address() (*url.URL, error) {
	text := t.URL
	if t.URLFile != "" {
		read, err := readFile(t.URLFile, maxSecret)
		if err != nil {
			return nil, fmt.Errorf("url_file: %w", err)
		}
		text = strings.TrimSpace(read)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, errors.New("the address is no URL of a webhook")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !t.Private) {
		return nil, errors.New("the address has to begin with https://, or with http:// where private is true")
	}
	return u, nil
}

// secret reads the key that messages are signed with; "" where there is none.
func (t Target) secret() (string, error) {
	if t.SecretFile == "" {
		return "", nil
	}
	text, err := readFile(t.SecretFile, maxSecret)
	if err != nil {
		return "", fmt.Errorf("secret_file: %w", err)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", errors.New("secret_file is empty")
	}
	return text, nil
}

// readFile reads a small file whole.
func readFile(path string, most int64) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // opened for reading
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return string(text), err
}

func (t *Targets) has(name string) bool {
	return slices.ContainsFunc(t.list, func(have Target) bool { return have.Name == name })
}

// List returns the targets by name.
func (t *Targets) List() []Target { return slices.Clone(t.list) }

// Deliver implements watch.Deliverer.
func (t *Targets) Deliver(ctx context.Context, name string, m watch.Message) error {
	for _, target := range t.list {
		if target.Name != name {
			continue
		}
		if target.Kind == File {
			return target.write(m)
		}
		return t.send(ctx, target, m)
	}
	return fmt.Errorf("there is no target %q any more", name)
}
