package config

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// Print writes the configuration as a configuration file: secrets are masked,
// and what is not a default says where it comes from.
func (c Config) Print(w io.Writer) error {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range c.Fields() {
		node := root
		path := strings.Split(f.Key, ".")
		for _, part := range path[:len(path)-1] {
			node = child(node, part)
		}
		value := &yaml.Node{}
		if err := value.Encode(printable(f)); err != nil {
			return fmt.Errorf("print %s: %w", f.Key, err)
		}
		if origin := c.Origin(f.Key); origin != "" {
			value.LineComment = origin
		}
		node.Content = append(node.Content, key(path[len(path)-1]), value)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func printable(f Field) any {
	switch f.Value.(type) {
	case []string, map[string]string, int, int64, float64, bool, uint32:
		return f.Value
	default:
		return f.Text()
	}
}

func child(node *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i+1]
		}
	}
	section := &yaml.Node{Kind: yaml.MappingNode}
	node.Content = append(node.Content, key(name), section)
	return section
}

func key(name string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: name} }
