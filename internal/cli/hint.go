package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dibrain/dibrain/pkg/spelling"
)

// command is a command of this program as a person can run it from where they are: with
// the configuration and the data directory of this command line, and with the source where
// one was given; empty: none was. rest stands after them as it is.
func (f *Factory) command(path, source string, rest ...string) string {
	parts := []string{"dibrain " + path}
	for _, name := range []string{"config", "data-dir"} {
		if f.flags.set == nil {
			break
		}
		if flag := f.flags.set.Lookup(name); flag != nil && flag.Changed {
			parts = append(parts, "--"+name+" "+shellWord(flag.Value.String()))
		}
	}
	if source != "" {
		parts = append(parts, "--source "+shellWord(source))
	}
	return strings.Join(append(parts, rest...), " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// shellWord writes a word so that a POSIX shell reads it as it is.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// tellMade says at the end of what made a source what is in it, how it is asked, and how a
// question that names no source comes to ask it.
func (f *Factory) tellMade(source, what string) error {
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	given, byDefault := source, ""
	if cfg.Source == source {
		given = ""
	} else {
		byDefault = fmt.Sprintf("Questions without --source ask it once DIBRAIN_SOURCE=%s is set, or \"source: %[1]s\" in the configuration file.", source)
	}
	if _, err := fmt.Fprintf(f.IO.Out, "source %s: %s. Ask it: %s\n", source, what, f.command("ask", given, `"…"`)); err != nil || byDefault == "" {
		return err
	}
	return f.say(f.IO.Out, f.IO.IsTTY, nil, byDefault)
}

// mostNear is how many names are offered in the place of one that is not known.
const mostNear = 3

// didYouMean offers what may be meant; "" where nothing is near. write makes of a name
// what a person would type; nil: the name itself.
func didYouMean(name string, known []string, write func(string) string) string {
	return offered(spelling.Nearest(name, known, mostNear), write)
}

func offered(near []string, write func(string) string) string {
	if len(near) == 0 {
		return ""
	}
	quoted := make([]string, len(near))
	for i, n := range near {
		if write != nil {
			n = write(n)
		}
		quoted[i] = "`" + n + "`"
	}
	last := len(quoted) - 1
	if last == 0 {
		return " Did you mean " + quoted[0] + "?"
	}
	return " Did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?"
}
