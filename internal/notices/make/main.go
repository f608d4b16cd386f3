// Command make writes the notices of what is linked into dibrain, and its bill of
// materials, into the folder that it is run in. It takes the licences from the module
// cache and asks nobody.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is something of somebody else in the binary.
type part struct {
	Name, Version, License string
	Data                   bool // and not code
	Of                     string
	Texts                  []string
}

// inside are parts that no module of Go names: C++ libraries that DuckDB links. The
// licences are those of the files LICENSE in the folders third_party and extension of
// DuckDB's source at v1.5.5; the module of its library has none of them. Look there
// again when DuckDB's version changes. The extensions tpch and tpcds, whose generators
// are under the licence of the TPC, are not among them: their libraries lie in that
// module and are named to the linker, which takes nothing of them, since nothing refers
// to them (nm of the binary shows no symbol of theirs). TestExtensionsInsideOfDuckDB
// holds which ones are there.
var inside = []part{
	{Name: "brotli", License: "MIT"}, {Name: "concurrentqueue", License: "BSD-2-Clause OR BSL-1.0"}, {Name: "cpp-httplib", License: "MIT"},
	{Name: "fast_float", License: "MIT"}, {Name: "FastPFor", License: "Apache-2.0"}, {Name: "fmt", License: "MIT"}, {Name: "fsst", License: "MIT"},
	{Name: "hyperloglog", License: "MIT"}, {Name: "icu", License: "Unicode-DFS-2016"}, {Name: "jaro_winkler", License: "MIT"},
	{Name: "jemalloc", License: "BSD-2-Clause"}, {Name: "libpg_query", License: "BSD-3-Clause"}, {Name: "lz4", License: "BSD-2-Clause"},
	{Name: "mbedtls", License: "Apache-2.0 OR GPL-2.0-or-later"}, {Name: "miniz", License: "MIT"}, {Name: "parquet (Thrift definitions)", License: "Apache-2.0"},
	{Name: "pcg", License: "MIT"}, {Name: "pdqsort", License: "Zlib"}, {Name: "re2", License: "BSD-3-Clause"}, {Name: "ska_sort", License: "BSL-1.0"},
	{Name: "skiplist", License: "MIT"}, {Name: "snappy", License: "BSD-3-Clause"}, {Name: "snowball", License: "BSD-3-Clause"},
	{Name: "tdigest", License: "Apache-2.0"}, {Name: "thrift", License: "Apache-2.0"}, {Name: "utf8proc", License: "MIT AND Unicode-DFS-2015"},
	{Name: "vergesort", License: "MIT"}, {Name: "yyjson", License: "MIT"}, {Name: "zstd", License: "BSD-3-Clause"},
}

