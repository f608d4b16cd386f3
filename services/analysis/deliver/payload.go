package deliver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/services/analysis/watch"
)

// Bounds of a message: what the chats take, with room for their own framing.
const (
	maxLines     = 40
	maxLineRunes = 600
)

// lines are the sentences of a message, as plain text: whatever the data holds.
func lines(m watch.Message) []string {
	var out []string
	add := func(text string) {
		if text = strings.TrimSpace(prose.Line(prose.Visible(text))); text != "" && len(out) < maxLines {
			out = append(out, lang.Shorten(text, maxLineRunes))
		}
	}
	for _, f := range m.Findings {
		add("• " + f)
	}
	for _, s := range m.Summary {
		add(s)
	}
	add(m.Language.Pick("All of it: ", "完整报告：") + "dibrain analyze report " + m.AnalysisID)
	return out
}

func title(m watch.Message) string {
	head := m.Watch
	if m.Title != "" && m.Title != m.Watch {
		head += ": " + m.Title
	}
	return lang.Shorten(strings.TrimSpace(prose.Line(prose.Visible(head))), 200)
}

// slackText is text that does nothing in Slack: no mention, no link.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// payload is the body that a kind of webhook takes.
func payload(kind Kind, secret string, m watch.Message, now time.Time) ([]byte, error) {
	type object = map[string]any
	head, text := title(m), lines(m)
	switch kind {
	case Slack:
		// plain_text is drawn as it stands; "text" is what a notification shows.
		blocks := []object{{"type": "header", "text": object{"type": "plain_text", "text": lang.Shorten(head, 140), "emoji": false}}}
		for _, line := range text {
			blocks = append(blocks, object{"type": "section", "text": object{"type": "plain_text", "text": line, "emoji": false}})
		}
		return json.Marshal(object{"text": slackText.Replace(head), "blocks": blocks})
	case Teams:
		// Runs of a RichTextBlock are no Markdown.
		body := []object{{"type": "RichTextBlock", "inlines": []object{{"type": "TextRun", "text": head, "weight": "Bolder", "size": "Medium"}}}}
		for _, line := range text {
			body = append(body, object{"type": "RichTextBlock", "inlines": []object{{"type": "TextRun", "text": line}}})
		}
		return json.Marshal(object{"type": "message", "attachments": []object{{
			"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil,
			"content": object{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body},
		}}})
	case Feishu:
		// A text of a post is drawn as it stands; a mention would be a tag of its own.
		content := make([][]object, 0, len(text))
		for _, line := range text {
			content = append(content, []object{{"tag": "text", "text": line}})
		}
		locale := m.Language.Pick("en_us", "zh_cn")
		out := object{"msg_type": "post", "content": object{"post": object{locale: object{"title": head, "content": content}}}}
		if secret != "" {
			at := strconv.FormatInt(now.Unix(), 10)
			mac := hmac.New(sha256.New, []byte(at+"\n"+secret)) // of nothing, as Feishu has it
			out["timestamp"], out["sign"] = at, base64.StdEncoding.EncodeToString(mac.Sum(nil))
		}
		return json.Marshal(out)
	}
	return json.Marshal(object{
		"id": m.ID, "watch": m.Watch, "title": m.Title, "at": m.At.UTC().Format(time.RFC3339), "analysis_id": m.AnalysisID,
		"findings": orEmpty(m.Findings), "summary": orEmpty(m.Summary),
	})
}

func orEmpty(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
