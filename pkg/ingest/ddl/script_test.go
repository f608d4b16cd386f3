package ddl_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// script writes a dump by chance, and beside it what reading it has to give.
type script struct {
	rand    *rand.Rand
	dialect ddl.Dialect
	text    strings.Builder
	tables  []*ddl.Table
	rows    []string
}

func randomScript(seed uint64) *script {
	s := &script{rand: rand.New(rand.NewPCG(seed, 40))}
	s.dialect = ddl.Dialect(s.rand.IntN(2))
	for range 2 + s.rand.IntN(4) {
		s.noise()
		s.table()
		s.noise()
		s.later()
		s.insert()
		s.copy()
	}
	s.noise()
	return s
}

func (s *script) write(format string, args ...any) { fmt.Fprintf(&s.text, format, args...) }

func (s *script) pick(of ...string) string { return of[s.rand.IntN(len(of))] }

func (s *script) chance(of int) bool { return s.rand.IntN(of) == 0 }

// gap is where a script may have blanks, lines and remarks in one piece.
func (s *script) gap() string {
	return s.pick(" ", " ", "\n", "\t ", "\r\n", " /* , ( ' */ ", "/**/ ")
}

// quoted writes a name in one of the ways in which it may be written.
func (s *script) quoted(name string) string {
	ways := []string{`"` + strings.ReplaceAll(name, `"`, `""`) + `"`, "`" + strings.ReplaceAll(name, "`", "``") + "`"}
	if strings.IndexFunc(name, func(c rune) bool { return strings.ContainsRune(" -.\"`;,", c) }) < 0 && strings.ToLower(name) != "order" {
		ways = append(ways, name, name)
	}
	if s.dialect == ddl.Standard && !strings.ContainsAny(name, "]") && name[0] >= 'A' && name[0] <= 'z' {
		ways = append(ways, "["+name+"]")
	}
	return s.pick(ways...)
}

