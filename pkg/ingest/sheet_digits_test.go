package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNumbersOfSheetsAsTyped: a stored fraction is the number of at most 15 digits that it was typed as; whole
// numbers, also keys of more digits, and what is far from one stay as they are stored.
func TestNumbersOfSheetsAsTyped(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		"8.6999999999999993": "8.7", "9.800000000000001": "9.8", "0.1": "0.1", "-1234.5600000000001": "-1234.56", "0.33333333333333331": "0.333333333333333",
		"12345678901234567": "12345678901234567", "7": "7", "1.5E+300": "1.5E+300", "1.0000000000000001E-2": "0.01", "0.0": "0.0",
	} {
		require.Equal(t, want, asTyped(stored), stored)
	}
}
