package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/peterh/liner"
	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"

	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
)

type expertOptions struct {
	remote  remoteFlags
	product string
	session string
	json    bool
}

func newExpertCommand(f *Factory) *cobra.Command {
	o := &expertOptions{}
	cmd := &cobra.Command{
		Use:   `expert ["QUESTION"]`,
		Short: "Talk with the expert of a product, who knows its documents",
		Long: `Ask about a product over several turns: a question such as "and for groups?" is read
with what was asked before. With a question it is answered, and --session goes on from
it; without one each line of standard input is a turn, and /quit ends.`,
		Example: `  dibrain expert --product DI-Brain
  dibrain expert --product DI-Brain --json "how do I add a metric?"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return talkToExpert(cmd.Context(), f, o)
			}
			question, err := questionFrom(f.IO.In, args)
			if err != nil {
				return err
			}
			return askExpert(cmd.Context(), f, o, question)
		},
	}
	o.remote.add(cmd)
	cmd.Flags().StringVar(&o.product, "product", "", "product to ask about (default: any)")
	cmd.Flags().StringVar(&o.session, "session", "", "session to go on with (default: a new one)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print answers as JSON")
	return cmd
}

func askExpert(ctx context.Context, f *Factory, o *expertOptions, question string) error {
	services, err := openServices(ctx, f, o.remote, noSource)
	if err != nil {
		return err
	}
	defer services.Close()
	if err := o.turn(ctx, f, services, question); err != nil {
		return err
	}
	if !o.json {
		fmt.Fprintln(f.IO.Out, f.style().Dim("go on with: --session "+term.Clean(o.session)))
	}
	return nil
}

// talkToExpert answers line by line. A turn that fails is told and does not end it.
func talkToExpert(ctx context.Context, f *Factory, o *expertOptions) error {
	services, err := openServices(ctx, f, o.remote, noSource)
	if err != nil {
		return err
	}
	defer services.Close()
	lines := f.lines(historyPath(f))
	defer func() { _ = lines.Close() }() // gives the terminal back; nothing is lost when it cannot
	for {
		line, err := lines.Line("› ")
		if errors.Is(err, io.EOF) || errors.Is(err, liner.ErrPromptAborted) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a line: %w", err)
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if leaves(line) {
			return nil
		}
		if err := o.turn(ctx, f, services, line); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintln(f.IO.Out, f.style().Bad(fault.OperatorText(err)))
		}
	}
}

// turn asks a question and remembers the session.
func (o *expertOptions) turn(ctx context.Context, f *Factory, services *services, question string) error {
	response, err := services.Knowledge.AskExpertUnary(ctx, &knowledgev1.AskExpertUnaryRequest{
		Query: &knowledgev1.ExpertQuery{UserQuestion: question, ProductName: o.product, SessionId: o.session}})
	if err != nil {
		return err
	}
	o.session = response.GetAnswer().GetSessionId()
	if o.json {
		return writeJSONLine(f.IO.Out, response.GetAnswer())
	}
	f.printKnowledge(response.GetAnswer().GetAnswer())
	return nil
}
