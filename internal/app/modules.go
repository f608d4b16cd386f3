// Package app puts processes together. A process is a set of modules: each has
// one init function and says what it needs in the process and which services it
// calls, wherever they run. A target names the modules that somebody wants; all
// of them in one process is the monolith, one in each is the split deployment.
// Listing targets and verifying a configuration start nothing.
package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/fault"
)

// Names of modules.
const (
	All      = "all"
	Router   = "router"
	FindData = "findata"
	Text2SQL = "text2sql"
	FixSQL   = "fixsql"
	ChatBI   = "chatbi"
	// Knowledge answers from documents.
	Knowledge = "knowledge"
	Logify    = "logify"
	// Analysis answers long questions with a plan and a report.
	Analysis = "analysis"

	identity  = "identity"
	sources   = "sources"
	demoData  = "demo"
	inProcess = "in-process"
	listener  = "listener"
	chatModel = "model"
	admin     = "admin"
)

// module is one part of a process.
type module struct {
	name string
	// doc says in a line what the target does; empty for modules that are no
	// target.
	doc string
	// needs are modules that are started before, in the same process.
	needs []string
	// calls are services that the module calls, in this process or another.
	calls []string
	// mayCall are services that the module calls where they are: in this process, or
	// at the address that the configuration gives. Without them it does less.
	mayCall []string
	// alone says what the module keeps that no second process of its target can share;
	// empty for modules that may be several.
	alone string
	// shared says that a configuration has several share it all the same, and share what it
	// takes; nil: nothing does.
	shared func(config.Config) bool
	share  string
	start  func(context.Context, *App) error
}

// modules returns all modules, in the order in which targets are listed.
func modules() []module {
	service := []string{identity, inProcess, listener, admin}
	data := append([]string{sources}, service...)
	return []module{
		{name: All, doc: "everything in one process", needs: []string{FindData, FixSQL, ChatBI, Text2SQL, Knowledge, Logify, Analysis, Router}},
		{name: Router, doc: "answers questions by calling the other services", needs: service,
			calls: []string{FindData, Text2SQL, FixSQL, ChatBI, Knowledge}, mayCall: []string{Logify, Analysis}, start: startRouter},
		{name: FindData, doc: "finds tables and serves the catalog", needs: append([]string{demoData, chatModel}, data...), start: startFindData},
		{name: Text2SQL, doc: "writes SQL for questions", needs: append([]string{chatModel}, data...),
			calls: []string{FindData, FixSQL, ChatBI}, start: startText2SQL},
		{name: FixSQL, doc: "checks, explains and repairs SQL", needs: append([]string{chatModel}, service...),
			calls: []string{FindData}, mayCall: []string{ChatBI, Text2SQL}, start: startFixSQL},
		{name: ChatBI, doc: "executes SQL and analyses results", needs: append([]string{demoData, chatModel}, data...),
			calls: []string{FindData}, alone: "results where other processes do not reach them", start: startChatBI,
			shared: sharedResults, share: "store.kind postgres, with results.kind s3, or with results.shared and a folder that all reach"},
		{name: Knowledge, doc: "answers questions about the platform from documents", needs: append([]string{chatModel}, service...),
			mayCall: []string{FindData}, start: startKnowledge},
		{name: Logify, doc: "searches logs", needs: append([]string{chatModel}, service...), start: startLogify},
		{name: Analysis, doc: "answers long questions with a plan and a report", needs: service,
			calls: []string{FindData, Text2SQL, ChatBI}, start: startAnalysis},

		{name: identity, start: startIdentity},
		{name: sources, start: startSources},
		{name: demoData, needs: []string{sources}, start: startDemo},
		{name: inProcess, needs: []string{identity}, start: startInProcess},
		{name: listener, needs: []string{identity}, start: startListener},
		{name: admin, start: startAdmin},
		{name: chatModel, start: startModel},
	}
}

// outsideCallers returns the services of this process that modules of other
// processes call: for those alone, its port takes hop tokens.
func outsideCallers(planned []module) []string {
	var called []string
	for _, m := range modules() {
		if holds(planned, m.name) {
			continue
		}
		for _, service := range slices.Concat(m.calls, m.mayCall) {
			if holds(planned, service) && !slices.Contains(called, service) {
				called = append(called, service)
			}
		}
	}
	return called
}

// Callees returns the services that a service calls, wherever they run: what a network has
// to let through.
func Callees(service string) []string {
	for _, m := range modules() {
		if m.name == service {
			return slices.Concat(m.calls, m.mayCall)
		}
	}
	return nil
}

