// Package guard holds what stands between a query and the logs: who sees which
// streams (policy.go), what a query may cost (guard.go), and which texts of lines
// nobody gets (mask.go).
package guard

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify/backend"
)

// Policy says which streams a person sees. Its rules are held one after another; the
// first that names the person counts, and whom none names sees nothing.
type Policy struct{ rules []policyRule }

type policyRule struct {
	Principals []string `yaml:"principals"`
	Tenant     string   `yaml:"tenant"`
	Streams    string   `yaml:"streams"`

	matchers []logql.Matcher
}

// ParsePolicy reads a policy:
//
//	rules:
//	  - principals: [alice, "sre-*"]
//	    tenant: payments
//	    streams: '{env="prod", team="payments"}'
func ParsePolicy(text []byte) (*Policy, error) {
	var file struct {
		Rules []policyRule `yaml:"rules"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("the stream policy is no YAML of rules: %w", err)
	}
	for i := range file.Rules {
		r := &file.Rules[i]
		if len(r.Principals) == 0 {
			return nil, fmt.Errorf("rule %d of the stream policy names no principals", i+1)
		}
		for _, p := range r.Principals {
			if _, err := path.Match(p, ""); err != nil {
				return nil, fmt.Errorf("rule %d of the stream policy: %q is no pattern", i+1, p)
			}
		}
		if r.Streams == "" {
			continue
		}
		e, err := logql.Parse(r.Streams)
		if err != nil {
			return nil, fmt.Errorf("rule %d of the stream policy: streams: %w", i+1, err)
		}
		l, is := e.(*logql.LogExpr)
		if !is || len(l.Stages) > 0 {
			return nil, fmt.Errorf("rule %d of the stream policy: streams has to be a selector alone, such as {env=\"prod\"}", i+1)
		}
		if wrong := logql.Check(r.Streams, e); len(wrong) > 0 {
			return nil, fmt.Errorf("rule %d of the stream policy: streams: %w", i+1, wrong[0])
		}
		r.matchers = l.Matchers
	}
	return &Policy{file.Rules}, nil
}

// ScopeOf returns as whom a person's logs are asked for. A nil policy lets everybody
// see all streams of the tenant.
func (p *Policy) ScopeOf(principal, tenant string) (backend.Scope, error) {
	tenant = strings.ReplaceAll(tenant, "{principal}", tenantName(principal))
	if p == nil {
		return backend.Scope{Tenant: tenant}, nil
	}
	for _, r := range p.rules {
		for _, pattern := range r.Principals {
			if ok, err := path.Match(pattern, principal); err != nil || !ok {
				continue
			}
			if r.Tenant != "" {
				tenant = strings.ReplaceAll(r.Tenant, "{principal}", tenantName(principal))
			}
			return backend.Scope{Tenant: tenant, Streams: r.matchers}, nil
		}
	}
	return backend.Scope{}, fault.New(codes.PermissionDenied, "LOGS_NOT_PERMITTED", "You may see no logs: ask whoever keeps the stream policy for a rule.")
}

// tenantName keeps what a tenant of Loki may have in its name. A principal cannot
// name several tenants (a|b) that way.
func tenantName(principal string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.@", r) {
			return r
		}
		return '_'
	}, principal)
}
