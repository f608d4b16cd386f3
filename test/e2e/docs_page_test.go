package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A page of docs/ is a program that a stranger runs from top to bottom in an empty
// folder. What follows the three backquotes of a block says what the block is:
//
//	console            commands behind "$ ", each with the output that it has
//	sh                 commands that end well
//	yaml file=a/b.yaml the text of a file that the reader makes
//
// with these words behind it:
//
//	exit=1             the commands end with this exit code
//	figures=vary       digits and the width of columns differ from day to day
//	needs=trino        what the machine of a stranger lacks: the commands are not
//	                   run, but their names and flags have to exist
//
// A line "…" of an output stands for any lines. An id that ends in "…", as run_…,
// stands for the last one of its kind that the page has printed.

// needed are what a block may need, with the place where it is tried instead.
var needed = map[string]string{
	"checkout":             "the source of this project; .ci/run builds it",
	"grpcurl":              "a program of others; TestGrpcurlOfTheDocuments makes the calls",
	"kubernetes":           "a cluster; test/kube types it",
	"kubernetes-with-pods": "a cluster with running pods",
	"kubernetes-warehouse": "a cluster, and files of servers of yours; test/kube types it",
	"network":              "something from the network",
	"helm":                 "a cluster; test/kube types it",
	"docker":               "an engine of containers",
	"loki":                 "a Loki server",
	"postgres":             "a PostgreSQL server to administer",
	"model":                "a chat model",
	"collector":            "a collector of traces",
	"python":               "Python and pip; clients/python/check.sh runs the client",
	"terminal":             "somebody who types",
	"transcript":           "figures of a day; scripts/transcript.sh compares the rest",
	"trino":                "a Trino server; the tests beside it have their own",
	"files":                "files that the page does not show",
	"server":               "a server that runs on; the tests of this package start theirs",
}

// block is a fenced block of a page.
type block struct {
	line    int // of the fence, from 1
	kind    string
	options map[string]string
	text    string
}

// step is a command of a block with the output that the page shows.
type step struct {
	line     int
	command  string
	output   string
	compared bool
}

var fence = regexp.MustCompile("^ *```+(.*)$")

// blocks returns the fenced blocks of a page in order.
func blocks(page string) []block {
	var out []block
	var open *block
	for i, line := range strings.Split(page, "\n") {
		marks := fence.FindStringSubmatch(line)
		switch {
		case marks == nil && open != nil:
			open.text += line + "\n"
		case marks == nil:
		case open != nil:
			out, open = append(out, *open), nil
		default:
			open = &block{line: i + 1, options: map[string]string{}}
			words := strings.Fields(marks[1])
			if len(words) > 0 {
				open.kind = words[0]
				for _, word := range words[1:] {
					key, value, _ := strings.Cut(word, "=")
					open.options[key] = value
				}
			}
		}
	}
	return out
}

// problem says what is wrong with the marks of a block, "" where nothing is.
func (b block) problem() string {
	for key, value := range b.options {
		switch key {
		case "exit", "figures", "file":
		case "needs":
			if needed[value] == "" {
				return fmt.Sprintf("nothing is known of needs=%s", value)
			}
		default:
			return "nothing is known of the mark " + key
		}
	}
	if b.kind != "console" && b.kind != "sh" && slices.ContainsFunc(strings.Split(b.text, "\n"), isCommand) {
		return "it has commands: mark it as console or sh, with needs=… where a stranger cannot run them"
	}
	return ""
}

// ran is notRun of a block that TestDocuments runs, or writes for those that it runs.
const ran = "run"

// notRun says why a block is not run: what it needs; "" where its marks do not tell.
func (b block) notRun() string {
	switch {
	case b.options["needs"] != "":
		return needed[b.options["needs"]]
	case b.options["file"] != "" || b.kind == "console" || b.kind == "sh":
		return ran
	}
	return ""
}

// isCommand reports whether a line begins as the commands of the pages do.
func isCommand(line string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " ")
	return slices.Contains([]string{"dibrain", "bin/dibrain", "grpcurl", "kubectl", "go", "echo", "export"}, word)
}

