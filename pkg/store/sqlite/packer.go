package sqlite

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// packer makes the outputs of tool calls smaller.
type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

const (
	codingZstd = "zstd"
	// packFrom is the size, in bytes, from which packing is worth its time.
	packFrom = 1 << 10
	// maxUnpacked bounds what an output may come to, whatever a damaged one says.
	maxUnpacked = 256 << 20
)

func newPacker() (packer, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return packer{}, fmt.Errorf("make the packer of outputs: %w", err)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecoderLowmem(true))
	if err != nil {
		return packer{}, fmt.Errorf("make the unpacker of outputs: %w", err)
	}
	return packer{encoder: e, decoder: d}, nil
}

// pack returns an output as it is stored, and how it is coded.
func (p packer) pack(output []byte) (stored []byte, coding string) {
	if len(output) < packFrom {
		return output, ""
	}
	packed := p.encoder.EncodeAll(output, make([]byte, 0, len(output)/2))
	if len(packed) >= len(output) {
		return output, ""
	}
	return packed, codingZstd
}

func (p packer) unpack(stored []byte, coding string) ([]byte, error) {
	switch coding {
	case "":
		return stored, nil
	case codingZstd:
		out, err := p.decoder.DecodeAll(stored, nil)
		if err != nil {
			return nil, fmt.Errorf("unpack an output: %w", err)
		}
		return out, nil
	default:
		return nil, fmt.Errorf("an output is coded as %q, which this version does not read", coding)
	}
}

func (p packer) close() {
	if p.decoder != nil {
		p.decoder.Close()
	}
}
