package llm

import (
	"context"

	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// parser reads questions over a written layer by the model. Without one, what the
// rules read is enough: the generator works on the question itself.
type parser struct {
	*desk
	pipeline *pipeline.Pipeline
	rules    team.Parser
}

// Parse implements team.Parser.
func (p parser) Parse(ctx context.Context, b *team.Board) (team.Reading, error) {
	return p.rules.Parse(ctx, b)
}