// steps are the commands of a block. Those of sh are one script.
func (b block) steps() []step {
	if b.kind == "sh" {
		return []step{{line: b.line, command: b.text}}
	}
	var out []step
	continued := false
	for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
		command, is := strings.CutPrefix(line, "$ ")
		switch {
		case continued:
			out[len(out)-1].command += "\n" + line
			continued = strings.HasSuffix(line, `\`)
		case is:
			out = append(out, step{line: b.line + 1 + i, command: command, compared: true})
			continued = strings.HasSuffix(line, `\`)
		case len(out) > 0:
			out[len(out)-1].output += line + "\n"
		}
	}
	return out
}

// ids are the kinds of ids that commands print and take.
var ids = regexp.MustCompile(`\b(run|ses|ex|call|turn|ana)_[0-9a-f]{8,}\b`)

// filled puts the last ids that were printed in the place of run_… and the like.
func filled(command, printed string) string {
	last := map[string]string{}
	for _, m := range ids.FindAllStringSubmatch(printed, -1) {
		last[m[1]] = m[0]
	}
	for kind, id := range last {
		command = strings.ReplaceAll(command, kind+"_…", id)
	}
	return command
}

// changing is what differs from one run to the next wherever it is printed.
var changing = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{ids, "${1}_ID"},
	{regexp.MustCompile(`\b(run|ses|ex|call|turn|ana)_…`), "${1}_ID"},
	{regexp.MustCompile(`\bg\d{8}t\d{6}_[0-9a-f]+\b`), "GENERATION"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(µs|ms|s)\b`), "DURATION"},
	{regexp.MustCompile(`just now|\b\d+ (s|min|h|d) ago`), "AGO"},
}

// normal is an output without what changes; where figures vary, without digits and
// the widths that they give to columns.
func normal(output string, figures bool) string {
	for _, c := range changing {
		output = c.pattern.ReplaceAllString(output, c.as)
	}
	if figures {
		output = regexp.MustCompile(`[0-9][0-9,.]*`).ReplaceAllString(output, "0")
		output = regexp.MustCompile(`─+`).ReplaceAllString(output, "─")
		output = regexp.MustCompile(`[ \t]+`).ReplaceAllString(output, " ")
	}
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// shows reports whether a page's output is that of the command; a line "…" of the
// page stands for any lines.
func shows(page, real string) bool {
	parts := strings.Split("\n"+page+"\n", "\n…\n")
	rest := "\n" + real + "\n"
	for i, part := range parts {
		at := strings.Index(rest, part)
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		if i == len(parts)-1 {
			return strings.HasSuffix(rest, part) && (i > 0 || rest == part)
		}
		// The line end behind a part is also the one before the next.
		rest = "\n" + strings.TrimPrefix(rest[at+len(part):], "\n")
	}
	return false
}

// inline are commands in the text of a page, as `dibrain find`.
var inline = regexp.MustCompile("`(dibrain [^`]+)`")

// named are the commands of the product that a text names, each with its arguments,
// in the form of a shell.
func named(script string) []string {
	script = regexp.MustCompile(`\s*\\\n\s*`).ReplaceAllString(script, " ")
	var out []string
	for _, line := range strings.Split(script, "\n") {
		line = regexp.MustCompile(`\s#.*$`).ReplaceAllString(strings.TrimPrefix(line, "$ "), "")
		for _, part := range regexp.MustCompile(`\s\|\s|;\s|&&`).Split(line, -1) {
			part = regexp.MustCompile(`^([A-Z_]+=\S+ )+`).ReplaceAllString(strings.TrimSpace(part), "")
			part = strings.TrimPrefix(part, "bin/")
			part = regexp.MustCompile(`\s*(>>?.*|&)$`).ReplaceAllString(part, "")
			if strings.HasPrefix(part, "dibrain ") {
				out = append(out, part)
			}
		}
	}
	return out
}
