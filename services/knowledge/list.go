package knowledge

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// Product is what documents are about.
type Product struct {
	Name        string
	Documents   int
	Collections []string
}

// maxProducts bounds the products that are listed.
const maxProducts = 1_000

// Products lists the products of the collections that somebody may read, by name.
func (s *Service) Products(ctx context.Context, p run.Principal) ([]Product, error) {
	collections, err := s.readable(p, nil)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*Product)
	for _, c := range collections {
		g, _, err := c.generation(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // Documents tells why
		}
		type of struct {
			product string
			entry   int
		}
		counted := make(map[of]bool)
		for _, at := range g.places {
			name := g.product(at, c.Settings)
			key := of{strings.ToLower(name), at.entry}
			if name == "" || counted[key] {
				continue
			}
			counted[key] = true
			known := byName[key.product]
			if known == nil {
				known = &Product{Name: name}
				byName[key.product] = known
			}
			known.Documents++
			if !slices.Contains(known.Collections, c.Name) {
				known.Collections = append(known.Collections, c.Name)
			}
		}
	}
	out := make([]Product, 0, len(byName))
	for _, known := range byName {
		out = append(out, *known)
	}
	slices.SortFunc(out, func(a, b Product) int { return cmp.Compare(a.Name, b.Name) })
	return out[:min(len(out), maxProducts)], nil
}

// Listed is a document of a listing.
type Listed struct {
	Collection, Name, Title, Product string
	Changed                          time.Time
	Passages                         int
	Problem                          string
}

// Listing asks for documents.
type Listing struct {
	Collection, Product string // empty: all
	Size                int
	Token               string
}

// pageToken says where a page ended.
type pageToken struct{ Collection, Name string }

// Documents lists documents by collection and name; next is the token of the next
// page, empty on the last one.
func (s *Service) Documents(ctx context.Context, p run.Principal, in Listing) (out []Listed, next string, err error) {
	var after pageToken
	if in.Token != "" {
		raw, err := base64.RawURLEncoding.DecodeString(in.Token)
		if err != nil || json.Unmarshal(raw, &after) != nil {
			return nil, "", fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "The page token is none that a list gave: begin without one.")
		}
	}
	var wanted []string
	if in.Collection != "" {
		wanted = []string{in.Collection}
	}
	collections, err := s.readable(p, wanted)
	if err != nil {
		return nil, "", err
	}
	slices.SortFunc(collections, func(a, b *collection) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range collections {
		g, _, err := c.generation(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, "", ctx.Err()
		case err != nil && in.Collection != "":
			return nil, "", err
		case err != nil:
			continue
		}
		for _, e := range g.entries {
			if cmp.Or(cmp.Compare(c.Name, after.Collection), cmp.Compare(e.name, after.Name)) <= 0 {
				continue
			}
			product := cmp.Or(e.doc.Product, c.Product)
			if in.Product != "" && !strings.EqualFold(in.Product, product) {
				continue
			}
			if len(out) == in.Size {
				last := out[len(out)-1]
				raw, err := json.Marshal(pageToken{last.Collection, last.Name})
				if err != nil {
					return nil, "", err
				}
				return out, base64.RawURLEncoding.EncodeToString(raw), nil
			}
			changed := e.doc.Changed
			for _, at := range []time.Time{e.committed, e.changed} {
				if changed.IsZero() {
					changed = at
				}
			}
			out = append(out, Listed{c.Name, e.name, cmp.Or(e.doc.Title, e.name), product, changed, e.passages, e.problem})
		}
	}
	return out, "", nil
}

// Ingested is what came of reading a collection anew.
type Ingested struct{ Documents, Unreadable, Passages int }

// Ingest reads a collection anew. Administrators only.
func (s *Service) Ingest(ctx context.Context, p run.Principal, name string, tell func(done, total int, message string)) (Ingested, error) {
	if !p.Admin {
		return Ingested{}, fault.New(codes.PermissionDenied, "ADMIN_ONLY", "Only administrators read documents anew. They are also looked at by themselves.")
	}
	i := slices.IndexFunc(s.collections, func(c *collection) bool { return c.Name == name })
	if i < 0 {
		return Ingested{}, fault.NotFound("COLLECTION_UNKNOWN", "There is no collection of documents called %q. They are listed in the file of knowledge.collections_file.", name)
	}
	g, err := s.collections[i].reread(ctx, tell)
	if err != nil {
		return Ingested{}, err
	}
	out := Ingested{Documents: len(g.entries), Passages: len(g.places)}
	for _, e := range g.entries {
		if e.problem != "" {
			out.Unreadable++
		}
	}
	return out, nil
}
