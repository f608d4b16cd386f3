package knowledge

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval/passage"
	"github.com/dibrain/dibrain/pkg/run"
)

// query is what is searched for, and by whom.
type query struct {
	principal   run.Principal
	text        string
	asked       string // the question as it was said, where text leaves something out
	context     []passage.Weighted
	collections []string // empty: all that the principal may read
	product     string   // empty: any
	language    lang.Language
}

// found is a passage with where it stands.
type found struct {
	of  *collection
	in  *generation
	at  place
	hit passage.Hit
}

func (f found) section() string { return strings.Join(f.in.section(f.at).Path, " › ") }

func (f found) document() string { return f.in.entries[f.at.entry].name }

func (f found) link() string {
	s := f.in.section(f.at)
	if s.URL != "" {
		return s.URL
	}
	return f.of.link(f.document(), s.Anchor)
}

func (f found) product() string    { return f.in.product(f.at, f.of.Settings) }
func (f found) changed() time.Time { return f.in.changed(f.at) }

// finding is what a search found.
type finding struct {
	passages []found // best first
	unknown  []string
	warnings []string
	owners   []string // of the collections that were searched
}

// readable are the collections that somebody may know of, of those that are wanted.
func (s *Service) readable(p run.Principal, wanted []string) ([]*collection, error) {
	var out []*collection
	for _, c := range s.collections {
		if c.mayRead(p) && (len(wanted) == 0 || slices.Contains(wanted, c.Name)) {
			out = append(out, c)
		}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(out, func(c *collection) bool { return c.Name == name }) {
			return nil, fault.NotFound("COLLECTION_UNKNOWN", "There is no collection of documents called %q for you. ListDocuments shows those that there are.", name)
		}
	}
	return out, nil
}

// search finds passages in the collections that the asker may read.
func (s *Service) search(ctx context.Context, q query, limit int) (finding, error) {
	var out finding
	collections, err := s.readable(q.principal, q.collections)
	if err != nil {
		return out, err
	}
	var lists [][]found
	isProduct := q.product == ""
	for n, c := range collections {
		g, failed, err := c.generation(ctx)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if failed != nil {
			out.warnings = append(out.warnings, outdated(c, g, q.language))
		}
		if err != nil {
			continue // told above; the other collections are asked
		}
		var keep func(int) bool
		if q.product != "" {
			keep = func(entry int) bool {
				return strings.EqualFold(g.product(g.places[entry], c.Settings), q.product)
			}
			isProduct = isProduct || slices.ContainsFunc(g.places, func(p place) bool { return strings.EqualFold(g.product(p, c.Settings), q.product) })
		}
		r, err := g.index.Search(ctx, passage.Query{Text: q.text, Context: q.context, Limit: limit, Keep: keep})
		if err != nil {
			return out, err
		}
		var list []found
		for _, h := range r.Hits {
			list = append(list, found{of: c, in: g, at: g.places[h.Entry], hit: h})
		}
		lists = append(lists, list)
		if n == 0 {
			out.unknown = r.Unknown
		} else {
			out.unknown = slices.DeleteFunc(out.unknown, func(w string) bool { return !slices.Contains(r.Unknown, w) })
		}
		if c.Owner != "" && !slices.Contains(out.owners, c.Owner) {
			out.owners = append(out.owners, c.Owner)
		}
	}
	if !isProduct {
		return out, s.productUnknown(ctx, q)
	}
	out.passages = interleave(lists, limit)
	return out, nil
}

// interleave joins the lists of collections: each keeps its order, and the surest of
// their heads comes first, since ranks of two indices do not compare.
func interleave(lists [][]found, limit int) []found {
	var out []found
	for len(out) < limit {
		lists = slices.DeleteFunc(lists, func(l []found) bool { return len(l) == 0 })
		if len(lists) == 0 {
			break
		}
		best := slices.MaxFunc(indices(lists), func(a, b int) int {
			return cmp.Or(cmp.Compare(lists[a][0].hit.Confidence(), lists[b][0].hit.Confidence()), cmp.Compare(b, a))
		})
		out = append(out, lists[best][0])
		lists[best] = lists[best][1:]
	}
	return out
}

func indices(lists [][]found) []int {
	out := make([]int, len(lists))
	for i := range out {
		out[i] = i
	}
	return out
}

// outdated says that a collection could not be read anew.
func outdated(c *collection, g *generation, l lang.Language) string {
	if g == nil {
		return l.Pick("The documents of "+c.Name+" cannot be read at present; they were left out.", c.Name+" 的文档目前无法读取，未纳入检索。")
	}
	at := g.read.UTC().Format(time.DateTime)
	return l.Pick("The documents of "+c.Name+" cannot be read at present; what is said rests on how they were at "+at+" UTC.",
		c.Name+" 的文档目前无法读取，回答依据其 "+at+" UTC 时的内容。")
}

func (s *Service) productUnknown(ctx context.Context, q query) error {
	products, err := s.Products(ctx, q.principal)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(products))
	for _, p := range products {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return fault.Invalid("product_name", "PRODUCT_UNKNOWN", "No document is about the product %q, and none names a product: leave product_name out.", q.product)
	}
	return fault.New(codes.InvalidArgument, "PRODUCT_UNKNOWN", "No document is about the product \""+q.product+"\". The products are: "+
		lang.Shorten(strings.Join(names, ", "), maxNames)+".", "product_name", q.product)
}

// maxNames bounds the characters of names that an error lists.
const maxNames = 500

// Ranked is a section that was found for a question.
type Ranked struct {
	Collection, Document, Section, Anchor string
	Confidence                            float64
}

// Find ranks the sections for a question, best first and each once.
func (s *Service) Find(ctx context.Context, p run.Principal, in FAQ, limit int) ([]Ranked, error) {
	hits, err := s.search(ctx, query{principal: p, text: in.Question, collections: in.Collections, product: in.Product, language: in.Language}, deeper*limit)
	if err != nil {
		return nil, err
	}
	var out []Ranked
	seen := make(map[place]bool)
	for _, f := range hits.passages {
		at := place{entry: f.at.entry, section: f.at.section}
		if len(out) == limit || seen[at] {
			continue
		}
		seen[at] = true
		out = append(out, Ranked{f.of.Name, f.document(), f.section(), f.in.section(f.at).Anchor, f.hit.Confidence()})
	}
	return out, nil
}

// deeper is how many passages are looked at for each section, which may have several.
const deeper = 4
