package cli

import (
	"context"
	"fmt"

	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/source"
)

// checkPolicy reads the access policy and tries each rule on the tables that it is
// about: what cannot be applied closes those tables.
func checkPolicy(_ context.Context, cfg *config.Config) []finding {
	const what = "access policy"
	if cfg.Policy.File == "" {
		return []finding{{good, what, "none: everybody may read every table", ""}}
	}
	file, err := policy.Open(cfg.Policy.File, nil, nil)
	if err != nil {
		return []finding{{bad, what, err.Error(), "mend the file: until then nothing can be read; see docs/policy.md"}}
	}
	rules, err := file.Current()
	if err != nil {
		return []finding{{bad, what, fault.OperatorText(err), ""}}
	}
	store, err := source.Open(cfg.DataDir)
	if err != nil {
		return []finding{{bad, what, fault.OperatorText(err), ""}}
	}
	names, err := store.Names()
	if err != nil {
		return []finding{{bad, what, fault.OperatorText(err), ""}}
	}
	found := []finding{{good, what, cfg.Policy.File + " is readable", ""}}
	tables := make(map[string][]catalog.Table, len(names))
	for _, name := range names {
		if snapshot := tablesOf(store, name); snapshot != nil {
			tables[name] = snapshot.Tables
			found = append(found, checkPolicyOn(rules, name, snapshot)...)
		}
	}
	for i, rule := range rules.Unused(tables) {
		if i == maxBroken {
			found = append(found, finding{remark, what, "and more rules that fit no table", ""})
			break
		}
		found = append(found, finding{remark, what, rule + " fits no table of any source, so it protects nothing", "check the names of its source, region, schema and table"})
	}
	return found
}

// tablesOf returns the catalog of a source, nil where it cannot be read: that is said
// of the source itself.
func tablesOf(store *source.Store, name string) *catalog.Snapshot {
	generation, err := store.Current(name)
	if err != nil {
		return nil
	}
	snapshot, err := generation.Snapshot()
	if err != nil {
		return nil
	}
	return snapshot
}

// maxBroken bounds the rules that are told of one source.
const maxBroken = 20

func checkPolicyOn(rules *policy.Policy, name string, snapshot *catalog.Snapshot) []finding {
	var found []finding
	broken := rules.Check(name, snapshot.Tables)
	for i, b := range broken {
		if i == maxBroken {
			found = append(found, finding{remark, "policy on " + name, fmt.Sprintf("and %d more", len(broken)-i), ""})
			break
		}
		found = append(found, finding{bad, "policy on " + name, b.Error(), "mend the rule: until then the table is closed to whom it is for"})
	}
	return found
}
