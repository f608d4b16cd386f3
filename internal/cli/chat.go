package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peterh/liner"
	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

type chatOptions struct {
	turnFlags
	remote remoteFlags
}

func newChatCommand(f *Factory) *cobra.Command {
	o := &chatOptions{}
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk over several turns in a terminal",
		Long: `Talk over several turns. Each line is a question; a number chooses an option
when one was asked for. Commands: /sql /tables /why /chart
/export /runs /session /new /help /quit.
Reads lines from standard input when that is no terminal.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runChat(cmd.Context(), f, o) },
	}
	o.add(cmd)
	o.remote.add(cmd)
	return cmd
}

// chatCommands are what a line of a talk may be, each with what it does.
var chatCommands = [...]struct{ said, does string }{
	{"a question", "answered, in the language it is asked in"},
	{"why?", "what accounts for the change of the figure that was shown"},
	{"a number", "chooses an option, when one was asked for"},
	{"/sql", "the SQL of the last answer"},
	{"/tables", "the tables that the last answer used"},
	{"/why", "what the last answer can be trusted for"},
	{"/chart", "the chart of the last answer"},
	{"/export FILE", "the last answer into a new file; its ending says how: .csv .tsv .json .parquet .xlsx (all rows), .md .html (to read), .svg .png (the chart). --force before the file replaces one that is there, --bom marks a CSV for Excel"},
	{"/runs", "the runs of this session"},
	{"/session", "the session's id, for --session"},
	{"/new", "a new session: nothing of this one is remembered"},
	{"/quit", "ends"},
}

// chatIndent is where what a line of a talk does begins in the help.
const chatIndent = 24

// help says what a line of a talk may be.
func (c *conversation) help() {
	for _, command := range chatCommands {
		said := command.said
		for _, line := range term.Wrap(command.does, c.f.IO.Width()-chatIndent) {
			fmt.Fprintf(c.f.IO.Out, "  %-*s%s\n", chatIndent-2, said, line)
			said = ""
		}
	}
}

// complain says in words what went wrong with a line.
func (c *conversation) complain(err error) {
	_ = c.f.say(c.f.IO.Out, c.f.IO.IsTTY, c.f.style().Bad, fault.OperatorText(err)) // nobody reads any more
}

// lineReader gives the lines of a conversation; io.EOF ends it.
type lineReader interface {
	Line(prompt string) (string, error)
	Close() error
}

func runChat(ctx context.Context, f *Factory, o *chatOptions) error {
	if err := o.check(f); err != nil {
		return err
	}
	cfg, err := f.Config()
	if err != nil {
		return err
	}
	services, err := openServices(ctx, f, o.remote, o.source)
	if err != nil {
		return err
	}
	defer services.Close()
	if o.source == "" && o.session == "" {
		tellSource(f, services, cfg.Source)
	}
	lines := f.lines(historyPath(f))
	defer func() { _ = lines.Close() }() // gives the terminal back; nothing is lost when it cannot
	c := &conversation{f: f, o: o, services: services, exports: cfg.Export}
	fmt.Fprintln(f.IO.Out, f.style().Dim("Ask in English or Chinese; /help for the rest, /quit to end."))
	for {
		line, err := lines.Line("› ")
		if errors.Is(err, io.EOF) || errors.Is(err, liner.ErrPromptAborted) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a line: %w", err)
		}
		if ended, err := c.take(ctx, strings.TrimSpace(line)); ended || err != nil {
			return err
		}
	}
}

// conversation is the state of a chat on this side of the wire.
type conversation struct {
	f        *Factory
	o        *chatOptions
	services *services
	exports  export.Config
	last     *routerv1.Answer
	// asked is the question of the last answer, and askedAt when it was asked.
	asked   string
	askedAt time.Time
}

// take handles a line; ended is true when the conversation is over. Errors of a
// turn are printed and do not end it.
func (c *conversation) take(ctx context.Context, line string) (ended bool, err error) {
	switch {
	case line == "":
		return false, nil
	case leaves(line):
		return true, nil
	case strings.HasPrefix(line, "/"):
		c.command(ctx, line)
		return false, ctx.Err()
	}
	turn := c.o.turn(line)
	if c.last != nil && c.last.GetAskHuman() {
		options := c.last.GetQuestion().GetOptions()
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(options) {
			turn.ChosenOptionId, turn.Question = options[n-1].GetId(), options[n-1].GetLabel()
		}
	}
	steps := newStepLine(c.f)
	at := c.f.Clock()
	result, err := runTurn(ctx, c.services.Router, turn, steps)
	steps.clear()
	if err != nil {
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		c.complain(nearOf(ctx, c.services, turn.GetSessionId(), err))
		return false, nil
	}
	c.last, c.o.session, c.asked, c.askedAt = result, result.GetSessionId(), turn.GetQuestion(), at
	answer.Print(c.f.IO.Out, result, c.f.answerOptions(c.o.limit, c.o.verbose, false))
	fmt.Fprintln(c.f.IO.Out)
	return false, nil
}

func (c *conversation) command(ctx context.Context, line string) {
	out := c.f.IO.Out
	switch strings.Fields(line)[0] {
	case "/help":
		c.help()
	case "/sql":
		answer.PrintSQL(out, c.last)
	case "/tables":
		answer.PrintTables(out, c.last, c.f.answerOptions(c.o.limit, c.o.verbose, false))
	case "/why":
		answer.PrintWhy(out, c.last, c.f.answerOptions(c.o.limit, c.o.verbose, false))
	case "/chart":
		answer.PrintChart(out, c.last, c.f.answerOptions(c.o.limit, c.o.verbose, false))
	case "/export":
		if err := c.export(ctx, strings.TrimPrefix(line, "/export")); err != nil {
			c.complain(err)
		}
	case "/new":
		c.last, c.o.session = nil, ""
		fmt.Fprintln(out, "a new session begins with your next question")
	case "/session":
		fmt.Fprintln(out, cmp.Or(c.o.session, "there is no session yet: ask something"))
	case "/runs":
		if c.o.session == "" {
			fmt.Fprintln(out, "there is no run yet: ask something")
			return
		}
		if err := listRuns(ctx, c.f, c.services, &routerv1.ListRunsRequest{SessionId: c.o.session, PageSize: 20}, tableFlags{}); err != nil {
			c.complain(err)
		}
	default:
		fmt.Fprintf(out, "there is no command %s\n", term.Clean(line))
		c.help()
	}
}

// lines reads with editing and history on a terminal, plainly otherwise. history
// is the file of earlier lines; empty: they are not kept.
func (f *Factory) lines(history string) lineReader {
	if f.IO.IsTTY && f.IO.InTTY {
		e := edited{liner.NewLiner(), history}
		e.state.SetCtrlCAborts(true)
		if err := readLines(e.state, history); err != nil {
			fmt.Fprintln(f.IO.Err, f.style().Dim("earlier lines cannot be read: "+err.Error()))
		}
		return e
	}
	scanner := bufio.NewScanner(f.IO.In)
	scanner.Buffer(make([]byte, 64<<10), maxQuestionBytes)
	return plain{scanner}
}

type edited struct {
	state   *liner.State
	history string
}

func (e edited) Line(prompt string) (string, error) {
	line, err := e.state.Prompt(prompt)
	if err == nil && strings.TrimSpace(line) != "" {
		e.state.AppendHistory(line)
	}
	return line, err
}

func (e edited) Close() error { return errors.Join(writeLines(e.state, e.history), e.state.Close()) }

type plain struct{ scanner *bufio.Scanner }

func (p plain) Line(string) (string, error) {
	if p.scanner.Scan() {
		return p.scanner.Text(), nil
	}
	if err := p.scanner.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

func (p plain) Close() error { return nil }

// leaves reports whether a line ends a conversation: a command, or the one word by which shells
// and programs of their kind are left.
func leaves(line string) bool {
	return slices.Contains([]string{"/quit", "/exit", "/q", "quit", "exit"}, strings.ToLower(line))
}
