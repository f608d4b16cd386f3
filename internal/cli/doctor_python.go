package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/sandbox"
	"github.com/dibrain/dibrain/services/analysis"
)

// checkPython tries the sandbox for Python, whether or not it is switched on: what
// interpreter there is with which libraries, and which walls hold on this machine.
func (f *Factory) checkPython(ctx context.Context, cfg *config.Config) []finding {
	const what = "python"
	c, err := cfg.Analysis.Config.Complete()
	if err != nil {
		return nil // said of the configuration
	}
	if c.Python == analysis.PythonRemote {
		where := c.PythonRunner
		if c.PythonClaimPool != "" {
			where = "claims of " + c.PythonClaimPool
		}
		return []finding{{good, what, "on other machines: " + where + "; doctor over there says which walls hold", ""}}
	}
	off := c.Python == analysis.PythonOff
	if off && f.Program == "" {
		return []finding{{good, what, "off: analyses compute what they can without it", ""}}
	}
	box, err := sandbox.Open(ctx, c.Sandbox(f.Program))
	var refused *sandbox.RefusedError
	switch {
	case errors.As(err, &refused) && off:
		return append([]finding{{good, what, "off, and could not be switched on here: " + refused.Problem, ""}}, wallFindings(refused.Walls, remark)...)
	case errors.As(err, &refused):
		return append([]finding{{bad, what, err.Error(), "set analysis.python to off, or mend what is missing; see docs/analysis.md"}}, wallFindings(refused.Walls, bad)...)
	case err != nil:
		return []finding{{bad, what, err.Error(), "see docs/analysis.md"}}
	}
	python := box.Interpreter()
	var have, lacks []string
	for _, name := range sandbox.Packages() {
		if version := python.Packages[name]; version != "" {
			have = append(have, name+" "+version)
		} else {
			lacks = append(lacks, name)
		}
	}
	text := fmt.Sprintf("%s %s", python.Executable, python.Version)
	if len(have) > 0 {
		text += " with " + strings.Join(have, ", ")
	}
	if len(lacks) > 0 {
		text += ", without " + strings.Join(lacks, ", ")
	}
	switched := "on"
	if off {
		switched = "off; analysis.python: sandbox would run"
	}
	return append([]finding{{good, what, switched + ": " + text, ""}}, wallFindings(box.Walls(), bad)...)
}

// wallFindings says of each wall whether it holds.
func wallFindings(walls []sandbox.Wall, otherwise verdict) []finding {
	var out []finding
	for _, w := range walls {
		if w.Held {
			out = append(out, finding{good, "python sandbox", w.Name + ": " + w.Found, ""})
		} else {
			out = append(out, finding{otherwise, "python sandbox", w.Name + " does not hold: " + w.Found, ""})
		}
	}
	return out
}
