package coding

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// Packer makes the outputs of tool calls smaller. It is safe for concurrent use.
type Packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// Zstd is how an output that was packed is coded; one that was not has "".
const Zstd = "zstd"

// PackFrom is the size, in bytes, from which packing is worth its time.
const PackFrom = 1 << 10

// maxUnpacked bounds what an output may come to, whatever a damaged one says.
const maxUnpacked = 256 << 20

// NewPacker returns a packer; Close gives back what it holds.
func NewPacker() (Packer, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return Packer{}, fmt.Errorf("make the packer of outputs: %w", err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecoderLowmem(true))
	if err != nil {
		return Packer{}, fmt.Errorf("make the unpacker of outputs: %w", err)
	}
	return Packer{encoder: e, decoder: d}, nil
}

// Pack returns an output as it is stored, and how it is coded.
func (p Packer) Pack(output []byte) (stored []byte, coding string) {
	if len(output) < PackFrom {
		return output, ""
	}
	packed := p.encoder.EncodeAll(output, make([]byte, 0, len(output)/2))
	if len(packed) >= len(output) {
		return output, ""
	}
	return packed, Zstd
}

// Unpack returns an output of what Pack made of it.
func (p Packer) Unpack(stored []byte, coding string) ([]byte, error) {
	switch coding {
	case "":
		return stored, nil
	case Zstd:
		out, err := p.decoder.DecodeAll(stored, nil)
		if err != nil {
			return nil, fmt.Errorf("unpack an output: %w", err)
		}
		return out, nil
	default:
		return nil, fmt.Errorf("an output is coded as %q, which this version does not read", coding)
	}
}

// Close gives back what the packer holds; a zero Packer holds nothing.
func (p Packer) Close() {
	if p.decoder != nil {
		p.decoder.Close()
	}
}
