package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// checkWords lets every command of a tree refuse words that it does not know: a group
// names the commands that may be meant instead of printing its help with success, and what
// takes fewer or more arguments says how many.
func checkWords(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		checkWords(sub)
	}
	if cmd.HasSubCommands() && (!cmd.Runnable() || !cmd.HasParent()) {
		cmd.Args, cmd.RunE = groupArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		return
	}
	if cmd.Name() == "help" && !cmd.Parent().HasParent() {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if of, rest, err := cmd.Root().Find(args); err == nil && of.HasSubCommands() {
				return groupArgs(of, rest)
			}
			return nil
		}
		return
	}
	if given := cmd.Args; given != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := given(cmd, args)
			if err == nil || !countsArgs(err) {
				return err
			}
			if cmd.HasSubCommands() && len(args) > 0 {
				return groupArgs(cmd, args)
			}
			if len(args) > 0 && strings.HasPrefix(err.Error(), "unknown command ") { // cobra.NoArgs
				return badUsage("`%s` takes no argument, and %q is one. `%[1]s --help` says what it takes.", cmd.CommandPath(), args[0])
			}
			if _, wanted, named := strings.Cut(cmd.Use, " "); named && len(args) == 0 {
				return badUsage("`%s` needs %s, and none is given.%s `%[1]s --help` says what it takes.", cmd.CommandPath(), wanted, listedBy(cmd))
			}
			return badUsage("`%s` %w. `%[1]s --help` says what it takes.", cmd.CommandPath(), err)
		}
	}
}

// listedBy names the command that lists what another one is about: that of the same group.
func listedBy(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	for _, sub := range cmd.Parent().Commands() {
		if sub.Name() == "list" && sub != cmd {
			return " `" + sub.CommandPath() + "` lists what there is."
		}
	}
	return ""
}

// countsArgs recognises the errors of cobra's checks of arguments, which have no type.
func countsArgs(err error) bool {
	return !errors.As(err, new(*usageError)) && slices.ContainsFunc([]string{"unknown command ", "accepts ", "requires at least "}, func(begin string) bool {
		return strings.HasPrefix(err.Error(), begin)
	})
}

// groupArgs refuses a word that is none of a group's commands.
func groupArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := commandsNear(cmd, args[0])
	if hint == "" && !cmd.HasParent() && strings.ContainsAny(strings.Join(args, " "), " ?？") {
		hint = " A question is asked by `dibrain ask \"…\"`."
	}
	return badUsage("unknown command %q for %q.%s `%[2]s --help` lists the commands.", args[0], cmd.CommandPath(), hint)
}

// commandsNear offers the commands of a group that a word may mean, and where none is near
// those of that name in other groups.
func commandsNear(group *cobra.Command, word string) string {
	var names []string
	for _, sub := range group.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if slices.Contains(sub.SuggestFor, word) {
			return offered([]string{sub.CommandPath()}, nil)
		}
		names = append(names, sub.Name())
	}
	if near := didYouMean(word, names, func(name string) string { return group.CommandPath() + " " + name }); near != "" {
		return near
	}
	var elsewhere []string
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && sub.Name() == word && len(elsewhere) < mostNear {
				elsewhere = append(elsewhere, sub.CommandPath())
			}
			look(sub)
		}
	}
	look(group.Root())
	return offered(elsewhere, nil)
}

// flagError is an error about the flags of a command; one that it does not have is told
// with those that are near it.
func flagError(cmd *cobra.Command, err error) error {
	hint := ""
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				known = append(known, flag.Name)
			}
		})
		hint = didYouMean(unknown.GetSpecifiedName(), known, func(name string) string { return "--" + name })
	}
	return badUsage("%w.%s `%s --help` lists the flags.", err, hint, cmd.CommandPath())
}

// nearOf adds to an error about a run or a session that is not there those of the asker's
// newest whose ids are near the one given: an id is copied by hand now and then, and its
// end is lost.
func nearOf(ctx context.Context, s *services, id string, err error) error {
	if err == nil {
		return nil
	}
	var known []string
	switch fault.ReasonOf(err) {
	case store.ReasonRunUnknown:
		response, listErr := s.Router.ListRuns(ctx, &routerv1.ListRunsRequest{PageSize: maxCompletions})
		if listErr != nil {
			return err
		}
		for _, r := range response.GetRuns() {
			known = append(known, r.GetRecord().GetRunId())
		}
	case store.ReasonSessionUnknown:
		response, listErr := s.Router.ListSessions(ctx, &routerv1.ListSessionsRequest{PageSize: maxCompletions})
		if listErr != nil {
			return err
		}
		for _, ses := range response.GetSessions() {
			known = append(known, ses.GetSessionId())
		}
	}
	hint := didYouMean(id, known, nil)
	if hint == "" {
		return err
	}
	return fault.NotFound(fault.ReasonOf(err), "%s%s", message(err), hint)
}
