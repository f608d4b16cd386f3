// Package cli is the command line: one file per command, each with an options
// struct and a run function that takes its streams and dependencies from a
// Factory. Root shows the whole tree.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/pkg/prose"
)

// Root returns the command "dibrain".
func Root(f *Factory) *cobra.Command {
	root := NewRoot(f, &cobra.Command{
		Use:   "dibrain",
		Short: "A data agent for Trino warehouses: ask, and see why the answer can be trusted",
		Long: "DI-Brain finds the tables for a question, writes Presto SQL, runs it under your own rights,\n" +
			"and shows how it came to its answer. It needs no server, no key and no model:\n\n" +
			"  dibrain ask \"What was the daily GMV in Singapore over the past 30 days?\"",
	},
		newAskCommand(f),
		newChatCommand(f),
		newAnalyzeCommand(f),
		newWatchCommand(f),
		newFindCommand(f),
		newLogsCommand(f),
		newFindataCommand(f),
		newFAQCommand(f),
		newExpertCommand(f),
		newDocumentsCommand(f),
		newText2SQLCommand(f),
		newIngestCommand(f),
		newHistoryCommand(f),
		newReviewCommand(f),
		newSourcesCommand(f),
		newDemoCommand(f),
		newCatalogCommand(f),
		newSQLCommand(f),
		newSemanticCommand(f),
		newExamplesCommand(f),
		newRunsCommand(f),
		newToolsCommand(f),
		newResultsCommand(f),
		newSessionsCommand(f),
		newServeCommand(f),
		newPythonRunnerCommand(f),
		newDoctorCommand(f),
		newConfigCommand(f),
		newTokenCommand(f),
		newPersonCommand(f),
		newBackupCommand(f),
		newRestoreCommand(f),
		newMigrateCommand(f),
		newVersionCommand(f),
		newLicensesCommand(f),
	)
	completeSources(f, root)
	return root
}

// NewRoot makes a command line of commands: with the flags of every command, the streams of f, errors that are
// printed once by Run, and words that are no command told with those that are near.
func NewRoot(f *Factory, root *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	root.SilenceUsage = true  // an error says what to do; the usage text would hide it
	root.SilenceErrors = true // Run prints it once
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetFlagErrorFunc(flagError)
	f.addFlags(root.PersistentFlags())
	root.AddCommand(commands...)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	checkWords(root)
	return root
}

// afterInterrupt is how long further interrupts are taken for the first one: people
// press Ctrl-C twice, and some callers signal a process and its group.
const afterInterrupt = 1500 * time.Millisecond

// Main runs the product's command line and returns the exit code.
func Main(ctx context.Context, f *Factory, args []string) int { return Run(ctx, f, Root(f), args) }

// Run runs a command line made by NewRoot and returns the exit code. The first interrupt ends
// what is at work in order, down to the statement on the engine; one that comes
// later than afterInterrupt ends the process.
func Run(ctx context.Context, f *Factory, root *cobra.Command, args []string) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { time.AfterFunc(afterInterrupt, stop) })
	root.SetArgs(args)
	err := recovered(ctx, root)
	if broken := (*panicked)(nil); errors.As(err, &broken) {
		f.tellPanic(f.IO.Err, broken, commandLine(root, args), f.dataDir(), os.TempDir())
		return exitPanic
	}
	if err != nil && !errors.As(err, new(*silentError)) {
		_, _ = fmt.Fprintln(f.IO.Err, prose.Visible(prefixed(root.Name(), err))) // names and values of others may be in it
	}
	return exitCode(err)
}

// recovered runs the command; a panic in it becomes an error.
func recovered(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{value: v, stack: debug.Stack()}
		}
	}()
	return root.ExecuteContext(ctx)
}

// prefixed is the last line of a command that failed.
func prefixed(program string, err error) string {
	if isCancelled(err) { // no complaint: it was asked for
		return message(err)
	}
	return program + ": " + message(err)
}

// message is what a person reads of an error.
func message(err error) string {
	if isCancelled(err) { // whatever was at work says in its own words that it was
		return "Cancelled."
	}
	if own := ownMessage(err); own != "" {
		return own
	}
	return err.Error()
}
