package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/dibrain/dibrain/pkg/fault"
)

const (
	envPrefix = "DIBRAIN_"
	// EnvConfig names the configuration file, as --config does.
	EnvConfig = envPrefix + "CONFIG"
	// EnvToken holds the API token of commands that call a server.
	EnvToken = envPrefix + "TOKEN"
	fileName = "config.yaml"
	// maxFileBytes bounds a configuration file.
	maxFileBytes = 1 << 20
)

// platformVariables are DIBRAIN_* variables that are no keys: those that
// Kubernetes sets for a service named dibrain…, and those of tests.
var platformVariables = regexp.MustCompile(`(_SERVICE_(HOST|PORT(_\w+)?)|_PORT(_\d+_(TCP|UDP)(_\w+)?)?)$|^DIBRAIN_TEST_`)

// Options say where Load looks.
type Options struct {
	// File is the configuration file; it must exist. Empty: EnvConfig, else
	// "dibrain/config.yaml" in the XDG configuration home, if that exists.
	File string
	// Environ is what os.Environ returns.
	Environ []string
	// Flags holds the values of flags that were given, by key.
	Flags map[string]any
}

// Load returns the effective configuration, complete but not verified. Errors
// are faults that name the key and where it stands.
func Load(o Options) (Config, error) {
	env := environment(o.Environ)
	c := defaults()
	if c.DataDir = filepath.Join(env.home("XDG_DATA_HOME", xdg.DataHome), "dibrain"); !filepath.IsAbs(c.DataDir) {
		c.DataDir = ""
	}
	l := loader{known: keys(c), k: koanf.New("."), origins: make(map[string]string)}

	if err := l.file(o.path(env)); err != nil {
		return Config{}, err
	}
	if err := l.environment(env); err != nil {
		return Config{}, err
	}
	if err := l.layer(o.Flags, func(key string) string { return "flag --" + flagName(key) }); err != nil {
		return Config{}, err
	}
	if err := l.unmarshal(&c); err != nil {
		return Config{}, err
	}
	c.origins = l.origins
	var set problems
	c.verifyFields(&set, func(f Field) bool { return l.origins[f.Key] != "" && !reflect.ValueOf(f.Value).IsZero() })
	if err := set.err(); err != nil { // before the services tell it in words of their own
		return Config{}, err
	}
	zeros := c.zeros()
	if err := c.complete(); err != nil {
		return Config{}, err
	}
	if err := c.verifyZeros(zeros); err != nil {
		return Config{}, err
	}
	return c, nil
}

// Path returns the configuration file that Load reads, which may not be there.
func (o Options) Path() string {
	path, _ := o.path(environment(o.Environ))
	return path
}

// path returns the configuration file, and whether it must exist.
func (o Options) path(env environ) (path string, required bool) {
	for _, named := range []string{o.File, env[EnvConfig]} {
		if named != "" {
			return named, true
		}
	}
	return filepath.Join(env.home("XDG_CONFIG_HOME", xdg.ConfigHome), "dibrain", fileName), false
}

// Origin says where the value of a key comes from; empty for defaults.
func (c Config) Origin(key string) string { return c.origins[key] }

type environ map[string]string

func environment(pairs []string) environ {
	env := make(environ)
	for _, pair := range pairs {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	return env
}

// home returns a folder of the XDG specification, which wants absolute paths.
func (e environ) home(name, fallback string) string {
	if dir := e[name]; filepath.IsAbs(dir) {
		return dir
	}
	return fallback
}

type loader struct {
	known   []string
	k       *koanf.Koanf
	origins map[string]string
}

func keys(c Config) []string {
	var known []string
	for _, f := range c.Fields() {
		known = append(known, f.Key)
	}
	return known
}

func (l *loader) file(path string, required bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil
	}
	var text []byte
	if err == nil {
		if info.Size() > maxFileBytes {
			return fault.Invalid("--config", "CONFIG_INVALID", "The configuration file %s is larger than %d bytes.", path, maxFileBytes)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return fault.Invalid("--config", "CONFIG_UNREADABLE", "The configuration file cannot be read: %v.", err)
	}
	values, err := yaml.Parser().Unmarshal(text)
	if err != nil {
		return fault.Invalid("--config", "CONFIG_INVALID", "The configuration file %s is no YAML: %v.", path, err)
	}
	return l.layer(values, func(string) string { return "file " + path })
}

func (l *loader) environment(env environ) error {
	byName := make(map[string]string, len(l.known))
	names := make([]string, 0, len(l.known))
	for _, key := range l.known {
		byName[EnvName(key)] = key
		names = append(names, EnvName(key))
	}
	values := make(map[string]any)
	for name, value := range env {
		key, ok := byName[name]
		switch {
		case ok:
			values[key] = value
		case !strings.HasPrefix(name, envPrefix), name == EnvConfig, name == EnvToken, platformVariables.MatchString(name):
		default:
			return unknownKey(name, "the environment", names)
		}
	}
	return l.layer(values, func(key string) string { return "variable " + EnvName(key) })
}

// layer puts values over what is there. Keys are checked one by one, so that
// the error can say in which layer an unknown one stands.
func (l *loader) layer(values map[string]any, origin func(key string) string) error {
	if len(values) == 0 {
		return nil
	}
	one := koanf.New(".")
	if err := one.Load(confmap.Provider(values, "."), nil); err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	for _, key := range one.Keys() {
		if !slices.Contains(l.known, key) && !l.isEmptySection(key, one.Get(key)) {
			return unknownKey(key, origin(key), l.known)
		}
		l.origins[key] = origin(key)
	}
	if err := l.k.Merge(one); err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	return nil
}

// isEmptySection lets "router:" with nothing under it pass.
func (l *loader) isEmptySection(key string, value any) bool {
	return value == nil && slices.ContainsFunc(l.known, func(k string) bool { return strings.HasPrefix(k, key+".") })
}

func (l *loader) unmarshal(c *Config) error {
	err := l.k.UnmarshalWithConf("", c, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: c, TagName: "koanf", WeaklyTypedInput: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
	}})
	if err == nil {
		return nil
	}
	var p problems
	for _, one := range flatten(err) {
		key, text := strings.ToLower(one.Name()), one.Unwrap().Error()
		p.add(fault.Invalid(key, "CONFIG_INVALID", "%s (from %s): %s.", key, l.origins[key], text))
	}
	if len(p) == 0 {
		return fault.Invalid("", "CONFIG_INVALID", "The configuration cannot be read: %v.", err)
	}
	return p.err()
}

func flatten(err error) []*mapstructure.DecodeError {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		var all []*mapstructure.DecodeError
		for _, e := range many.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	var one *mapstructure.DecodeError
	if errors.As(err, &one) {
		return []*mapstructure.DecodeError{one}
	}
	return nil
}

func unknownKey(key, where string, known []string) error {
	hint := "`dibrain config print` lists all keys."
	if near, ok := nearest(key, known); ok {
		hint = fmt.Sprintf("Did you mean %q?", near)
	}
	return fault.Invalid(key, "CONFIG_KEY_UNKNOWN", "Unknown configuration key %q in %s. %s", key, where, hint)
}

// flagName returns the flag that sets a key: "data_dir" is --data-dir.
func flagName(key string) string {
	return strings.NewReplacer("_", "-", ".", "-").Replace(key)
}
