package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/internal/config"
)

var updateDocs = flag.Bool("update-docs", false, "write the outputs of commands into the pages of docs/")

const pagesDir = "../../docs"

// commandTime bounds a block of a page.
const commandTime = 2 * time.Minute

// stranger is somebody with the program and an empty folder.
type stranger struct {
	dir, bin, data, home string
	printed              string
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	return &stranger{dir: t.TempDir(), bin: filepath.Dir(binary), data: freshDemo(t), home: t.TempDir()}
}

// run runs a script and returns all that it prints, and its exit code.
func (s *stranger) run(t *testing.T, script string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", filled(script, s.printed))
	cmd.Dir = s.dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(environ(), "HOME="+s.home, "DIBRAIN_DATA_DIR="+s.data, "COLUMNS=100",
		"PATH="+s.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err, script)
	}
	s.printed += out.String()
	printed := strings.ReplaceAll(out.String(), s.data, "DATA_DIR")
	return printed, cmd.ProcessState.ExitCode()
}

// start is the page, if any, whose beginning a page builds on: <!-- after own-data.md -->.
var start = regexp.MustCompile(`<!-- after ([a-z-]+\.md) -->`)

// pages are the names of the pages, README.md of the project among them.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(pagesDir, "*.md"))
	require.NoError(t, err)
	return append(names, "../../README.md")
}

// TestDocuments runs the commands of each page as a stranger would, from top to
// bottom in an empty folder, and compares what they print with what the page shows.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range pages(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			s := newStranger(t)
			if first := start.FindStringSubmatch(string(text)); first != nil {
				before, err := os.ReadFile(filepath.Join(pagesDir, first[1]))
				require.NoError(t, err)
				s.begin(t, blocks(string(before)))
			}
			page := string(text)
			for _, b := range blocks(page) {
				if why := b.problem(); why != "" {
					t.Errorf("%s:%d: %s", name, b.line, why)
					continue
				}
				page = s.follow(t, name, page, b)
			}
			if *updateDocs && page != string(text) {
				require.NoError(t, os.WriteFile(name, []byte(page), 0o600))
			}
		})
	}
}

// begin follows a page up to its first commands.
func (s *stranger) begin(t *testing.T, blocks []block) {
	t.Helper()
	for _, b := range blocks {
		s.follow(t, "", "", b)
		if b.options["needs"] == "" && (b.kind == "sh" || b.kind == "console") {
			return
		}
	}
}

// follow does what a block says, and returns the page with the outputs that there
// really were where they are to be written.
func (s *stranger) follow(t *testing.T, name, page string, b block) string {
	t.Helper()
	if file := b.options["file"]; file != "" {
		path := filepath.Join(s.dir, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(b.text), 0o600))
		return page
	}
	if b.kind != "console" && b.kind != "sh" || b.options["needs"] != "" {
		return page
	}
	exit, _ := strconv.Atoi(b.options["exit"])
	vary := b.options["figures"] == "vary"
	for _, step := range b.steps() {
		out, code := s.run(t, step.command)
		assert.Equal(t, exit, code, "%s:%d: %s\n%s", name, step.line, step.command, out)
		if !step.compared || shows(normal(step.output, vary), normal(out, vary)) {
			continue
		}
		if *updateDocs && !strings.Contains(step.output, "…\n") {
			shown := "$ " + step.command + "\n"
			page = strings.Replace(page, shown+step.output, shown+ids.ReplaceAllString(strings.TrimRight(out, "\n"), "${1}_…")+"\n", 1)
			continue
		}
		assert.Equal(t, normal(step.output, vary), normal(out, vary), "%s:%d: %s", name, step.line, step.command)
	}
	return page
}

// notRunList is the list of the blocks that TestDocuments does not run, with reasons.
const notRunList = "testdata/docs-not-run.tsv"

// TestBlocksThatAreNotRunAreListed holds that each block of the pages is run, is a file that
// commands of its page read, or is on the list with the reason. -update-docs adds what is new
// with an empty reason, and takes out what is gone.
func TestBlocksThatAreNotRunAreListed(t *testing.T) {
	t.Parallel()
	listed := map[string]string{}
	text, err := os.ReadFile(notRunList)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		at := strings.LastIndexByte(line, '\t')
		require.Positive(t, at, line)
		listed[line[:at]] = strings.TrimSuffix(line[at+1:], "\n")
	}
	var found []string
	for _, name := range pages(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, b := range blocks(string(text)) {
			if b.kind == "yaml" && b.options["file"] == "" && configures(t, b.text) {
				loadsAsConfig(t, name, b)
				continue
			}
			if reason := b.notRun(); reason != ran {
				key := filepath.Base(name) + "\t" + b.kind + "\t" + strings.TrimSpace(strings.SplitN(b.text, "\n", 2)[0])
				if reason == "" {
					reason = listed[key]
				}
				found = append(found, key+"\t"+reason)
				assert.NotEmpty(t, reason, "%s:%d is not run and not on %s: mark it so that it is, or say there why it cannot be", name, b.line, notRunList)
			}
		}
	}
	want := strings.Join(found, "\n") + "\n"
	if *updateDocs {
		require.NoError(t, os.WriteFile(notRunList, []byte(want), 0o600))
		return
	}
	require.Equal(t, want, string(text))
}

