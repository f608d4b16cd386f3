package ingest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// tableNamed is a table of "region.schema.table", the first parts of which may lack.
func tableNamed(name string, columns ...catalog.Column) catalog.Table {
	parts := strings.Split("..."+name, ".")
	n := len(parts)
	return catalog.Table{Name: catalog.Name{Region: parts[n-3], Schema: parts[n-2], Table: parts[n-1]}, Columns: columns}
}

// TestWhichTableADescriptionMeans: that of its full name, of its schema and name, or of its
// name; of names that several have, none.
func TestWhichTableADescriptionMeans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data, described string
		want            string // "described=data" in order
	}{
		"the same":                      {"r.a.t", "r.a.t", "r.a.t=r.a.t"},
		"another case":                  {"r.a.t", "R.A.T", "R.A.T=r.a.t"},
		"another region":                {"r.a.t", "q.a.t", "q.a.t=r.a.t"},
		"another schema":                {"r.a.t", "q.b.t", "q.b.t=r.a.t"},
		"the schema tells":              {"r.a.t r.b.t", "q.b.t q.a.t", "q.b.t=r.b.t q.a.t=r.a.t"},
		"the full name comes first":     {"r.a.t q.a.t", "q.a.t", "q.a.t=q.a.t"},
		"two tables of a name":          {"r.a.t r.b.t", "q.c.t", ""},
		"two descriptions of a name":    {"r.a.t", "q.c.t q.d.t", ""},
		"what is taken is taken":        {"r.a.t", "r.a.t q.b.t", "r.a.t=r.a.t"},
		"one of two by its schema only": {"r.a.t r.b.t", "q.a.t q.c.t", "q.a.t=r.a.t"},
		"nothing of that name":          {"r.a.t", "r.a.u", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tables []*catalog.Table
			for _, n := range strings.Fields(c.data) {
				one := tableNamed(n)
				tables = append(tables, &one)
			}
			var described []catalog.Table
			for _, n := range strings.Fields(c.described) {
				d := tableNamed(n)
				d.Description = n
				described = append(described, d)
			}
			j := ingest.Join(tables, described)
			j.Describe()
			want := map[string]string{}
			for _, pair := range strings.Fields(c.want) {
				d, of, _ := strings.Cut(pair, "=")
				want[of] = d
			}
			for _, table := range tables {
				require.Equal(t, want[table.Name.String()], table.Description)
			}
			require.Len(t, j.Missing(), len(described)-len(want))
			for of, d := range want {
				got, ok := j.Table(tableNamed(d).Name)
				require.True(t, ok)
				require.Equal(t, of, got.Name.String())
			}
		})
	}
}

// TestANameOfSeveralDescriptionsIsNone: a name without a schema means a description that
// alone has it.
func TestANameOfSeveralDescriptionsIsNone(t *testing.T) {
	t.Parallel()
	a, b, u := tableNamed("r.a.t"), tableNamed("r.b.t"), tableNamed("r.a.u")
	j := ingest.Join([]*catalog.Table{&a, &b, &u}, []catalog.Table{tableNamed("q.a.t"), tableNamed("q.b.t"), tableNamed("q.a.u")})
	for asked, want := range map[string]*catalog.Table{"t": nil, "a.t": &a, "B.T": &b, "u": &u, "q.a.t": &a, "r.a.t": nil, "b.u": nil} {
		got, ok := j.Table(tableNamed(asked).Name)
		require.Equal(t, want != nil, ok, asked)
		require.Same(t, want, got, asked)
	}
}

// TestWhatADescriptionAdds: its texts go before those of the data, its marks stay where the
// data have theirs, and the tables of another generation do not change.
func TestWhatADescriptionAdds(t *testing.T) {
	t.Parallel()
	shared := []catalog.Column{{Name: "a", Comment: "of the data", NotNull: true}, {Name: "b", Comment: "of the data"}, {Name: "c"}}
	table := tableNamed("r.m.t", shared...)
	table.Description, table.Mart, table.Tags = "of the data", "own", []string{"x"}
	d := tableNamed("r.m.t", catalog.Column{Name: "A", Comment: "said"}, catalog.Column{Name: "b", NotNull: true}, catalog.Column{Name: "gone", NotNull: true})
	d.Mart, d.Topic, d.Owner, d.Tags = "said", "said", "ann", []string{"x", "y"}
	j := ingest.Join([]*catalog.Table{&table}, []catalog.Table{d})
	j.Describe()
	require.Equal(t, "of the data", table.Description, "nothing is said of it")
	require.Equal(t, []string{"own", "said", "ann"}, []string{table.Mart, table.Topic, table.Owner})
	require.Equal(t, []string{"x", "y"}, table.Tags)
	require.Equal(t, []catalog.Column{{Name: "a", Comment: "said", NotNull: true}, {Name: "b", Comment: "of the data", NotNull: true}, {Name: "c"}}, table.Columns)
	require.Equal(t, []catalog.Column{{Name: "a", Comment: "of the data", NotNull: true}, {Name: "b", Comment: "of the data"}, {Name: "c"}}, shared)
}

