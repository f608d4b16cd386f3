package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/dibrain/dibrain/internal/term"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

func newToolsCommand(f *Factory) *cobra.Command {
	var remote remoteFlags
	var table tableFlags
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that the router can call, with the schemas of their arguments",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			services, err := openServices(cmd.Context(), f, remote, noSource)
			if err != nil {
				return err
			}
			defer services.Close()
			response, err := services.Router.ListTools(cmd.Context(), &routerv1.ListToolsRequest{})
			if err != nil {
				return err
			}
			if table.asJSON() {
				return writeFunctions(f, response.GetTools())
			}
			var rows [][]string
			for _, t := range response.GetTools() {
				served := "yes"
				if !t.GetServed() {
					served = "no"
				}
				rows = append(rows, []string{t.GetName(), served, t.GetDescription()})
			}
			return table.print(f, []term.Column{{Title: "tool", Whole: true}, {Title: "served"}, {Title: "what it does"}}, rows)
		},
	}
	remote.add(cmd)
	table.add(cmd, "print the tools as OpenAI function schemas")
	return cmd
}

// function is a tool in the form in which OpenAI's protocol takes it.
type function struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters,omitempty"`
	} `json:"function"`
}

// writeFunctions prints the tools as a request of that protocol holds them.
func writeFunctions(f *Factory, tools []*routerv1.Tool) error {
	all := make([]function, len(tools))
	for i, t := range tools {
		all[i].Type = "function"
		all[i].Function.Name, all[i].Function.Description, all[i].Function.Parameters = t.GetName(), t.GetDescription(), t.GetArgumentsSchema().AsMap()
	}
	out := json.NewEncoder(f.IO.Out)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(map[string]any{"tools": all})
}
