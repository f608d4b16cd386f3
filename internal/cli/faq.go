package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/prose"

	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
)

type faqOptions struct {
	remote      remoteFlags
	collections []string
	product     string
	json        bool
}

func newFAQCommand(f *Factory) *cobra.Command {
	o := &faqOptions{}
	cmd := &cobra.Command{
		Use:   `faq "QUESTION"`,
		Short: "Ask the documents about the platform; the answer quotes",
		Long: `Answer a question from documents: this project's own ones, and those of the
collections in knowledge.collections_file. The answer is a quotation with document,
section and link; where the documents do not answer, the nearest headings are told.`,
		Example: `  dibrain faq "how do I add a metric?"
  dibrain faq --collection handbook "how do I apply for permission?"`,
		Args: questionArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := questionFrom(f.IO.In, args)
			if err != nil {
				return err
			}
			return runFAQ(cmd.Context(), f, o, question)
		},
	}
	o.remote.add(cmd)
	cmd.Flags().StringSliceVar(&o.collections, "collection", nil, "collections to look in (default: all that you may read)")
	cmd.Flags().StringVar(&o.product, "product", "", "product to look for (default: any)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the answer as JSON")
	return cmd
}

func runFAQ(ctx context.Context, f *Factory, o *faqOptions, question string) error {
	services, err := openServices(ctx, f, o.remote, noSource)
	if err != nil {
		return err
	}
	defer services.Close()
	response, err := services.Knowledge.AnswerFAQUnary(ctx, &knowledgev1.AnswerFAQUnaryRequest{
		Query: &knowledgev1.FAQQuery{Question: question, Collections: o.collections, ProductName: o.product}})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(f.IO.Out, response.GetAnswer())
	}
	f.printKnowledge(response.GetAnswer())
	return nil
}

// printKnowledge prints an answer out of documents with what it rests on.
func (f *Factory) printKnowledge(a *knowledgev1.KnowledgeAnswer) {
	out, style := f.IO.Out, f.style()
	fmt.Fprintln(out, prose.Visible(a.GetText()))
	if len(a.GetCitations()) > 0 {
		fmt.Fprintln(out)
	}
	for i, c := range a.GetCitations() {
		line := fmt.Sprintf("[%d] %s, %s", i+1, term.Clean(c.GetDocument()), term.Clean(c.GetSection()))
		if c.GetChangedAt() != nil {
			line += ", " + c.GetChangedAt().AsTime().Format(time.DateOnly)
		}
		fmt.Fprintln(out, style.Dim(line))
		if c.GetUrl() != "" {
			fmt.Fprintln(out, style.Dim("    "+term.Clean(c.GetUrl())))
		}
	}
	for _, w := range a.GetWarnings() {
		fmt.Fprintln(out, style.Warn(term.Clean(w)))
	}
}