// TestKeysThatAreDescribed: a key is one where the table has none and the data bear it out.
func TestKeysThatAreDescribed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own, said string // columns of the key
		unique    bool
		want      string
		denied    bool
	}{
		"borne out":             {"", "a", true, "a", false},
		"of two columns":        {"", "a b", true, "a b", false},
		"in another case":       {"", "B", true, "b", false},
		"denied":                {"", "a", false, "", true},
		"denied, of two":        {"", "a b", false, "", true},
		"the data have another": {"b", "a", true, "b", false},
		"of what is not there":  {"", "a gone", true, "", false},
	} {
		key := func(columns string, names ...string) (list []catalog.Column) {
			for _, n := range names {
				list = append(list, catalog.Column{Name: n, PrimaryKey: strings.Contains(" "+columns+" ", " "+n+" ")})
			}
			return list
		}
		table := tableNamed("r.m.t", key(c.own, "a", "b")...)
		d := tableNamed("r.m.t", key(c.said, strings.Fields("a b B gone")...)...)
		denied, err := ingest.Join([]*catalog.Table{&table}, []catalog.Table{d}).Declare(func(of *catalog.Table, columns []string) (bool, error) {
			require.Same(t, &table, of)
			require.Equal(t, strings.ToLower(c.said), strings.Join(columns, " "), "in the table's spelling")
			return c.unique, nil
		})
		require.NoError(t, err, name)
		require.Equal(t, c.want, strings.Join(table.PrimaryKey(), " "), name)
		require.Equal(t, c.denied, len(denied) == 1, name)
	}
	broken := errors.New("the disk is gone")
	table := tableNamed("r.m.t", catalog.Column{Name: "a"})
	_, err := ingest.Join([]*catalog.Table{&table}, []catalog.Table{tableNamed("r.m.t", catalog.Column{Name: "a", PrimaryKey: true})}).Declare(func(*catalog.Table, []string) (bool, error) { return true, broken })
	require.ErrorIs(t, err, broken)
	require.Empty(t, table.PrimaryKey())
}

// TestReferencesThatAreDescribed: what is said goes before what was found, and not before
// what the data declare; what fits no columns is left out.
func TestReferencesThatAreDescribed(t *testing.T) {
	t.Parallel()
	fk := func(columns, to, toColumns string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: strings.Fields(columns), RefTable: tableNamed(to).Name, RefColumns: strings.Fields(toColumns)}
	}
	found := fk("a", "r.m.o", "x")
	found.Found = &catalog.Evidence{}
	for name, c := range map[string]struct {
		own, said, want []catalog.ForeignKey
	}{
		"new":                   {nil, []catalog.ForeignKey{fk("A", "q.n.O", "ID")}, []catalog.ForeignKey{fk("a", "r.m.o", "id")}},
		"over one found":        {[]catalog.ForeignKey{found}, []catalog.ForeignKey{fk("a", "q.n.o", "id")}, []catalog.ForeignKey{fk("a", "r.m.o", "id")}},
		"not over one declared": {[]catalog.ForeignKey{fk("a", "r.m.o", "x")}, []catalog.ForeignKey{fk("a", "q.n.o", "id")}, []catalog.ForeignKey{fk("a", "r.m.o", "x")}},
		"beside another":        {[]catalog.ForeignKey{fk("b", "r.m.o", "x")}, []catalog.ForeignKey{fk("a", "q.n.o", "id")}, []catalog.ForeignKey{fk("b", "r.m.o", "x"), fk("a", "r.m.o", "id")}},
		"to nothing":            {nil, []catalog.ForeignKey{fk("a", "q.n.gone", "id")}, nil},
		"of no column":          {nil, []catalog.ForeignKey{fk("gone", "q.n.o", "id")}, nil},
		"to no column":          {nil, []catalog.ForeignKey{fk("a", "q.n.o", "gone")}, nil},
		"of another number":     {nil, []catalog.ForeignKey{fk("a b", "q.n.o", "id")}, nil},
	} {
		table, other := tableNamed("r.m.t", catalog.Column{Name: "a"}, catalog.Column{Name: "b"}), tableNamed("r.m.o", catalog.Column{Name: "id"}, catalog.Column{Name: "x"})
		table.ForeignKeys = c.own
		d := tableNamed("q.n.t")
		d.ForeignKeys = c.said
		before := fmt.Sprint(d.ForeignKeys)
		_, err := ingest.Join([]*catalog.Table{&table, &other}, []catalog.Table{d, tableNamed("q.n.o")}).Declare(nil)
		require.NoError(t, err)
		require.Equal(t, c.want, table.ForeignKeys, name)
		require.Equal(t, before, fmt.Sprint(d.ForeignKeys), "the description stays as it is")
	}
}

// TestMissingDescriptionsAreNamed: the first five by name, the others by their number.
func TestMissingDescriptionsAreNamed(t *testing.T) {
	t.Parallel()
	require.Equal(t, "described, but not among the tables: a, b, c, d, e", ingest.MissingSentence(strings.Fields("a b c d e")))
	require.Equal(t, "described, but not among the tables: a, b, c, d, e and 2 more", ingest.MissingSentence(strings.Fields("a b c d e f g")))
}