func (s *script) names(n int) []string {
	all := []string{"id", "Order", "my col", "数量", "a.b", "x-1", "say \"hi\"", "tick`s", "key_no", "_under", "semi;colon", "com,ma", "total$", "zone"}
	s.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

// literal writes a text as a string.
func (s *script) literal(text string) string {
	doubled := strings.ReplaceAll(text, "'", "''")
	escaped := strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\x00", `\0`, "\x1a", `\Z`, "\b", `\b`, "\f", `\f`, "\v", `\v`).Replace(text)
	if s.dialect == ddl.MySQL {
		if s.chance(2) {
			return "'" + strings.ReplaceAll(doubled, `\`, `\\`) + "'"
		}
		return s.pick("", "_utf8", "N") + "'" + escaped + "'"
	}
	ways := []string{"'" + doubled + "'", "E'" + escaped + "'", "e'" + escaped + "'", "'" + doubled + "'::text", "'" + doubled + "'::character varying(20)"}
	if !strings.Contains(text, "$") {
		ways = append(ways, "$$"+text+"$$", "$tag_1$"+text+"$tag_1$")
	}
	return s.pick(ways...)
}

func (s *script) sentence() string {
	return s.pick("plain", "it's", "a -- b", "x; y", "(half", `back\slash`, "two\nlines", "tab\there", "订单", "/* no */", "", "nul\x00and\x1a", "\b\f\v\r", "#hash", "$1 of $2", "\"")
}

func (s *script) table() {
	name := ddl.Name{Table: s.pick("t", "Orders", "my table", "表", "say \"hi\"") + fmt.Sprint(len(s.tables))}
	if s.chance(2) {
		name.Schema = s.pick("public", "My Schema", "db1")
	}
	t := &ddl.Table{Name: name}
	s.write("%s", s.pick("CREATE TABLE", "create table", "CREATE TEMPORARY TABLE", "CREATE TABLE IF NOT EXISTS", "CREATE UNLOGGED TABLE"))
	s.write("%s%s%s(", s.gap(), s.table1(name, 3), s.gap())
	columns := s.names(1 + s.rand.IntN(6))
	for i, c := range columns {
		if i > 0 {
			s.write(",")
		}
		s.write("%s", s.gap())
		s.column(t, c)
	}
	s.constraints(t, columns)
	s.write("%s", s.pick("", "\n", ",", ", "))
	s.write(")")
	s.options(t)
	s.write(";")
	s.tables = append(s.tables, t)
}

// table1 writes a table's name, of at most so many parts.
func (s *script) table1(name ddl.Name, parts int) string {
	text := s.quoted(name.Table)
	if name.Schema != "" {
		text = s.quoted(name.Schema) + s.pick(".", " . ") + text
		if parts > 2 && s.chance(4) {
			text = "catalog1." + text
		}
	}
	return text
}

func (s *script) column(t *ddl.Table, name string) {
	c := ddl.Column{Name: name}
	s.write("%s ", s.quoted(name))
	kinds := []struct {
		text, kind string
		args       []int
	}{
		{"int", "int", nil}, {"BIGINT(20) UNSIGNED", "bigint unsigned", []int{20}}, {"numeric(10, 2)", "numeric", []int{10, 2}},
		{"double  precision", "double precision", nil}, {"character varying(8)", "character varying", []int{8}},
		{"timestamp(3) without time zone", "timestamp without time zone", []int{3}}, {"text[]", "text array", nil},
		{"enum('a','b)c')", "enum", nil}, {"varchar(max)", "varchar", nil}, {"map<string,array<int>>", "map", nil}, {"pg_catalog.int8", "int8", nil},
		{"decimal(1,2,3)", "decimal", []int{1, 2}},
	}
	k := kinds[s.rand.IntN(len(kinds))]
	s.write("%s", k.text)
	c.Type, c.Args = k.kind, k.args
	for range s.rand.IntN(3) {
		switch s.rand.IntN(8) {
		case 0:
			s.write("%sNOT%sNULL", s.gap(), s.gap())
			c.NotNull = true
		case 1:
			s.write(" %s", s.pick("NULL", "DEFAULT NULL", "DEFAULT 'a,b)'", "DEFAULT nextval('s'::regclass)", "DEFAULT (1 + (2))", "UNIQUE", "COLLATE utf8_bin", "CHECK (x > 0)", "GENERATED ALWAYS AS (a || ',') STORED"))
		case 2:
			if c.Comment == "" {
				c.Comment = s.sentence()
				text := c.Comment
				s.write(" COMMENT %s", strings.TrimPrefix(strings.TrimPrefix(s.simple(text), "_utf8"), "N"))
			}
		case 3:
			s.write(" PRIMARY KEY")
			c.NotNull, t.PrimaryKey = true, append(t.PrimaryKey, name)
		case 4:
			fk := ddl.ForeignKey{Columns: []string{name}, Ref: ddl.Name{Table: "other"}}
			s.write(" REFERENCES %s", s.quoted("other"))
			if s.chance(2) {
				fk.RefColumns = []string{"id"}
				s.write("(%s)", s.quoted("id"))
			}
			s.write("%s", s.pick("", " ON DELETE CASCADE", " DEFERRABLE"))
			t.ForeignKeys = append(t.ForeignKeys, fk)
		}
	}
	t.Columns = append(t.Columns, c)
}

// simple writes a text as a string of quotes only.
func (s *script) simple(text string) string {
	if s.dialect == ddl.MySQL {
		text = strings.ReplaceAll(text, `\`, `\\`)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

func (s *script) list(columns []string) string {
	var out []string
	for _, c := range columns {
		out = append(out, s.quoted(c)+s.pick("", "", "(10)", " DESC", " ASC"))
	}
	return "(" + strings.Join(out, s.pick(",", ", ")) + ")"
}

func (s *script) constraints(t *ddl.Table, columns []string) {
	for range s.rand.IntN(3) {
		s.write(",%s%s", s.gap(), s.pick("", "", "CONSTRAINT c1 ", "CONSTRAINT \"c 2\" "))
		some := columns[:1+s.rand.IntN(len(columns))]
		switch s.rand.IntN(4) {
		case 0:
			s.write("PRIMARY KEY %s%s", s.pick("", "", "CLUSTERED "), s.list(some))
			t.PrimaryKey = some
		case 1:
			fk := ddl.ForeignKey{Columns: some, Ref: ddl.Name{Schema: "s", Table: "Far Away"}, RefColumns: some}
			s.write("FOREIGN KEY %s REFERENCES %s %s%s", s.list(some), s.table1(fk.Ref, 2), s.list(some), s.pick("", " ON UPDATE SET NULL", " MATCH FULL"))
			t.ForeignKeys = append(t.ForeignKeys, fk)
		case 2:
			s.write("UNIQUE %s", s.pick("(a)", "KEY u (a)", "INDEX u (a(3))", "\"u\" (a)"))
		default:
			s.write("%s", s.pick("CHECK (a > (1))", "KEY k (a)", "INDEX \"i\" (a)", "KEY (a, b)", "INDEX k1 (a) USING BTREE", "EXCLUDE USING gist (a WITH =)", "FULLTEXT KEY f (a)"))
		}
	}
}

func (s *script) options(t *ddl.Table) {
	s.write("%s", s.pick("", " ENGINE=InnoDB DEFAULT CHARSET=utf8", " WITHOUT ROWID", " PARTITIONED BY (d string)"))
	if s.chance(3) {
		t.Comment = s.sentence()
		s.write(" COMMENT%s%s", s.pick("=", " = ", " "), s.simple(t.Comment))
	}
}

// later writes what is said of a table after it was made.
func (s *script) later() {
	t := s.tables[s.rand.IntN(len(s.tables))]
	c := &t.Columns[s.rand.IntN(len(t.Columns))]
	switch s.rand.IntN(6) {
	case 0:
		s.write("ALTER TABLE%s%s ADD CONSTRAINT k PRIMARY KEY (%s);", s.pick(" ", " ONLY ", " IF EXISTS ", " IF EXISTS ONLY "), s.table1(t.Name, 2), s.quoted(c.Name))
		t.PrimaryKey = []string{c.Name}
	case 1:
		s.write("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES r (x, y) NOT VALID;", s.table1(t.Name, 2), s.quoted(c.Name))
		t.ForeignKeys = append(t.ForeignKeys, ddl.ForeignKey{Columns: []string{c.Name}, Ref: ddl.Name{Table: "r"}, RefColumns: []string{"x", "y"}})
	case 2:
		c.Comment = s.sentence()
		s.write("COMMENT ON COLUMN %s.%s IS %s;", s.table1(t.Name, 2), s.quoted(c.Name), s.simple(c.Comment))
	case 3:
		t.Comment = s.sentence()
		s.write("COMMENT ON TABLE %s IS %s;", s.table1(t.Name, 2), s.simple(t.Comment))
	}
}

// noise writes what a dump has beside its tables.
func (s *script) noise() {
	if s.dialect == ddl.MySQL && s.chance(2) {
		s.write("# CREATE TABLE no (a int); it's\n")
	}
	for range s.rand.IntN(3) {
		s.write("%s", s.pick("\n", ";", "-- CREATE TABLE no (a int); it's\n", "--\n", "SET search_path = 'a;b', \"c;\";", "BEGIN;", "DROP TABLE IF EXISTS t0;",
			"CREATE VIEW v AS SELECT 1;", "CREATE INDEX i ON t (a);", "CREATE UNIQUE INDEX u ON t (a);", "CREATE SEQUENCE q START 1;", "CREATE TYPE m AS ENUM ('table');",
			"CREATE TRIGGER g AFTER INSERT ON o BEGIN INSERT INTO o VALUES (1); UPDATE o SET a = 2; END;", "CREATE FUNCTION f() RETURNS int AS $$ BEGIN; CREATE TABLE no (a int); $$ LANGUAGE sql;",
			"CREATE PROCEDURE p() SELECT 1;", "/* CREATE TABLE no (a int); **/", "ALTER TABLE unknown ADD PRIMARY KEY (a);", "ALTER SEQUENCE q RESTART;", "COMMENT ON EXTENSION e IS 'x';",
			"COMMENT ON TABLE unknown IS 'x';", "\\connect x;y'\n", "DELIMITER ;;\nCREATE TABLE no (a int);;\ndelimiter ;\n", "DELIMITER //\nx;\n;\nCREATE TABLE no (a int);//\nDELIMITER ;\n", "SELECT $1, 1.5e-3, .5, [1], a::int;"))
	}
}

// value writes a value and returns how it is read.
func (s *script) value() (text, read string) {
	switch s.rand.IntN(9) {
	case 0:
		return s.pick("NULL", "null", "DEFAULT"), "0:"
	case 1:
		n := s.pick("0", "12", "3.50", ".5", "1e10", "1.5E-3", "2e+4")
		sign := s.pick("", "-", "+", "- ")
		return sign + n, "2:" + strings.TrimSpace(strings.TrimPrefix(sign, "+")) + n
	case 2:
		b := s.pick("TRUE", "false", "True")
		return b, "3:" + strings.ToLower(b)
	case 3:
		return s.pick("X'00fF'", "x'00fF'", "0x00fF"), "4:00fF"
	case 4:
		words := s.sentence()
		return s.pick("DATE", "timestamp") + " " + s.simple(words), "1:" + words
	case 5:
		return s.pick("now()", "f(1, g(2), ')')", "1 + 2", "(SELECT 1)", "interval '1' day", "current_date"), "5:"
	default:
		words := s.sentence()
		return s.literal(words), "1:" + words
	}
}

// into chooses a table for rows, and the columns that are named.
func (s *script) into() (target string, columns []string, of *ddl.Table) {
	of = s.tables[s.rand.IntN(len(s.tables))]
	for _, c := range of.Columns {
		columns = append(columns, c.Name)
	}
	target = s.table1(of.Name, 2)
	if s.chance(2) {
		s.rand.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		columns = columns[:1+s.rand.IntN(len(columns))]
		var list []string
		for _, c := range columns {
			list = append(list, s.quoted(c))
		}
		target += " (" + strings.Join(list, ", ") + ")"
	}
	return target, columns, of
}

func (s *script) read(of *ddl.Table, columns, values []string) {
	s.rows = append(s.rows, fmt.Sprintf("%s.%s %q %q", of.Name.Schema, of.Name.Table, columns, values))
}

func (s *script) insert() {
	if s.chance(3) {
		return
	}
	target, columns, of := s.into()
	s.write("%s INTO %s%s%s", s.pick("INSERT", "insert ignore", "REPLACE", "INSERT OR REPLACE"), target, s.gap(), s.pick("VALUES", "values", "VALUE"))
	for i := range 1 + s.rand.IntN(3) {
		if i > 0 {
			s.write(",")
		}
		s.write("%s(", s.gap())
		var values []string
		for j := range columns {
			if j > 0 {
				s.write(",%s", s.gap())
			}
			text, read := s.value()
			s.write("%s%s", text, s.pick("", " "))
			values = append(values, read)
		}
		s.write(")")
		s.read(of, columns, values)
	}
	s.write("%s;", s.pick("", " ON CONFLICT DO NOTHING", " ON DUPLICATE KEY UPDATE a = VALUES(a)", "\n"))
}

func (s *script) copy() {
	if s.dialect != ddl.Standard || s.chance(2) {
		return
	}
	target, columns, of := s.into()
	s.write("COPY %s FROM %s;\n", target, s.pick("stdin", "STDIN", "stdin WITH (FORMAT text)"))
	for range s.rand.IntN(4) {
		var values, fields []string
		for range columns {
			words := s.sentence()
			if strings.ContainsAny(words, "\x00\x1a") || len(columns) == 1 && words == "" {
				words = "y"
			}
			field, read := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`, "\b", `\b`, "\f", `\f`, "\v", `\v`).Replace(words), "1:"+words
			if s.chance(6) {
				field, read = `\N`, "0:"
			}
			fields, values = append(fields, field), append(values, read)
		}
		s.write("%s%s", strings.Join(fields, "\t"), s.pick("\n", "\n", "\r\n"))
		s.read(of, columns, values)
	}
	s.write("\\.\n")
}

// rowsOf reads a script's rows in the form of script.rows.
func rowsOf(r io.Reader, c ddl.Config) (*ddl.Schema, []string, error) {
	var rows []string
	c.Rows = func(r ddl.Row) error {
		var values []string
		for _, v := range r.Values {
			values = append(values, fmt.Sprintf("%d:%s", v.Kind, v.Text))
		}
		rows = append(rows, fmt.Sprintf("%s.%s %q %q", r.Table.Schema, r.Table.Table, r.Columns, values))
		return nil
	}
	schema, err := ddl.Read(r, c)
	return schema, rows, err
}

// TestRandomScripts: what was written is what is read, however it was written, and
// however few bytes come at a time.
func TestRandomScripts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		s := randomScript(seed)
		for name, r := range map[string]io.Reader{"at once": strings.NewReader(s.text.String()), "a byte at a time": iotest.OneByteReader(strings.NewReader(s.text.String()))} {
			got, rows, err := rowsOf(r, ddl.Config{Dialect: s.dialect})
			require.NoError(t, err, "%s:\n%s", name, &s.text)
			require.Empty(t, got.Problems, "seed %d:\n%s", seed, &s.text)
			require.Equal(t, describe(&ddl.Schema{Tables: s.tables}), describe(got), "seed %d:\n%s", seed, &s.text)
			require.Equal(t, s.rows, rows, "seed %d:\n%s", seed, &s.text)
		}
	}
}

