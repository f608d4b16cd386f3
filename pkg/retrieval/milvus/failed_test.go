package milvus

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval/remote"
)

// What a server says while it gathers itself is no refusal: the SDK hands on only its text.
func TestWhatTheServerSays(t *testing.T) {
	t.Parallel()
	c := &Client{server: remote.Server{Name: "Milvus"}}
	for said, want := range map[string]string{
		"service not ready[datacoord=1]: Initializing":          remote.ReasonUnavailable,
		"failed to search: channel not available[channel=a_v0]": remote.ReasonUnavailable,
		"collection not fully loaded[collection=4]":             remote.ReasonUnavailable,
		"flush: node not match[expectedNodeID=2]":               remote.ReasonUnavailable,
		"collection not loaded[collection=4]":                   remote.ReasonMissing,
		"collection not found[collection=4]":                    remote.ReasonMissing,
		"invalid parameter[expected=1][actual=2]":               remote.ReasonRefused,
	} {
		require.Equal(t, want, fault.ReasonOf(c.failed(t.Context(), errors.New(said))), said)
	}
}
