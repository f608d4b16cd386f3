package ddl_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// describe writes tables in a short form, to compare them in one line.
func describe(s *ddl.Schema) string {
	var out []string
	for _, t := range s.Tables {
		var parts []string
		for _, c := range t.Columns {
			part := c.Name + ":" + c.Type
			if len(c.Args) > 0 {
				part += fmt.Sprint(c.Args)
			}
			if c.NotNull {
				part += "!"
			}
			if c.Comment != "" {
				part += "'" + c.Comment + "'"
			}
			parts = append(parts, part)
		}
		if len(t.PrimaryKey) > 0 {
			parts = append(parts, "PK "+strings.Join(t.PrimaryKey, "+"))
		}
		for _, fk := range t.ForeignKeys {
			parts = append(parts, fmt.Sprintf("FK %s>%s.%s(%s)", strings.Join(fk.Columns, "+"), fk.Ref.Schema, fk.Ref.Table, strings.Join(fk.RefColumns, "+")))
		}
		name := t.Name.Table
		if t.Name.Schema != "" {
			name = t.Name.Schema + "." + name
		}
		if t.Comment != "" {
			name += "'" + t.Comment + "'"
		}
		out = append(out, name+"{"+strings.Join(parts, "; ")+"}")
	}
	return strings.Join(out, " ")
}

func TestTables(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sql, want string
		dialect   ddl.Dialect
	}{
		"MySQL": {"CREATE TABLE `d`.`t` (`id` int(11) unsigned NOT NULL AUTO_INCREMENT COMMENT 'the \\'id\\'', `n` varchar(20) CHARACTER SET utf8 COLLATE utf8_bin DEFAULT NULL, e enum('a','b,c)'), PRIMARY KEY (`id`), KEY `k` (`n`(10)), UNIQUE KEY u (n), CONSTRAINT f FOREIGN KEY (`n`) REFERENCES `d`.`x` (`y`) ON DELETE CASCADE) ENGINE=InnoDB COMMENT='all t';",
			"d.t'all t'{id:int unsigned[11]!'the 'id''; n:varchar[20]; e:enum; PK id; FK n>d.x(y)}", ddl.MySQL},
		"PostgreSQL": {"CREATE TABLE public.t (id bigint DEFAULT nextval('s'::regclass) NOT NULL, p double precision, v character varying(8), tags text[], at timestamp without time zone DEFAULT now());\nALTER TABLE ONLY public.t ADD CONSTRAINT k PRIMARY KEY (id);\nALTER TABLE ONLY public.t ADD CONSTRAINT f FOREIGN KEY (v) REFERENCES public.o(w) DEFERRABLE;\nCOMMENT ON COLUMN public.t.p IS 'it''s';\nCOMMENT ON TABLE public.t IS 'T';",
			"public.t'T'{id:bigint!; p:double precision'it's'; v:character varying[8]; tags:text array; at:timestamp without time zone; PK id; FK v>public.o(w)}", ddl.Standard},
		"SQLite": {"PRAGMA foreign_keys=OFF; BEGIN TRANSACTION; CREATE TABLE IF NOT EXISTS \"my t\" (id INTEGER PRIMARY KEY AUTOINCREMENT, x, [y z] NUMERIC(10, 2) CHECK ([y z] > 0), r REFERENCES o); CREATE TRIGGER g AFTER INSERT ON o BEGIN INSERT INTO o VALUES (1); END; CREATE TABLE u (a int) WITHOUT ROWID; COMMIT;",
			"my t{id:integer!; x:; y z:numeric[10 2]; r:; PK id; FK r>.o()} u{a:int}", ddl.Standard},
		"comments behind columns":     {"CREATE TABLE t ( -- not this\n a int, -- first\n b int -- possible values: x, y\n);", "t{a:int'first'; b:int'possible values: x, y'}", ddl.Standard},
		"columns named like keywords": {"CREATE TABLE t (key varchar(20), index int, comment text, date date, primary key (key));", "t{key:varchar[20]; index:int; comment:text; date:date; PK key}", ddl.Standard},
		"nested types":                {"CREATE TABLE t (a ARRAY<STRUCT<x:INT,y:STRING>>, m map<string,int> COMMENT 'm') PARTITIONED BY (d string);", "t{a:array; m:map'm'}", ddl.Standard},
		"block comments":              {"/* CREATE TABLE no (a int); */ CREATE /*!40000 x */ TABLE t (a /* ( */ int)", "t{a:int}", ddl.Standard},
		"a mark of byte order":        {"\uFEFFCREATE TABLE t (a int);\n\uFEFFCREATE TABLE \uFEFFu (b int);", "t{a:int} u{b:int}", ddl.Standard},
		"other things that are made":  {"CREATE USER ann; CREATE TABLE t (a int);", "t{a:int}", ddl.Standard},
		"routines":                    {"CREATE FUNCTION f() RETURNS int AS $$ CREATE TABLE no (a int); $$ LANGUAGE sql; DELIMITER ;;\nCREATE TABLE no (a int);;\nDELIMITER ;\nCREATE TABLE t (a int);", "t{a:int}", ddl.Standard},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := ddl.Read(strings.NewReader(test.sql), ddl.Config{Dialect: test.dialect})
			require.NoError(t, err)
			require.Empty(t, s.Problems)
			require.Equal(t, test.want, describe(s))
		})
	}
}

