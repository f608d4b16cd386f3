package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
)

func newFindataStatsCommand(f *Factory) *cobra.Command {
	var asJSON bool
	request := &findatav1.GetUseStatsRequest{}
	cmd := exampleCommand(f, "stats", "What came of questions: asked back, settled in one round, tables opened and used", cobra.NoArgs, &request.Source,
		func(cmd *cobra.Command, s *services, _ []string) error {
			r, err := s.FindData.GetUseStats(cmd.Context(), request)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(f.IO.Out, r)
			}
			out := f.IO.Out
			fmt.Fprintf(out, "Questions            %d\n", r.GetQuestions())
			fmt.Fprintf(out, "Asked back           %d (%s)\n", r.GetClarified(), shareOf(r.GetClarificationRate(), r.GetQuestions()))
			fmt.Fprintf(out, "Nothing found        %d\n", r.GetDeclined())
			fmt.Fprintf(out, "Settled in one round %d of %d (%s)\n", r.GetSettled(), r.GetReplies(), shareOf(r.GetOneRoundRate(), r.GetReplies()))
			fmt.Fprintf(out, "Answers with tables  %d, a table of which was opened or used: %s\n", r.GetUse().GetShown(), shareOf(r.GetUse().GetClickRate(), r.GetUse().GetShown()))
			fmt.Fprintf(out, "Tables judged        %d, called right: %s\n", r.GetUse().GetJudged(), shareOf(r.GetUse().GetAcceptanceRate(), r.GetUse().GetJudged()))
			return nil
		})
	cmd.Flags().Int32Var(&request.Days, "days", 30, "of how many days, today too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	return cmd
}

// shareOf is a share as percent; "-" where it is of nothing.
func shareOf(share float64, of int64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}
