package rpc

import (
	"context"
	"errors"
	"fmt"

	"buf.build/go/protovalidate"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
)

const (
	maxViolations       = 16
	maxDescriptionBytes = 512
)

// validateLink checks every request against the rules of its proto.
func validateLink(v protovalidate.Validator) Link {
	return Link{Name: linkValidate, After: []string{linkAuth}, Message: func(_ context.Context, d Direction, m any) error {
		msg, ok := m.(proto.Message)
		if d != Received || !ok {
			return nil
		}
		err := v.Validate(msg)
		if err == nil {
			return nil
		}
		var invalid *protovalidate.ValidationError
		if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
			return fmt.Errorf("validate %s: %w", msg.ProtoReflect().Descriptor().FullName(), err)
		}
		return &requestError{violations: fieldViolations(invalid)}
	}}
}

func fieldViolations(invalid *protovalidate.ValidationError) []*errdetails.BadRequest_FieldViolation {
	violations := make([]*errdetails.BadRequest_FieldViolation, 0, min(len(invalid.Violations), maxViolations))
	for _, v := range invalid.Violations[:min(len(invalid.Violations), maxViolations)] {
		description := v.Proto.GetMessage()
		if description == "" {
			description = v.Proto.GetRuleId()
		}
		violations = append(violations, &errdetails.BadRequest_FieldViolation{
			Field:       protovalidate.FieldPathString(v.Proto.GetField()),
			Description: lang.Clip(description, maxDescriptionBytes),
			Reason:      "REQUEST_INVALID",
		})
	}
	return violations
}

// sizeLink refuses answers that the transport would refuse with less clear words.
func sizeLink(maxBytes int) Link {
	return Link{Name: linkSize, After: []string{linkMask}, Message: func(_ context.Context, d Direction, m any) error {
		msg, ok := m.(proto.Message)
		if d != Sent || !ok {
			return nil
		}
		if n := proto.Size(msg); n > maxBytes {
			return fault.New(codes.ResourceExhausted, "RESPONSE_TOO_LARGE", fmt.Sprintf(
				"The answer has %d bytes and may have %d. Ask for less: a smaller page, fewer tables or columns.", n, maxBytes))
		}
		return nil
	}}
}
