// Package docs holds this project's documents, from which the product answers
// questions about itself.
package docs

import "embed"

// Files are the pages for users, by name.
//
//go:embed *.md
var Files embed.FS