// data are embedded files of others; the licence lies beside each.
var data = []part{
	{Name: "Apache ECharts 6.1.0", License: "Apache-2.0 AND BSD-3-Clause", Of: "pkg/report/assets/echarts.LICENSE"},
	{Name: "Noto Sans CJK SC with letters of Noto Sans Hebrew and Noto Sans Arabic, a subset", License: "OFL-1.1", Of: "pkg/chart/draw/assets/font.LICENSE"},
	{Name: "English words of the search analysis", License: "MIT", Of: "pkg/retrieval/analysis/words.LICENSE"},
	{Name: "Chinese-English dictionary", License: "CC-BY-SA-4.0", Of: "pkg/retrieval/synonym/zh-en.LICENSE"},
	{Name: "Chinese terms", License: "CC-BY-SA-4.0", Of: "services/text2sql/lexicon/zh-terms.LICENSE"},
	{Name: "Nouns, from WordNet", License: "WordNet License", Of: "pkg/retrieval/analysis/nouns.LICENSE"},
	{Name: "Words that are no nouns, from WordNet", License: "WordNet License", Of: "pkg/retrieval/analysis/notnouns.LICENSE"},
	{Name: "Meanings of words, from WordNet", License: "WordNet License", Of: "services/text2sql/lexicon/meanings.LICENSE"},
	{Name: "Words of one family, from WordNet", License: "WordNet License", Of: "services/text2sql/lexicon/kin.LICENSE"},
	{Name: "Characters that translations share", License: "CC-BY-SA-4.0", Of: "services/text2sql/lexicon/morphemes.LICENSE"},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	parts, err := modules()
	if err != nil {
		return err
	}
	for _, p := range inside {
		p.Of = "DuckDB"
		parts = append(parts, p)
	}
	for _, p := range data {
		text, err := os.ReadFile(filepath.Join(root, p.Of))
		if err != nil {
			return err
		}
		p.Data, p.Texts = true, []string{string(text)}
		parts = append(parts, p)
	}
	if err := os.WriteFile("THIRD_PARTY_NOTICES.txt", notices(parts), 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	bill, err := bill(parts)
	if err != nil {
		return err
	}
	return os.WriteFile("sbom.cdx.json", bill, 0o644) //nolint:gosec // a file of the repository
}

// module is what go list tells of one.
type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// modules are those that are linked into the binary for Linux.
func modules() ([]part, error) {
	listed, err := output("go", "list", "-deps", "-json=Module", "github.com/dibrain/dibrain/cmd/dibrain")
	if err != nil {
		return nil, err
	}
	var parts []part
	seen := make(map[string]bool)
	for dec := json.NewDecoder(strings.NewReader(listed)); dec.More(); {
		var pkg struct{ Module *module }
		if err := dec.Decode(&pkg); err != nil {
			return nil, err
		}
		m := pkg.Module
		if m == nil || m.Main || seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		dir := m.Dir
		if m.Replace != nil {
			dir = m.Replace.Dir
		}
		p, err := licensed(part{Name: m.Path, Version: m.Version}, dir)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	goRoot, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	std, err := licensed(part{Name: "Go standard library"}, strings.TrimSpace(goRoot))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.Name, b.Name) })
	return append([]part{std}, parts...), nil
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|unlicense|patents)([-.].*)?$`)

// elsewhere are modules whose archive leaves the licence of their repository out.
var elsewhere = map[string]struct{ license, why string }{
	"github.com/milvus-io/milvus-proto/go-api/v2": {"Apache-2.0", "Licensed under the Apache License, Version 2.0, as the repository github.com/milvus-io/milvus-proto is: http://www.apache.org/licenses/LICENSE-2.0"},
}

// chosen are modules that may be used under one of several licences, with the file of the
// one that is taken.
var chosen = map[string]struct{ license, file string }{
	"github.com/golang/freetype": {"FTL", "licenses/ftl.txt"},
}

func licensed(p part, dir string) (part, error) {
	if c, ok := chosen[p.Name]; ok {
		text, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			return p, err
		}
		p.License, p.Texts = c.license, []string{string(text)}
		return p, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return p, fmt.Errorf("%s: %w", p.Name, err)
	}
	for _, e := range entries {
		if e.IsDir() || !licenseFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return p, err
		}
		p.Texts = append(p.Texts, string(text))
	}
	if e, ok := elsewhere[p.Name]; ok && len(p.Texts) == 0 {
		p.License, p.Texts = e.license, []string{e.why}
		return p, nil
	}
	if len(p.Texts) == 0 {
		return p, fmt.Errorf("%s has no licence file in %s: may it be used at all?", p.Name, dir)
	}
	if p.License = kindOf(strings.Join(p.Texts, "\n")); p.License == "" {
		return p, fmt.Errorf("the licence of %s is not known: read it, and teach kindOf", p.Name)
	}
	return p, nil
}

// kinds are licences by words that only they have, the stricter first.
var kinds = []struct{ id, words string }{
	{"MPL-2.0", "Mozilla Public License"},
	{"Apache-2.0", "Apache License"}, {"Apache-2.0", "www.apache.org/licenses/LICENSE-2.0"},
	{"BSD-3-Clause", "Neither the name"}, {"BSD-3-Clause", "names of its contributors may"}, {"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	{"ISC", "Permission to use, copy, modify, and/or distribute"}, {"ISC", "Permission to use, copy, modify, and distribute"},
	{"MIT", "Permission is hereby granted, free of charge"}, {"Unlicense", "This is free and unencumbered software"},
}

func kindOf(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, forbidden := range []string{"GNU GENERAL PUBLIC LICENSE", "GNU AFFERO", "GNU LESSER"} {
		if strings.Contains(text, forbidden) {
			return ""
		}
	}
	for _, k := range kinds {
		if strings.Contains(text, k.words) {
			return k.id
		}
	}
	return ""
}

// notices writes each licence text once, with all that it is for.
func notices(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString("Parts of others in the program dibrain, and their licences.\nMade by `go generate ./internal/notices`.\n\n")
	byText := make(map[string][]string)
	var order []string
	for _, p := range parts {
		name := strings.TrimSpace(p.Name + " " + p.Version)
		if p.Of != "" && !p.Data {
			name += " (inside of " + p.Of + ")"
		}
		fmt.Fprintf(&b, "%s: %s\n", name, p.License)
		for _, text := range p.Texts {
			text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
			if byText[text] == nil {
				order = append(order, text)
			}
			byText[text] = append(byText[text], name)
		}
	}
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(byText[text], "\n"), text)
	}
	return b.Bytes()
}

type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	PURL     string    `json:"purl,omitempty"`
	Licenses []license `json:"licenses"`
}

type license struct {
	License struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	} `json:"license"`
}

// bill writes the bill of materials without a time or a serial number, so that the
// same modules make the same file.
func bill(parts []part) ([]byte, error) {
	components := make([]component, 0, len(parts))
	for _, p := range parts {
		c := component{Type: "library", Name: p.Name, Version: p.Version, Licenses: make([]license, 1)}
		if p.Data {
			c.Type = "data"
		}
		if strings.Contains(p.Name, ".") && p.Version != "" {
			c.PURL = "pkg:golang/" + p.Name + "@" + p.Version
		}
		if strings.Contains(p.License, " ") {
			c.Licenses[0].License.Name = p.License
		} else {
			c.Licenses[0].License.ID = p.License
		}
		components = append(components, c)
	}
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": map[string]any{"type": "application", "name": "dibrain", "licenses": []any{map[string]any{"license": map[string]any{"id": "Apache-2.0"}}}}},
		"components": components,
	}, "", "  ")
	return append(text, '\n'), err
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w: %s", name, err, exit.Stderr)
	}
	return string(out), err
}