func TestFaultyStatements(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ sql, want, problem string }{
		"bad list":     {"CREATE TABLE a (x int,\n  , y int);\nCREATE TABLE b (x int);", "b{x:int}", "line 2, column 3: found \",\" where a name was expected"},
		"cut off":      {"CREATE TABLE b (x int);\nCREATE TABLE a (x int", "b{x:int}", "line 2, column 22: found the end of the file where , or ) was expected"},
		"missing )":    {"CREATE TABLE a (x int;\nCREATE TABLE b (x int);", "b{x:int}", "line 1, column 22: found \";\" where , or ) was expected"},
		"open quote":   {"CREATE TABLE b (x int);\nINSERT INTO b VALUES ('x);", "b{x:int}", "line 2, column 23: the text that begins here has no closing '"},
		"as select":    {"CREATE TABLE a AS SELECT 1; CREATE TABLE b (x int);", "b{x:int}", "line 1, column 16: table \"a\" is not declared by a list of columns and is passed over"},
		"wrong values": {"CREATE TABLE b (x int); INSERT INTO b VALUES (1, 2);", "b{x:int}", "line 1, column 46: a row of 2 values for the 1 columns of \"b\" is left out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := ddl.Read(strings.NewReader(test.sql), ddl.Config{})
			require.NoError(t, err)
			require.Equal(t, test.want, describe(s))
			require.Len(t, s.Problems, 1)
			require.Equal(t, test.problem, s.Problems[0].Error())
		})
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	kinds := map[ddl.ValueKind]string{ddl.Null: "null", ddl.Text: "text", ddl.Number: "number", ddl.Bool: "bool", ddl.Blob: "blob", ddl.Expression: "expression"}
	for name, test := range map[string]struct {
		sql     string
		dialect ddl.Dialect
		want    []string
	}{
		"literals":    {"INSERT INTO s.t (a, b) VALUES (1, 'it''s'), (-2.5, NULL), (TRUE, X'ff'), ('a'::text, now() - interval '1 day') ON CONFLICT DO NOTHING;", ddl.Standard, []string{"number 1,text it's", "number -2.5,null ", "bool true,blob ff", "text a,expression "}},
		"escapes":     {`INSERT INTO t VALUES ('a\'b\n', "c", _utf8'd');`, ddl.MySQL, []string{"text a'b\n,text c,text d"}},
		"no escapes":  {`INSERT INTO t VALUES ('a\', E'b\tc', 1);`, ddl.Standard, []string{"text a\\,text b\tc,number 1"}},
		"copy":        {"COPY public.t (a, b) FROM stdin;\n1\tx\\ty;\n\\N\t\n\\.\nINSERT INTO t VALUES (3, 4);", ddl.Standard, []string{"text 1,text x\ty;", "null ,text ", "number 3,number 4"}},
		"psql":        {"\\restrict x;y'\nINSERT INTO t VALUES (1, 2);", ddl.Standard, []string{"number 1,number 2"}},
		"after fault": {"INSERT INTO t VALUES (1, ; INSERT INTO t VALUES (1, 2);", ddl.Standard, []string{"number 1,number 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			_, err := ddl.Read(strings.NewReader(test.sql), ddl.Config{Dialect: test.dialect, Rows: func(r ddl.Row) error {
				var parts []string
				for _, v := range r.Values {
					parts = append(parts, kinds[v.Kind]+" "+v.Text)
				}
				got = append(got, strings.Join(parts, ","))
				return nil
			}})
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

// A file that cannot be read further is not one that has ended.
func TestReadFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for _, text := range []string{"", "CREATE TABLE t (", "COPY t (a) FROM stdin;\n", "COPY t (a) FROM stdin;\n1\n", "COPY t (a) FROM stdin;\n1", "DELIMITER ;;\n"} {
		_, err := ddl.Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), ddl.Config{Rows: func(ddl.Row) error { return nil }})
		require.ErrorIs(t, err, broken, text)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	require.Equal(t, ddl.MySQL, ddl.Detect([]byte("CREATE TABLE `t` (a int)")))
	require.Equal(t, ddl.Standard, ddl.Detect([]byte("-- PostgreSQL database dump, not MySQL")))
	require.Equal(t, ddl.SQLite, ddl.Detect([]byte("PRAGMA foreign_keys=OFF; CREATE TABLE `t`")))
}

// FuzzRead: whatever comes, Read ends, without a panic, within its limits.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"CREATE TABLE `a`.`b` (c INT(3) NOT NULL COMMENT 'x', PRIMARY KEY (c)); -- y", "INSERT INTO t VALUES (1,'a''b',X'00',f(1,2));",
		"COPY t (a) FROM stdin;\n1\t\\N\n\\.\n", "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES b; COMMENT ON TABLE t IS 'x';", "$a$ $a$ /* */ [x] E'\\n' \"",
		"DELIMITER ;;\n;; CREATE TRIGGER a BEGIN x; END;", "CREATE TABLE t (a b<c<d>>, e f[3], g h.i)",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, mysql bool) {
		c := ddl.Config{MaxColumns: 10, MaxTables: 5, MaxProblems: 20, Rows: func(r ddl.Row) error {
			require.NotEmpty(t, r.Values)
			return nil
		}}
		if mysql {
			c.Dialect = ddl.MySQL
		}
		s, err := ddl.Read(strings.NewReader(text), c)
		require.NoError(t, err)
		require.LessOrEqual(t, len(s.Tables), 5)
		require.LessOrEqual(t, len(s.Problems), 20)
		for _, table := range s.Tables {
			require.LessOrEqual(t, len(table.Columns), 10)
			for _, p := range s.Problems {
				require.Positive(t, p.Line)
			}
		}
	})
}
