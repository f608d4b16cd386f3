package sandbox

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// describe prints what the sandbox has to know of an interpreter.
//
//go:embed describe.py
var describe string

// describeTimeout bounds an interpreter's description of itself.
const describeTimeout = 20 * time.Second

// Interpreter is a Python that was found.
type Interpreter struct {
	Executable string `json:"executable"`
	Version    string `json:"version"`
	// Packages are the libraries for statistics that it has, with their versions.
	Packages map[string]string `json:"packages"`

	Prefixes []string `json:"prefixes"`
	Path     []string `json:"path"`

	program string // the executable's file, without links
}

// Packages that are told of, where an interpreter has them.
func Packages() []string {
	return []string{"pandas", "numpy", "scipy", "statsmodels", "scikit-learn", "matplotlib", "pyarrow"}
}

// candidates are the interpreters that are tried: the one that is configured, or those
// that people have.
func candidates(configured string) []string {
	if configured != "" {
		return []string{configured}
	}
	var out []string
	if found, err := exec.LookPath("python3"); err == nil {
		out = append(out, found)
	}
	for _, usual := range []string{"/usr/local/bin/python3", "/usr/bin/python3"} {
		if _, err := os.Stat(usual); err == nil && !slices.Contains(out, usual) {
			out = append(out, usual)
		}
	}
	return out
}

// inspect asks an interpreter what it is. It is the operator's own program, and runs
// nothing but describe.py, without the variables of this process.
func inspect(ctx context.Context, path string) (Interpreter, error) {
	ctx, done := context.WithTimeout(ctx, describeTimeout)
	defer done()
	var out, words bytes.Buffer
	args := append([]string{"-I", "-B", "-c", describe}, Packages()...)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}
	cmd.Stdout, cmd.Stderr = &out, &words
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return Interpreter{}, fmt.Errorf("ask %s what it is: %w %s", path, err, lastLine(words.Bytes()))
	}
	var found Interpreter
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		return Interpreter{}, fmt.Errorf("ask %s what it is: %w", path, err)
	}
	program, err := filepath.EvalSymlinks(found.Executable)
	if err != nil {
		return Interpreter{}, fmt.Errorf("find the program of %s: %w", path, err)
	}
	found.program = program
	return found, nil
}

// systemPrefixes are those under which more lies than an interpreter: of them only
// folders of libraries are shown.
var systemPrefixes = []string{"/usr", "/usr/local"}

// libraries are where shared libraries, time zones and fonts lie.
var libraries = []string{
	"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/usr/share/zoneinfo", "/usr/share/fonts",
}

// shown are the files and folders that a program under the interpreter sees, without
// links, and the links that lead to them.
func (i Interpreter) shown() (paths []string, links map[string]string, err error) {
	wanted := slices.Concat([]string{i.program}, libraries, i.Path)
	for _, prefix := range i.Prefixes {
		clean := filepath.Clean(prefix)
		if clean == "/" || !filepath.IsAbs(clean) {
			return nil, nil, fmt.Errorf("the interpreter's prefix is %q, under which everything lies: use one that has a folder of its own", prefix)
		}
		if !slices.Contains(systemPrefixes, clean) {
			wanted = append(wanted, clean)
		}
	}
	links = make(map[string]string)
	for _, path := range wanted {
		if !filepath.IsAbs(path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("look at %s: %w", path, err)
		}
		if real != filepath.Clean(path) {
			links[filepath.Clean(path)] = real
		}
		paths = append(paths, real)
	}
	slices.Sort(paths)
	var outermost []string
	for _, path := range slices.Compact(paths) {
		if !slices.ContainsFunc(outermost, func(o string) bool { return strings.HasPrefix(path, o+"/") }) {
			outermost = append(outermost, path)
		}
	}
	for link := range links { // one inside of what is shown is there already
		if slices.ContainsFunc(outermost, func(o string) bool { return strings.HasPrefix(link, o+"/") }) {
			delete(links, link)
		}
	}
	return outermost, links, nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
