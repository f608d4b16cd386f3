package ingest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestViewsOfDumps: what a view shows becomes a table on request, and only what can be
// written anew as a query of the dump's own tables.
func TestViewsOfDumps(t *testing.T) {
	t.Parallel()
	const postgres = "-- PostgreSQL database dump\nCREATE TABLE public.city (id integer, name text, people bigint);\n" +
		"COPY public.city (id, name, people) FROM stdin;\n1\tOslo\t700\n2\tBergen\t290\n3\tBodø\t53\n\\.\n"
	const mysql = "-- MySQL dump 10.13\nCREATE TABLE `city` (`id` int, `name` varchar(20), `people` int) ENGINE=InnoDB;\nINSERT INTO `city` VALUES (1,'Oslo',700),(2,'Bergen',290),(3,'Bodø',53);\n"
	for name, test := range map[string]struct {
		dump, query string
		rows        []string
		problem     string
	}{
		"of PostgreSQL": {
			dump:  postgres + "CREATE VIEW public.big AS\n SELECT c.name,\n    (c.people)::numeric(10,1) AS people\n   FROM public.city c\n  WHERE ((c.people > 100) AND (c.name ~~ '%r%'::text));\nALTER TABLE public.big OWNER TO ann;\n",
			query: "SELECT * FROM public.big", rows: []string{"Bergen|290"},
		},
		"that stands before the view that it reads": {
			dump:  postgres + "CREATE VIEW public.a AS SELECT count(*) AS n FROM public.b;\nCREATE MATERIALIZED VIEW public.b AS SELECT name FROM public.city WHERE (id < 3) WITH NO DATA;\n",
			query: "SELECT * FROM public.a", rows: []string{"2"},
		},
		"with names of columns": {
			dump:  postgres + "CREATE VIEW public.v (town, \"per cent\") WITH (security_barrier='true') AS SELECT name, people FROM public.city WHERE id = 1;\n",
			query: "SELECT town, \"per cent\" FROM public.v", rows: []string{"Oslo|700"},
		},
		"of mysqldump": {
			dump: mysql + "SET @saved_cs_client = @@character_set_client;\n/*!50001 CREATE VIEW `big` AS SELECT \n 1 AS `name`,\n 1 AS `people`*/;\n" +
				"/*!50001 DROP VIEW IF EXISTS `big`*/;\n/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */\n" +
				"/*!50001 VIEW `big` AS select `city`.`name` AS `name`,ifnull(`city`.`people`,0) AS `people` from `city` where (`city`.`people` > 100) */;\n",
			query: "SELECT * FROM big ORDER BY people", rows: []string{"Bergen|290", "Oslo|700"},
		},
		"of an older mysqldump, behind a table that stands in": {
			dump:  mysql + "/*!50001 CREATE TABLE `big` (\n `name` tinyint NOT NULL\n) ENGINE=MyISAM */;\n/*!50001 DROP TABLE IF EXISTS `big`*/;\n/*!50001 CREATE VIEW `big` AS select `city`.`name` AS `name` from `city` where `city`.`id` = 3 */;\n",
			query: "SELECT * FROM big", rows: []string{"Bodø"},
		},
		"of SQLite": {
			dump:  "PRAGMA foreign_keys=OFF;\nCREATE TABLE city (name TEXT, people INTEGER);\nINSERT INTO city VALUES('Oslo',700);\nCREATE VIEW v AS SELECT name, people * 2 AS twice FROM city;\n",
			query: "SELECT * FROM v", rows: []string{"Oslo|1400"},
		},
		"that reads a file": {
			dump:  postgres + "CREATE VIEW public.leak AS SELECT * FROM read_text('/etc/hostname');\n",
			query: "SELECT count(*) FROM public.city", rows: []string{"3"}, problem: `view "leak" is left out`,
		},
		"that reads another database": {
			dump:  postgres + "CREATE VIEW public.leak AS SELECT setting FROM pg_settings;\n",
			query: "SELECT count(*) FROM public.city", rows: []string{"3"}, problem: `view "leak" is left out`,
		},
		"that closes its parenthesis": {
			dump:  postgres + "CREATE VIEW public.leak AS SELECT 1) AS x, (SELECT name FROM public.city;\n",
			query: "SELECT count(*) FROM public.city", rows: []string{"3"}, problem: `view "leak" is left out`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(folder(t, map[string]string{"d.sql": test.dump}), "d.sql")
			s := newStore(t)
			report, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{Views: true})
			require.NoError(t, err)
			var said []string
			for _, p := range report.Problems {
				said = append(said, p.Message)
			}
			if test.problem == "" {
				require.Empty(t, said)
			} else {
				require.Contains(t, strings.Join(said, "\n"), test.problem)
			}
			require.Equal(t, test.rows, rows(t, s, test.query))
			require.Equal(t, []string{"0"}, rows(t, s, "SELECT count(*) FROM duckdb_functions() WHERE NOT internal"), "no macro stays in the data")
			_, err = ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
			require.NoError(t, err)
			require.Len(t, tables(t, s), 1, "without --views there are the tables only")
		})
	}
}
