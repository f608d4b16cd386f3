package ingest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestPartsOfDumps: a partition's rows are in the table that it is part of, once, and
// nowhere else; a child with columns of its own is a table, and its rows are in its
// parents too.
func TestPartsOfDumps(t *testing.T) {
	t.Parallel()
	const reading = "CREATE TABLE public.reading (id integer NOT NULL, at date, station integer, value numeric(6,2))"
	const stations = "CREATE TABLE public.station (id integer PRIMARY KEY, name text);\nINSERT INTO public.station VALUES (1, 'Quay'), (2, 'Hill');\n"
	copied := func(table, lines string) string {
		return "COPY public." + table + " (id, at, station, value) FROM stdin;\n" + lines + "\\.\n"
	}
	first, second := "1\t2024-01-02\t1\t7.25\n2\t2024-01-03\t2\t3.50\n", "3\t2024-02-02\t1\t1.00\n"
	all := []string{"1|2024-01-02 00:00:00|1|7.25", "2|2024-01-03 00:00:00|2|3.5", "3|2024-02-02 00:00:00|1|1"}
	references := func(tables ...string) string {
		var b strings.Builder
		for _, table := range tables {
			fmt.Fprintf(&b, "ALTER TABLE ONLY public.%s ADD CONSTRAINT f FOREIGN KEY (station) REFERENCES public.station(id);\n", table)
		}
		return b.String()
	}
	for name, test := range map[string]struct {
		dump   string
		tables []string
		query  string
		rows   []string
		keys   int
		note   string
	}{
		"declared partitions, attached": {
			dump: stations + reading + " PARTITION BY RANGE (at);\n" +
				"CREATE TABLE public.reading_01 (id integer NOT NULL, at date, station integer, value numeric(6,2));\n" +
				"CREATE TABLE public.reading_02 (value numeric(6,2), id integer NOT NULL, at date, station integer);\n" +
				"ALTER TABLE ONLY public.reading ATTACH PARTITION public.reading_01 FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');\n" +
				"ALTER TABLE ONLY public.reading ATTACH PARTITION public.reading_02 DEFAULT;\n" +
				copied("reading_01", first) + "INSERT INTO public.reading_02 VALUES (1.00, 3, '2024-02-02', 1);\n" + references("reading"),
			tables: []string{"reading", "station"}, query: "SELECT * FROM public.reading ORDER BY id", rows: all, keys: 1,
			note: `"reading" consists of reading_01, reading_02`,
		},
		"partitions of partitions": {
			dump: stations + reading + " PARTITION BY RANGE (at);\n" +
				"CREATE TABLE public.reading_24 PARTITION OF public.reading FOR VALUES FROM ('2024-01-01') TO ('2025-01-01') PARTITION BY LIST (station);\n" +
				"CREATE TABLE public.reading_24_1 PARTITION OF public.reading_24 (CONSTRAINT c CHECK (id > 0)) FOR VALUES IN (1);\n" +
				"CREATE TABLE public.reading_24_2 PARTITION OF public.reading_24 FOR VALUES IN (2);\n" +
				copied("reading_24_1", "1\t2024-01-02\t1\t7.25\n3\t2024-02-02\t1\t1.00\n") + copied("reading_24_2", "2\t2024-01-03\t2\t3.50\n") +
				references("reading_24_1", "reading_24_2"),
			tables: []string{"reading", "station"}, query: "SELECT * FROM public.reading ORDER BY id", rows: all, keys: 1,
			note: `"reading" consists of reading_24, reading_24_1, reading_24_2`,
		},
		"children that inherit all": {
			dump: stations + reading + ";\nCREATE TABLE public.reading_01 (CONSTRAINT c CHECK ((at < '2024-02-01'::date)))\nINHERITS (public.reading);\n" +
				"CREATE TABLE public.reading_02 (value numeric(6,2) NOT NULL)\nINHERITS (public.reading) WITH (fillfactor='70');\n" +
				copied("reading", "") + "INSERT INTO public.reading_01 VALUES (1, '2024-01-02', 1, 7.25), (2, '2024-01-03', 2, 3.5);\n" + copied("reading_02", second) +
				references("reading_01", "reading_02"),
			tables: []string{"reading", "station"}, query: "SELECT * FROM public.reading ORDER BY id", rows: all, keys: 1,
			note: `"reading" consists of reading_01, reading_02`,
		},
		"a reference that not all parts have": {
			dump:   stations + reading + ";\nCREATE TABLE public.a () INHERITS (public.reading);\nCREATE TABLE public.b () INHERITS (public.reading);\n" + copied("a", first) + copied("b", "3\t2024-02-02\t9\t1.00\n") + references("a"),
			tables: []string{"reading", "station"}, query: "SELECT count(*), sum(station) FROM public.reading", rows: []string{"3|12"}, note: `"reading" consists of a, b`,
		},
		"a child with columns of its own": {
			dump: "CREATE TABLE public.place (name text, height integer);\nCREATE TABLE public.capital (state text)\nINHERITS (public.place);\n" +
				"COPY public.place (name, height) FROM stdin;\nMariposa\t1953\n\\.\nINSERT INTO public.capital VALUES ('Madison', 845, 'WI');\nCOPY public.capital (state, name, height) FROM stdin;\nNV\tCarson\t4802\n\\.\n",
			tables: []string{"capital", "place"}, query: "SELECT name, height, (SELECT count(*) FROM public.capital) FROM public.place ORDER BY height",
			rows: []string{"Madison|845|2", "Mariposa|1953|2", "Carson|4802|2"},
		},
		"a partition that was taken off": {
			dump: reading + " PARTITION BY RANGE (at);\nCREATE TABLE public.old PARTITION OF public.reading DEFAULT;\nCREATE TABLE public.new PARTITION OF public.reading FOR VALUES IN (1);\n" +
				"ALTER TABLE public.reading DETACH PARTITION public.old;\n" + copied("old", first) + copied("new", second),
			tables: []string{"old", "reading"}, query: "SELECT (SELECT count(*) FROM public.old), count(*) FROM public.reading", rows: []string{"2|1"},
			note: `"reading" consists of new`,
		},
		"two parents": {
			dump: "CREATE TABLE public.a (id int);\nCREATE TABLE public.b (name text);\nCREATE TABLE public.c () INHERITS (public.a, public.b);\n" +
				"INSERT INTO public.c VALUES (7, 'x');\nINSERT INTO public.a VALUES (1);\n",
			tables: []string{"a", "b", "c"}, query: "SELECT (SELECT sum(id) FROM public.a), (SELECT max(name) FROM public.b), id, name FROM public.c", rows: []string{"8|x|7|x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(folder(t, map[string]string{"d.sql": "-- PostgreSQL database dump\n" + test.dump}), "d.sql")
			s := newStore(t)
			report, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
			require.NoError(t, err)
			got := tables(t, s)
			var names []string
			for _, r := range report.Tables {
				names = append(names, r.Name.Table)
			}
			require.ElementsMatch(t, test.tables, names)
			require.Equal(t, test.rows, rows(t, s, test.query))
			for _, r := range report.Tables {
				require.Equal(t, []string{fmt.Sprint(r.Rows)}, rows(t, s, "SELECT count(*) FROM public."+r.Name.Table), "the report counts what is there")
			}
			require.Len(t, got["reading"].ForeignKeys, test.keys)
			var said strings.Builder
			for _, p := range report.Problems {
				said.WriteString(p.Message + "\n")
			}
			if test.note == "" {
				require.NotContains(t, said.String(), "consists of")
				return
			}
			require.Contains(t, said.String(), test.note+":")
		})
	}
}
