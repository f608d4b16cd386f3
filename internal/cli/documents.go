package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"

	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
)

func newDocumentsCommand(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "documents",
		Short: "See and re-read the documents that faq and expert answer from",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDocumentsListCommand(f), newDocumentsIngestCommand(f))
	return cmd
}

type documentsListOptions struct {
	remote     remoteFlags
	collection string
	product    string
	table      tableFlags
}

func newDocumentsListCommand(f *Factory) *cobra.Command {
	o := &documentsListOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List documents, and why some could not be read",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runDocumentsList(cmd.Context(), f, o) },
	}
	o.remote.add(cmd)
	cmd.Flags().StringVar(&o.collection, "collection", "", "collection to list (default: all)")
	cmd.Flags().StringVar(&o.product, "product", "", "product to list (default: all)")
	o.table.add(cmd, "print a JSON object a page")
	return cmd
}

func runDocumentsList(ctx context.Context, f *Factory, o *documentsListOptions) error {
	services, err := openServices(ctx, f, o.remote, noSource)
	if err != nil {
		return err
	}
	defer services.Close()
	var rows [][]string
	for token := ""; ; {
		page, err := services.Knowledge.ListDocuments(ctx, &knowledgev1.ListDocumentsRequest{Collection: o.collection, ProductName: o.product, PageToken: token})
		if err != nil {
			return err
		}
		if o.table.asJSON() {
			if err := writeJSONLine(f.IO.Out, page); err != nil {
				return err
			}
		}
		for _, d := range page.GetDocuments() {
			note := strconv.Itoa(int(d.GetPassages())) + " passages"
			if d.GetProblem() != "" {
				note = term.Clean(d.GetProblem())
			}
			changed := ""
			if d.GetChangedAt() != nil {
				changed = d.GetChangedAt().AsTime().Format(time.DateOnly)
			}
			rows = append(rows, []string{d.GetCollection(), term.Clean(d.GetName()), term.Clean(d.GetProduct()), changed, note})
		}
		if token = page.GetNextPageToken(); token == "" {
			break
		}
	}
	if !o.table.asJSON() {
		return o.table.print(f, []term.Column{{Title: "collection"}, {Title: "document"}, {Title: "product"}, {Title: "changed"}, {Title: "read"}}, rows)
	}
	return nil
}

func newDocumentsIngestCommand(f *Factory) *cobra.Command {
	remote := &remoteFlags{}
	cmd := &cobra.Command{
		Use:   "ingest COLLECTION",
		Short: "Read a collection of a server anew at once",
		Long: `Read the documents of a collection anew. A server looks at them by itself every
knowledge.check_every; this is for who does not want to wait.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDocumentsIngest(cmd.Context(), f, *remote, args[0])
		},
	}
	remote.add(cmd)
	return cmd
}

func runDocumentsIngest(ctx context.Context, f *Factory, remote remoteFlags, collection string) error {
	services, err := openServices(ctx, f, remote, noSource)
	if err != nil {
		return err
	}
	defer services.Close()
	stream, err := services.Knowledge.IngestDocuments(ctx, &knowledgev1.IngestDocumentsRequest{Collection: collection})
	if err != nil {
		return err
	}
	b := newBar(f)
	var last *knowledgev1.IngestDocumentsResponse
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.end()
			return err
		}
		b.step(int(m.GetDone()), int(m.GetTotal()), term.Clean(m.GetMessage()))
		last = m
	}
	b.end()
	fmt.Fprintf(f.IO.Out, "%s: %d documents, %d passages, %d unreadable\n", collection, last.GetDone(), last.GetPassages(), last.GetUnreadable())
	return nil
}
