package lsp

// The messages of the Language Server Protocol 3.17 that the server takes and sends, with
// the fields that it uses. Lines and characters are from 0; characters are UTF-16 units.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

type openParams struct {
	TextDocument struct {
		documentID
		Text string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	TextDocument   documentID `json:"textDocument"`
	ContentChanges []struct {
		Range *span  `json:"range"`
		Text  string `json:"text"`
	} `json:"contentChanges"`
}

type documentParams struct {
	TextDocument documentID `json:"textDocument"`
	Range        span       `json:"range"`    // of textDocument/codeAction
	Position     position   `json:"position"` // of textDocument/hover
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// Severities of diagnostics.
const (
	severityError   = 1
	severityWarning = 2
)

type publishParams struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type codeAction struct {
	Title       string `json:"title"`
	Kind        string `json:"kind"`
	IsPreferred bool   `json:"isPreferred,omitempty"`
	Edit        struct {
		Changes map[string][]textEdit `json:"changes"`
	} `json:"edit"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

// markup is text; plain, because catalogs are written by others.
type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type showMessage struct {
	Type    int    `json:"type"` // 1: an error
	Message string `json:"message"`
}

type initializeResult struct {
	Capabilities struct {
		TextDocumentSync           int  `json:"textDocumentSync"` // 1: whole documents
		DocumentFormattingProvider bool `json:"documentFormattingProvider"`
		CodeActionProvider         bool `json:"codeActionProvider"`
		HoverProvider              bool `json:"hoverProvider"`
	} `json:"capabilities"`
	ServerInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}
