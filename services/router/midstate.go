package router

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
)

// midState is what a client that keeps no session id needs to carry on. What is
// stored under the session wins over anything that a client could send.
type midState struct {
	SessionID string `json:"session_id"`
	ChatID    string `json:"chat_id"`
	RunID     string `json:"run_id"`
}

// writeMidState signs the state for its principal.
func (s *Service) writeMidState(p run.Principal, state midState) string {
	raw, err := json.Marshal(state)
	if err != nil { // texts only: it always marshals
		return ""
	}
	enc := base64.RawURLEncoding
	return enc.EncodeToString(raw) + "." + enc.EncodeToString(s.sign(p, raw))
}

func (s *Service) readMidState(p run.Principal, text string) (midState, error) {
	bad := fault.Invalid("turn.mid_state", "MID_STATE_INVALID",
		"The state is not one that this server gave to you, or it was changed. Send mid_state as the last answer had it, or a session_id, or neither.")
	body, mark, ok := strings.Cut(text, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if !ok || err != nil {
		return midState{}, bad
	}
	signature, err := base64.RawURLEncoding.DecodeString(mark)
	if err != nil || !hmac.Equal(signature, s.sign(p, raw)) {
		return midState{}, bad
	}
	var state midState
	if err := json.Unmarshal(raw, &state); err != nil {
		return midState{}, bad.Because(err)
	}
	return state, nil
}

func (s *Service) sign(p run.Principal, raw []byte) []byte {
	mac := hmac.New(sha256.New, s.config().Secret)
	mac.Write([]byte("mid_state\x00" + p.ID + "\x00"))
	mac.Write(raw)
	return mac.Sum(nil)
}
