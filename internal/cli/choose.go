package cli

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// maxChoices bounds the questions back that one `ask` answers by keys.
const maxChoices = 5

// maxKeys is how many options have a key of one digit.
const maxKeys = 9

// choose lets a person at a terminal take an option by its key, and prints what comes of
// it. Any other key leaves the question as it is. Without a terminal it does nothing.
func choose(ctx context.Context, f *Factory, s *services, o *askOptions, turn *routerv1.Turn, a *routerv1.Answer) (*routerv1.Answer, error) {
	for range maxChoices {
		if !a.GetAskHuman() {
			return a, nil
		}
		option, err := pressed(f, a.GetQuestion().GetOptions(), a.GetLanguage() == commonv1.Language_LANGUAGE_ZH)
		if err != nil || option == nil {
			return a, err
		}
		next := proto.CloneOf(turn)
		next.SessionId, next.ChosenOptionId, next.Question = a.GetSessionId(), option.GetId(), option.GetLabel()
		next.RunAgain = "" // the answer is to what that run asked
		steps := newStepLine(f)
		result, err := runTurn(ctx, s.Router, next, steps)
		steps.clear()
		if err != nil {
			return a, &outcomeError{err}
		}
		if err := printAnswer(ctx, f, s, o, result); err != nil {
			return a, err
		}
		a = result
	}
	return a, nil
}

// pressed is the option whose key a person presses at a terminal; nil: none, or nothing was
// asked, or there is nobody to press one.
func pressed(f *Factory, options []*commonv1.Option, chinese bool) (*commonv1.Option, error) {
	if f.IO.Key == nil || !f.IO.IsTTY || !f.IO.InTTY || len(options) == 0 || len(options) > maxKeys {
		return nil, nil //nolint:nilnil // no key is no mistake
	}
	hint := "press 1–%d to choose, any other key to leave it"
	if chinese {
		hint = "按 1–%d 选择，按其他键结束"
	}
	fmt.Fprintln(f.IO.Out, f.style().Dim(fmt.Sprintf(hint, len(options))))
	key, err := f.IO.Key()
	n := int(key - '0')
	if err != nil || n < 1 || n > len(options) {
		return nil, err
	}
	return options[n-1], nil
}