// configures tells whether a text has sections of the configuration alone.
func configures(t *testing.T, text string) bool {
	t.Helper()
	var of map[string]any
	if err := yaml.Unmarshal([]byte(text), &of); err != nil || len(of) == 0 {
		return false
	}
	sections := reflect.TypeFor[config.Config]()
	for key := range of {
		known := slices.ContainsFunc(reflect.VisibleFields(sections), func(f reflect.StructField) bool {
			return strings.Split(f.Tag.Get("koanf"), ",")[0] == key
		})
		if !known {
			return false
		}
	}
	return true
}

// loadsAsConfig holds that a block of a page is a configuration as it stands.
func loadsAsConfig(t *testing.T, page string, b block) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte(b.text), 0o600))
	_, err := config.Load(config.Options{File: file})
	assert.NoError(t, err, "%s:%d", page, b.line)
}

// TestCommandsOfTheDocumentsExist holds that each command which a page names, in a
// block that is not run or within a sentence, has such a name and such flags.
func TestCommandsOfTheDocumentsExist(t *testing.T) {
	t.Parallel()
	helped := regexp.MustCompile(`(?m)^Usage:\n  dibrain ([a-z0-9 -]+) \[command\]`)
	for _, name := range pages(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			var commands []string
			for _, b := range blocks(string(text)) {
				if b.options["needs"] != "" {
					commands = append(commands, named(b.text)...)
				}
			}
			for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
				commands = append(commands, named(strings.Join(strings.Fields(m[1]), " "))...)
			}
			for _, command := range commands {
				cmd := exec.CommandContext(t.Context(), "bash", "-c", binary+strings.TrimPrefix(command, "dibrain")+" --help")
				cmd.Env, cmd.Dir = environ(), t.TempDir()
				out, err := cmd.CombinedOutput()
				assert.NoError(t, err, "%s: %s\n%s", name, command, out)
				// Help of a group of commands answers for those of its commands that there are not.
				if group := helped.FindStringSubmatch(string(out)); group != nil {
					rest := strings.TrimSpace(strings.TrimPrefix(command, "dibrain "+group[1]))
					assert.Regexp(t, `^$|^-|^[A-Z]|^…`, rest, "%s: %s: there is no such command", name, command)
				}
			}
		})
	}
}

// TestMarksOfTheDocuments holds what the marks of blocks mean.
func TestMarksOfTheDocuments(t *testing.T) {
	t.Parallel()
	page := "a\n```console exit=1\n$ dibrain x \\\n  y\none\n…\ntwo\n$ dibrain z\n```\n```\ndibrain q\n```\n"
	all := blocks(page)
	require.Len(t, all, 2)
	steps := all[0].steps()
	require.Len(t, steps, 2)
	require.Equal(t, "dibrain x \\\n  y", steps[0].command)
	require.Empty(t, all[0].problem())
	require.NotEmpty(t, all[1].problem(), "commands without a mark")
	for output, same := range map[string]bool{
		"one\nmore\ntwo": true, "one\ntwo": true, "one": false, "two": false, "one\nmore": false, "no\none\ntwo": false, "one\ntwo\nmore": false,
	} {
		require.Equal(t, same, shows(normal(steps[0].output, false), output), output)
	}
	require.True(t, shows("a\nb", "a\nb"))
	require.False(t, shows("a", "a\nb"))
	require.False(t, shows("", "a"))
	require.NotEqual(t, normal("12 rows", false), normal("13 rows", false))
	require.Equal(t, normal("12 rows", true), normal("1,300  rows", true))
	require.Equal(t, "dibrain runs show run_0123456789abcdef", filled("dibrain runs show run_…", "run_aaaaaaaaaaaaaaaa run_0123456789abcdef"))
	require.Equal(t, []string{"dibrain a --b", "dibrain c"}, named("X=1 bin/dibrain a \\\n  --b >> f\necho x | dibrain c # d"))
}
