package vector_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// letters embeds a text as its length and the number of its vowels, and counts
// what it is asked.
type letters struct {
	name  string
	asked []string
	fail  error
	dim   int
}

func (l *letters) Name() string                    { return l.name }
func (l *letters) Dim() int                        { return 2 }
func (l *letters) Calibration() vector.Calibration { return vector.Calibration{} }
func (l *letters) Embed(_ context.Context, texts []string) ([][]float32, error) {
	l.asked = append(l.asked, texts...)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = []float32{float32(len(text)), float32(len(bytes.Join(bytes.FieldsFunc([]byte(text), func(r rune) bool { return !bytes.ContainsRune([]byte("aeiou"), r) }), nil)))}
		if l.dim != 0 {
			out[i] = make([]float32, l.dim)
		}
	}
	return out, l.fail
}

func TestStoreEmbedsATextOnce(t *testing.T) {
	t.Parallel()
	e := &letters{name: "letters"}
	set, store, err := (*vector.Store)(nil).Embed(t.Context(), e, []string{"orders", "items", "orders"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"orders", "items"}, e.asked)
	require.Equal(t, []float32{6, 2, 5, 2, 6, 2}, set.Data)

	var saved bytes.Buffer
	require.NoError(t, store.Write(&saved))
	store, err = vector.ReadStore(&saved)
	require.NoError(t, err)

	var told []int
	set, store, err = store.Embed(t.Context(), e, []string{"items", "gmv"}, func(done, total int) { told = append(told, done, total) })
	require.NoError(t, err)
	require.Equal(t, []string{"orders", "items", "gmv"}, e.asked, "only the new text is asked for")
	require.Equal(t, []float32{5, 2, 3, 0}, set.Data)
	require.Equal(t, 2, store.Len(), "what is not asked for any more is dropped")
	require.Equal(t, []int{1, 2, 2, 2}, told)

	other := &letters{name: "others"}
	_, _, err = store.Embed(t.Context(), other, []string{"items"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"items"}, other.asked, "vectors of another embedder are not taken")
}

func TestStorePassesErrorsOn(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	_, _, err := (*vector.Store)(nil).Embed(t.Context(), &letters{fail: down}, []string{"a"}, nil)
	require.ErrorIs(t, err, down)
	_, _, err = (*vector.Store)(nil).Embed(t.Context(), &letters{dim: 3}, []string{"a"}, nil)
	require.ErrorContains(t, err, "dimension 3 instead of 2")
}

func TestStoreNoticesDamage(t *testing.T) {
	t.Parallel()
	_, store, err := (*vector.Store)(nil).Embed(t.Context(), &letters{}, []string{"a", "b"}, nil)
	require.NoError(t, err)
	var saved bytes.Buffer
	require.NoError(t, store.Write(&saved))
	for n := range saved.Len() {
		_, err := vector.ReadStore(bytes.NewReader(saved.Bytes()[:n]))
		require.ErrorIs(t, err, vector.ErrDamaged, "cut at %d", n)
		changed := bytes.Clone(saved.Bytes())
		changed[n] ^= 1
		_, err = vector.ReadStore(bytes.NewReader(changed))
		require.ErrorIs(t, err, vector.ErrDamaged, "changed at %d", n)
	}
}
