package keys_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// TestViewsOfSomeRows: a view that shows some of the rows of a table points to it, though keys are
// declared and the view shows another table's columns too; one with other values, with groups, or
// with all rows does not.
func TestViewsOfSomeRows(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dump.sql")
	require.NoError(t, os.WriteFile(file, []byte(`--
-- PostgreSQL database dump
--
CREATE TABLE public.meter (id integer NOT NULL, street text);
CREATE TABLE public.reading (id bigint NOT NULL, meter integer, kwh numeric(10,2));
CREATE VIEW public.big AS SELECT r.id, r.kwh, m.street FROM public.reading r JOIN public.meter m ON m.id = r.meter WHERE r.kwh > 50::numeric;
CREATE VIEW public.everything AS SELECT r.id, r.kwh FROM public.reading r;
CREATE VIEW public.doubled AS SELECT r.id, r.meter, CAST(r.kwh * 2 AS numeric(10,2)) AS kwh FROM public.reading r WHERE r.kwh > 50::numeric;
CREATE VIEW public.by_meter AS SELECT r.meter, CAST(max(r.kwh) AS numeric(10,2)) AS kwh FROM public.reading r GROUP BY r.meter;
COPY public.meter (id, street) FROM stdin;
1	Main St
2	Oak Ave
\.
COPY public.reading (id, meter, kwh) FROM stdin;
1	1	10.50
2	2	60.00
3	1	70.25
4	2	20.00
\.
ALTER TABLE ONLY public.meter ADD CONSTRAINT meter_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reading ADD CONSTRAINT r_fk FOREIGN KEY (meter) REFERENCES public.meter(id);
`), 0o600))
	_, snapshot := ingested(t, func(s *source.Store) error {
		_, err := ingest.SQLDump(t.Context(), s, "own", file, ingest.Options{Views: true})
		return err
	})
	require.ElementsMatch(t, []string{"reading(meter) meter(id)", "big(id) reading(id)"}, references(snapshot.Tables))
}
