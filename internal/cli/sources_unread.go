package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
)

func newSourcesUnreadCommand(f *Factory) *cobra.Command {
	var table string
	var format tableFlags
	limit := 100
	cmd := &cobra.Command{
		Use:   "unread NAME",
		Short: "Show the values and lines of files that nothing could read, with their places",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if limit <= 0 {
				return fault.Invalid("limit", "LIMIT_INVALID", "--limit is 1 or more")
			}
			store, err := openStore(f)
			if err != nil {
				return err
			}
			generation, err := store.Current(args[0])
			if err != nil {
				return err
			}
			texts, err := ingest.ReadUnread(generation.Dir)
			if err != nil {
				return err
			}
			return printUnread(f, unreadOf(texts, table), limit, format)
		},
	}
	completeSourceArg(f, cmd)
	cmd.Flags().StringVar(&table, "table", "", "only of this table")
	cmd.Flags().IntVar(&limit, "limit", limit, "most entries to show")
	format.add(cmd, "print them as JSON")
	return cmd
}

// unreadOf are the texts of one table, or all.
func unreadOf(texts []ingest.Unread, table string) []ingest.Unread {
	if table == "" {
		return texts
	}
	var of []ingest.Unread
	for _, t := range texts {
		if strings.EqualFold(t.Table, table) {
			of = append(of, t)
		}
	}
	return of
}

func printUnread(f *Factory, texts []ingest.Unread, limit int, format tableFlags) error {
	shown := texts[:min(len(texts), limit)]
	if format.asJSON() {
		return writeOwnJSON(f.IO.Out, struct {
			Unread []ingest.Unread `json:"unread"`
			Total  int             `json:"total"`
		}{shown, len(texts)})
	}
	if len(texts) == 0 {
		format.remark(f, "everything could be read")
		return nil
	}
	rows := make([][]string, 0, len(shown))
	for _, t := range shown {
		line := ""
		if t.Line > 0 { // JSON has records, not lines
			line = strconv.Itoa(t.Line)
		}
		rows = append(rows, []string{t.Table, line, t.Column, t.Why, t.Text})
	}
	if err := format.print(f, []term.Column{{Title: "table"}, {Title: "line", Right: true}, {Title: "column"}, {Title: "why"}, {Title: "text"}}, rows); err != nil {
		return err
	}
	if left := len(texts) - len(shown); left > 0 {
		format.remark(f, "… %d more: narrow them with --table, or raise --limit", left)
	}
	return nil
}
