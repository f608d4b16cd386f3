package cli

import (
	"context"
	"fmt"

	"github.com/dibrain/dibrain/internal/config"
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
	for _, name := range names {
		found = append(found, checkPolicyOn(store, rules, name)...)
	}
	return found
}

// maxBroken bounds the rules that are told of one source.
const maxBroken = 20

func checkPolicyOn(store *source.Store, rules *policy.Policy, name string) []finding {
	generation, err := store.Current(name)
	if err != nil {
		return nil // said of the source itself
	}
	snapshot, err := generation.Snapshot()
	if err != nil {
		return nil
	}
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