// TestBrokenAnywhere: a stream that breaks is told wherever it breaks. One that ends
// there is read to its end: tables that were whole are as they were, no table is made
// up, and rows are those that came.
func TestBrokenAnywhere(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for seed := range uint64(4) {
		s := randomScript(seed)
		text := s.text.String()
		whole, all, err := rowsOf(strings.NewReader(text), ddl.Config{Dialect: s.dialect})
		require.NoError(t, err)
		for at := range len(text) {
			_, _, err := rowsOf(io.MultiReader(strings.NewReader(text[:at]), iotest.ErrReader(broken)), ddl.Config{Dialect: s.dialect})
			require.ErrorIs(t, err, broken, "after %q", text[:at])
			cut, rows, err := rowsOf(strings.NewReader(text[:at]), ddl.Config{Dialect: s.dialect})
			require.NoError(t, err)
			require.LessOrEqual(t, len(cut.Tables), len(whole.Tables))
			for i, table := range cut.Tables {
				require.Equal(t, whole.Tables[i].Name, table.Name)
				require.Len(t, table.Columns, len(whole.Tables[i].Columns), "of what is cut off there is no table")
			}
			require.LessOrEqual(t, len(rows), len(all)+1, "half an end mark of COPY is a row")
			if n := min(len(all), len(rows)-1); n > 0 { // the last field of COPY may be cut
				require.Equal(t, all[:n], rows[:n])
			}
		}
	}
}
