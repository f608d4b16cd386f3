package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

type semanticShowOptions struct {
	layerFlags
	folder string
	mart   string
	lang   string
	table  tableFlags
}

func newSemanticShowCommand(f *Factory) *cobra.Command {
	o := &semanticShowOptions{}
	cmd := &cobra.Command{
		Use:   "show [METRIC]",
		Short: "Print a metric in words and as SQL, or list all",
		Args:  cobra.MaximumNArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return runSemanticShow(f, o, args) },
	}
	o.add(cmd.Flags())
	cmd.Flags().StringVar(&o.folder, "folder", "", "folder of the layer (default: that of the source)")
	cmd.Flags().StringVar(&o.mart, "mart", "", "list the metrics of this mart only")
	cmd.Flags().StringVar(&o.lang, "lang", "en", "language of the words: en or zh")
	o.table.add(cmd, "print as JSON")
	completeMetrics(f, cmd, o)
	return cmd
}

func runSemanticShow(f *Factory, o *semanticShowOptions, args []string) error {
	language := lang.Language(o.lang)
	if language != lang.English && language != lang.Chinese {
		return badUsage("--lang %s is not known: use en or zh", o.lang)
	}
	layer, err := o.layer(f)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return o.list(f, layer, language)
	}
	m, ok := layer.Metric(args[0])
	if !ok {
		return fault.NotFound("METRIC_UNKNOWN", "the layer has no metric %q.%s \"%s\" lists all", args[0], didYouMean(args[0], metricIDs(layer), nil), f.command("semantic show", o.source, o.folderFlag()...))
	}
	return o.one(f, layer, m, language)
}

// folderFlag is the flag that names the folder, where it was given.
func (o *semanticShowOptions) folderFlag() []string {
	if o.folder == "" {
		return nil
	}
	return []string{"--folder " + shellWord(o.folder)}
}

func metricIDs(layer *semantic.Layer) []string {
	ids := make([]string, len(layer.Metrics))
	for i, m := range layer.Metrics {
		ids[i] = m.ID
	}
	return ids
}

// layer reads the layer that the flags name.
func (o *semanticShowOptions) layer(f *Factory) (*semantic.Layer, error) {
	var folder []string
	if o.folder != "" {
		folder = []string{o.folder}
	}
	place, err := o.find(f, folder)
	if err != nil {
		return nil, err
	}
	return loadLayer(place.dir)
}

// shownMetric is a metric with what it means, as JSON.
type shownMetric struct {
	semantic.Metric
	Words string `json:"words"`
	SQL   string `json:"sql"`
}

func (o *semanticShowOptions) one(f *Factory, layer *semantic.Layer, m *semantic.Metric, language lang.Language) error {
	words, err := layer.InWords(m.ID, language)
	if err != nil {
		return err
	}
	cid := ""
	if len(layer.Countries) > 0 {
		cid = layer.Countries[0].CID
	}
	stmt, err := layer.SQL(m.ID, cid)
	if err != nil {
		return err
	}
	shown := shownMetric{Metric: *m, Words: words, SQL: printer.Format(stmt)}
	if o.table.asJSON() {
		return writeOwnJSON(f.IO.Out, shown)
	}
	_, err = fmt.Fprintf(f.IO.Out, "%s\n%s\n\n%s\n", f.style().Bold(semantic.NameIn(m.Names, language)), words, shown.SQL)
	return err
}

func (o *semanticShowOptions) list(f *Factory, layer *semantic.Layer, language lang.Language) error {
	metrics := slices.DeleteFunc(slices.Clone(layer.Metrics), func(m semantic.Metric) bool {
		return o.mart != "" && !strings.EqualFold(m.Mart, o.mart)
	})
	if o.table.asJSON() {
		return writeOwnJSON(f.IO.Out, map[string]any{"metrics": metrics})
	}
	rows := make([][]string, len(metrics))
	for i, m := range metrics {
		rows[i] = []string{m.ID, semantic.NameIn(m.Names, language), m.Mart, string(m.Kind()), m.Unit, semantic.NameIn(m.Description, language)}
	}
	columns := []term.Column{{Title: "metric", Whole: true}, {Title: "name"}, {Title: "mart"}, {Title: "type"}, {Title: "unit"}, {Title: "description"}}
	return o.table.print(f, columns, rows)
}
