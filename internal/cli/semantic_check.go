package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/semantic"
)

type semanticCheckOptions struct {
	layerFlags
	json   bool
	strict bool
}

func newSemanticCheckCommand(f *Factory) *cobra.Command {
	o := &semanticCheckOptions{}
	cmd := &cobra.Command{
		Use:   "check [FOLDER]",
		Short: "Report every mistake of a layer with file and line",
		Long: `Report every mistake of a semantic layer with its file and line. With --source,
tables, columns, types and keys are checked against that source, too; without a
FOLDER its own layer is checked.

Exit code 0: no mistakes; 1: mistakes (with --strict also warnings); 2: the layer
or the source could not be read.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runSemanticCheck(f, o, args) },
	}
	o.add(cmd.Flags())
	cmd.Flags().BoolVar(&o.json, "json", false, "print the findings as JSON")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "warnings make the exit code 1, too")
	return cmd
}

// checkReport is what check prints as JSON.
type checkReport struct {
	Folder   string             `json:"folder"`
	Valid    bool               `json:"valid"`
	Catalog  bool               `json:"catalog"` // checked against a source's tables
	Metrics  int                `json:"metrics"` // 0 where it is not valid
	Problems []semantic.Problem `json:"problems"`
}

func runSemanticCheck(f *Factory, o *semanticCheckOptions, args []string) error {
	place, err := o.find(f, args)
	if err != nil {
		return err
	}
	layer, problems := semantic.Check(place.dir, place.tables())
	report := checkReport{Folder: place.dir, Valid: layer != nil, Catalog: place.snapshot != nil, Problems: append([]semantic.Problem{}, problems...)}
	if layer != nil {
		report.Metrics = len(layer.Metrics)
	}
	if o.json {
		err = writeOwnJSON(f.IO.Out, report)
	} else {
		err = printCheck(f, report, layer)
	}
	if err != nil {
		return err
	}
	if layer == nil || o.strict && len(problems) > 0 {
		return exitWith(exitFailure)
	}
	return nil
}

func printCheck(f *Factory, report checkReport, layer *semantic.Layer) error {
	for _, p := range report.Problems {
		line := p.Error()
		if p.Warning {
			at := semantic.Problem{File: p.File, Line: p.Line, Message: "warning: " + p.Message}
			line = at.Error()
		}
		if _, err := fmt.Fprintln(f.IO.Out, line); err != nil {
			return err
		}
	}
	if layer == nil {
		_, err := fmt.Fprintf(f.IO.Err, "%d mistakes in %s\n", len(semantic.Problems(report.Problems).Errors()), report.Folder)
		return err
	}
	against := ""
	if !report.Catalog {
		against = "; its tables and columns were not looked at: name a --source"
	}
	_, err := fmt.Fprintf(f.IO.Err, "%s is valid: %s%s\n", report.Folder, sizeOf(layer), against)
	return err
}
