package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/semantic"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

func newSemanticTestCommand(f *Factory) *cobra.Command {
	var layer layerFlags
	cmd := &cobra.Command{
		Use:   "test [FOLDER]",
		Short: "Run the examples of a layer",
		Long: `Run the SQL of each example of a semantic layer against its source, under your own
rights and limits, and say how many rows it gives. Without a FOLDER the layer of the
source is tested.

Exit code 0: all of them run; 1: one does not, or gives no row; 2: the layer or the
source could not be read.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runSemanticTest(cmd.Context(), f, &layer, args) },
	}
	layer.add(cmd.Flags())
	return cmd
}

func runSemanticTest(ctx context.Context, f *Factory, flags *layerFlags, args []string) error {
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	if flags.source == "" {
		flags.source = cfg.Source
	}
	place, err := flags.find(f, args)
	if err != nil {
		return err
	}
	layer, err := loadLayer(place.dir)
	if err != nil {
		return err
	}
	if len(layer.Examples) == 0 {
		_, err := fmt.Fprintf(f.IO.Out, "%s has no examples: write questions with their SQL under examples\n", place.dir)
		return err
	}
	services, err := openServices(ctx, f, remoteFlags{}, flags.source)
	if err != nil {
		return err
	}
	defer services.Close()
	failed := 0
	for i := range layer.Examples {
		ok, said := tryExample(ctx, services, flags.source, &layer.Examples[i])
		if !ok {
			failed++
		}
		fmt.Fprintf(f.IO.Out, "%s %s: %s\n", map[bool]string{true: "ok  ", false: "FAIL"}[ok], term.Clean(layer.Examples[i].ID), term.Clean(said))
	}
	fmt.Fprintf(f.IO.Out, "%d of %d examples run\n", len(layer.Examples)-failed, len(layer.Examples))
	if failed > 0 {
		return exitWith(exitFailure)
	}
	return nil
}

// tryExample runs the SQL of an example, and says what came of it.
func tryExample(ctx context.Context, s *services, source string, e *semantic.Example) (ok bool, said string) {
	response, err := s.ChatBI.ExecuteAndAnalyzeUnary(ctx, &chatbiv1.ExecuteAndAnalyzeUnaryRequest{
		Query: &chatbiv1.ExecuteQuery{Source: source, Sql: e.SQL, UserContext: &commonv1.UserContext{}},
	})
	if err != nil {
		return false, status.Convert(err).Message()
	}
	if response.GetResult().GetOutcome() != chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE {
		return false, response.GetResult().GetAnswer()
	}
	switch n := len(response.GetResult().GetPage().GetRows()); n {
	case 0:
		return false, "it gives no row"
	case 1:
		return true, "1 row"
	default:
		return true, fmt.Sprintf("%d rows", n)
	}
}
