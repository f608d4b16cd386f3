package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// maxCompletions bounds what a shell is offered.
const maxCompletions = 50

// completeFirst completes the first argument of a command with what values returns.
func completeFirst(cmd *cobra.Command, values func() []cobra.Completion) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return values(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeRuns completes a run with the asker's own, newest first, each with its question.
func completeRuns(f *Factory, cmd *cobra.Command, remote *remoteFlags) {
	completeFirst(cmd, func() []cobra.Completion {
		services, err := openServices(cmd.Context(), f, *remote, noSource)
		if err != nil {
			return nil // whoever completes a line is told nothing
		}
		defer services.Close()
		response, err := services.Router.ListRuns(cmd.Context(), &routerv1.ListRunsRequest{PageSize: maxCompletions})
		if err != nil {
			return nil
		}
		var out []cobra.Completion
		for _, r := range response.GetRuns() {
			out = append(out, cobra.CompletionWithDesc(r.GetRecord().GetRunId(), lang.OneLine(term.Clean(r.GetQuestion()))))
		}
		return out
	})
}

// completeSessions completes a session with the asker's own, the latest first.
func completeSessions(f *Factory, cmd *cobra.Command, remote *remoteFlags) {
	completeFirst(cmd, func() []cobra.Completion {
		services, err := openServices(cmd.Context(), f, *remote, noSource)
		if err != nil {
			return nil
		}
		defer services.Close()
		response, err := services.Router.ListSessions(cmd.Context(), &routerv1.ListSessionsRequest{PageSize: maxCompletions})
		if err != nil {
			return nil
		}
		var out []cobra.Completion
		for _, s := range response.GetSessions() {
			out = append(out, cobra.CompletionWithDesc(s.GetSessionId(), lang.OneLine(term.Clean(s.GetTitle()))))
		}
		return out
	})
}

// completeTables completes a table with those of the source that the flag names whose name
// has what is typed, each with its description.
func completeTables(f *Factory, cmd *cobra.Command, remote *remoteFlags, source *string) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		services, err := openServices(cmd.Context(), f, *remote, *source)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer services.Close()
		response, err := services.Catalog.ListTables(cmd.Context(), &findatav1.ListTablesRequest{Source: *source, NameContains: typed, PageSize: maxCompletions})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, t := range response.GetTables() {
			name := answer.TableName(t.GetRef())
			if at := strings.Index(name, typed); at > 0 { // a shell keeps what begins as the typed text does
				name = name[at:]
			}
			out = append(out, cobra.CompletionWithDesc(name, lang.OneLine(term.Clean(t.GetDescription()))))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeMetrics completes a metric with those of the layer that the flags name.
func completeMetrics(f *Factory, cmd *cobra.Command, o *semanticShowOptions) {
	completeFirst(cmd, func() []cobra.Completion {
		layer, err := o.layer(f)
		if err != nil {
			return nil
		}
		var out []cobra.Completion
		for _, m := range layer.Metrics {
			out = append(out, cobra.CompletionWithDesc(m.ID, semantic.NameIn(m.Names, lang.Language(o.lang))))
		}
		return out
	})
}

// completeSources lets a shell complete --source with the sources of the data
// directory, in every command that has the flag.
func completeSources(f *Factory, cmd *cobra.Command) {
	if cmd.Flags().Lookup("source") != nil {
		_ = cmd.RegisterFlagCompletionFunc("source", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return f.sourceNames(), cobra.ShellCompDirectiveNoFileComp
		}) // it fails only for a flag that is not there, or has one
	}
	for _, sub := range cmd.Commands() {
		completeSources(f, sub)
	}
}

// completeSourceArg completes an argument that is a source.
func completeSourceArg(f *Factory, cmd *cobra.Command) {
	completeFirst(cmd, func() []cobra.Completion { return f.sourceNames() })
}

// sourceNames are the sources of the data directory; none where they cannot be read:
// whoever completes a line is told nothing then.
func (f *Factory) sourceNames() []string {
	store, err := source.Open(f.dataDir())
	if err != nil {
		return nil
	}
	names, err := store.Names()
	if err != nil {
		return nil
	}
	return names
}