// signInsFor returns the services that run statements, and those that call them: who asks is
// told to them with the sign-in, where that is passed on at all.
func signInsFor() []string {
	named := []string{ChatBI}
	for grown := true; grown; {
		grown = false
		for _, m := range modules() {
			calls := func(n string) bool { return slices.Contains(m.calls, n) || slices.Contains(m.mayCall, n) }
			if !slices.Contains(named, m.name) && slices.ContainsFunc(named, calls) {
				named, grown = append(named, m.name), true
			}
		}
	}
	return named
}

// HopAudiences returns the services that a process of these targets signs for or is
// signed for: its own, and those that it calls. It needs the keys of no others.
func HopAudiences(targets []string) ([]string, error) {
	planned, err := plan(targets)
	if err != nil {
		return nil, fault.New(codes.InvalidArgument, "TARGET_UNKNOWN", err.Error())
	}
	var audiences []string
	for _, m := range planned {
		if m.doc != "" && m.name != All {
			audiences = slices.Concat(audiences, []string{m.name}, m.calls, m.mayCall)
		}
	}
	slices.Sort(audiences)
	return slices.Compact(audiences), nil
}

func holds(planned []module, name string) bool {
	return slices.ContainsFunc(planned, func(m module) bool { return m.name == name })
}

// Target is what --target accepts.
type Target struct{ Name, Doc string }

// Targets lists what --target accepts.
func Targets() []Target {
	var targets []Target
	for _, m := range modules() {
		if m.doc != "" {
			targets = append(targets, Target{Name: m.name, Doc: m.doc})
		}
	}
	return targets
}

// ParseTargets reads a comma list of targets. Empty means all.
func ParseTargets(list string) ([]string, error) {
	if strings.TrimSpace(list) == "" {
		return []string{All}, nil
	}
	var names []string
	for _, t := range Targets() {
		names = append(names, t.Name)
	}
	var targets []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(names, name) {
			return nil, fault.Invalid("--target", "TARGET_UNKNOWN",
				"Unknown target %q. The targets are %s.", name, strings.Join(names, ", "))
		}
		if !slices.Contains(targets, name) {
			targets = append(targets, name)
		}
	}
	return targets, nil
}

// plan returns the modules of the targets, each after what it needs.
func plan(targets []string) ([]module, error) {
	byName := make(map[string]module)
	for _, m := range modules() {
		byName[m.name] = m
	}
	var ordered []module
	state := make(map[string]int) // 1: under way, 2: done
	var visit func(name string) error
	visit = func(name string) error {
		m, ok := byName[name]
		switch {
		case !ok:
			return fmt.Errorf("module %q does not exist", name)
		case state[name] == 2:
			return nil
		case state[name] == 1:
			return fmt.Errorf("module %q needs itself", name)
		}
		state[name] = 1
		for _, need := range m.needs {
			if err := visit(need); err != nil {
				return err
			}
		}
		state[name] = 2
		ordered = append(ordered, m)
		return nil
	}
	for _, target := range targets {
		if err := visit(target); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}

// peers returns the services that the planned modules call and do not hold.
func peers(planned []module, cfg config.Config) []config.Peer {
	var list []config.Peer
	for _, m := range planned {
		for _, service := range m.calls {
			peer := cfg.Peer(service)
			if !holds(planned, service) && !slices.Contains(list, peer) {
				list = append(list, peer)
			}
		}
	}
	return list
}

// verify checks the values of a configuration for the planned modules.
func verify(ctx context.Context, planned []module, cfg config.Config) error {
	if err := cfg.Verify(ctx, peers(planned, cfg)); err != nil {
		return err
	}
	if auth.Mode(cfg.Auth.Mode) == auth.ModeServices && len(outsideCallers(planned)) == 0 {
		return fault.Invalid("auth.mode", "CONFIG_INVALID",
			"auth.mode is services, and no other process calls what this target serves, so nobody could. Use token or local.")
	}
	for _, m := range planned {
		if cfg.Replicas > 1 && m.alone != "" && (m.shared == nil || !m.shared(cfg)) {
			return fault.Invalid("replicas", "CONFIG_INVALID",
				"replicas is %d, and %s keeps %s, which one process serves. Set it to 1 for this target, or %s.", cfg.Replicas, m.name, m.alone, m.share)
		}
	}
	return nil
}

// Verify checks a configuration for targets, and the files that it names. It
// starts nothing and writes nothing.
func Verify(ctx context.Context, cfg config.Config, targets []string) error {
	planned, err := plan(targets)
	if err != nil {
		return fault.New(codes.InvalidArgument, "TARGET_UNKNOWN", err.Error())
	}
	if err := verify(ctx, planned, cfg); err != nil {
		return err
	}
	return verifyFiles(cfg, targets)
}
