package outside

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestMessagesWithAFormOfTheirOwn: the schema of each says the JSON that is read as it, and
// not the fields that the message has.
func TestMessagesWithAFormOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		message  proto.Message
		kind     any
		json     string
		notThose string
	}{
		{&timestamppb.Timestamp{}, "string", `"2026-05-04T03:02:01Z"`, `1`}, {&durationpb.Duration{}, "string", `"1s"`, `1`},
		{&fieldmaskpb.FieldMask{}, "string", `"a,b"`, `{}`}, {&wrapperspb.StringValue{}, "string", `"a"`, `{}`}, {&wrapperspb.BytesValue{}, "string", `"YQ=="`, `{}`},
		{&structpb.Struct{}, "object", `{"a":1}`, `[]`}, {&structpb.ListValue{}, "array", `[1]`, `{}`}, {&wrapperspb.BoolValue{}, "boolean", `true`, `"true"`},
		{&wrapperspb.Int32Value{}, "integer", `1`, `1.5`}, {&wrapperspb.UInt32Value{}, "integer", `1`, `-1`}, {&wrapperspb.Int64Value{}, "integer", `1`, `1.5`},
		{&wrapperspb.UInt64Value{}, "integer", `1`, `-1`}, {&wrapperspb.FloatValue{}, "number", `1.5`, `{}`}, {&wrapperspb.DoubleValue{}, "number", `1.5`, `{}`},
		{&structpb.Value{}, nil, `[1]`, `{`},
	} {
		name := c.message.ProtoReflect().Descriptor().FullName()
		schema := messageSchema(c.message.ProtoReflect().Descriptor(), 1)
		require.Equal(t, c.kind, schema["type"], name)
		require.NotContains(t, schema, "properties", name)
		require.NoError(t, protojson.Unmarshal([]byte(c.json), c.message), name)
		require.Error(t, protojson.Unmarshal([]byte(c.notThose), c.message), name)
	}
	require.Equal(t, map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false}, messageSchema((&emptypb.Empty{}).ProtoReflect().Descriptor(), 1))
}
