package answer

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
)

// TestSentencesAndCodeAgree finds each key that the service says in the file,
// and each key of the file in the code.
func TestSentencesAndCodeAgree(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: time.Hour})
	require.NoError(t, err)
	var code string
	for _, pattern := range []string{"*.go", "../*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, f := range files {
			raw, err := os.ReadFile(f)
			require.NoError(t, err)
			code += string(raw)
		}
	}
	require.NotEmpty(t, w.messages)
	for key := range w.messages {
		require.Contains(t, code, `"`+key+`"`, "sentence %s is said nowhere", key)
	}
	said := regexp.MustCompile(`\b(?:Say\(l(?:ang\.English)?, |[^.]say\(|line\()"(\w+)"`).FindAllStringSubmatch(code, -1)
	require.NotEmpty(t, said)
	for _, m := range said {
		require.Contains(t, w.messages, m[1])
	}
}

func TestPlaceholdersAreFilled(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: time.Hour})
	require.NoError(t, err)
	names := regexp.MustCompile(`\{(\w+)\}`)
	for key, m := range w.messages {
		require.ElementsMatch(t, names.FindAllString(m.En, -1), names.FindAllString(m.Zh, -1), "sentence %s has other placeholders in Chinese", key)
	}
}

func TestInLanguage(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Orders", InLanguage("Orders\n订单明细", lang.English))
	require.Equal(t, "订单明细", InLanguage("Orders\n订单明细", lang.Chinese))
	require.Equal(t, "卖家编号", InLanguage("Seller / 卖家编号", lang.Chinese))
	require.Equal(t, "km / h", InLanguage("km / h", lang.Chinese))
	require.Equal(t, "", InLanguage("", lang.English))
}

func TestAgoAndLate(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: 36 * time.Hour})
	require.NoError(t, err)
	for d, want := range map[time.Duration]string{time.Second: "just now", 50 * time.Minute: "50 min ago", 5 * time.Hour: "5 h ago", 80 * time.Hour: "3 days ago"} {
		require.Equal(t, want, w.Ago(lang.English, d))
	}
	now := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	require.True(t, w.Late(&catalog.Table{UpdatedAt: now.Add(-40 * time.Hour)}, now))
	require.False(t, w.Late(&catalog.Table{}, now), "what is not known is not late")
	require.Equal(t, "-1", count(-1))
	require.Equal(t, "1,234,567", count(1234567))
}
