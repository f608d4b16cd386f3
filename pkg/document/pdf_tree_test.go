package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/document"
)

// tree is a PDF of objects, of which the first is the catalog and the second the root of pages.
func tree(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF", len(objects)+1, start)
	return b.Bytes()
}

// TestTreesOfPages: pages are read in the order of their tree, however deep; one that leads back
// to itself ends.
func TestTreesOfPages(t *testing.T) {
	t.Parallel()
	const root, font = "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
	page := func(contents string) string {
		return "<< /Type /Page /Resources << /Font << /F1 3 0 R >> >> /Contents " + contents + " >>"
	}
	text := func(s string) string {
		show := "BT /F1 12 Tf (" + s + ") Tj ET"
		return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(show), show)
	}
	deep := tree(root, "<< /Type /Pages /Kids [4 0 R 5 0 R] /Count 3 >>", font, "<< /Type /Pages /Kids [6 0 R 7 0 R] /Count 2 >>",
		page("8 0 R"), page("9 0 R"), page("10 0 R"), text("third"), text("first"), text("second"))
	doc, err := document.Read(t.Context(), "a.pdf", deep, limits())
	require.NoError(t, err)
	var said []string
	for _, s := range doc.Sections {
		said = append(said, strings.TrimSpace(fmt.Sprint(s.Blocks)))
	}
	require.Len(t, said, 3)
	for i, want := range []string{"first", "second", "third"} {
		require.Contains(t, said[i], want)
	}
	for name, kids := range map[string]string{"itself": "[2 0 R]", "itself, twice over": "[2 0 R 2 0 R]", "itself, after a page": "[4 0 R 2 0 R]"} {
		_, err := document.Read(t.Context(), "a.pdf", tree(root, "<< /Type /Pages /Kids "+kids+" /Count 1 >>", font, page("5 0 R"), text("x")), limits())
		require.Error(t, err, name)
	}
}
