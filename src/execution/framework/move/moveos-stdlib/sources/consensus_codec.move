/// Bitcoin's serialization: little-endian integers, lengths as compact sizes.
module moveos_std::consensus_codec {
    use std::vector;

    /// A compact size that has a shorter form.
    const ErrorNonMinimalVarInt: u64 = 2;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidLength: u64 = 1;
    #[test_only] const ErrorOutOfRange: u64 = 3;

    struct Encoder has copy, drop, store {
        data: vector<u8>,
    }

    /// The bytes that are left, last one first, so that reading is popping.
    struct Decoder has copy, drop, store {
        data: vector<u8>,
    }

    /// Writes from nothing.
    public fun encoder(): Encoder {
        Encoder { data: vector[] }
    }

    /// Reads `data` from its start.
    public fun decoder(data: vector<u8>): Decoder {
        vector::reverse(&mut data);
        Decoder { data }
    }

    /// What was written.
    public fun unpack_encoder(encoder: Encoder): vector<u8> {
        let Encoder { data } = encoder;
        data
    }

    /// What was not read.
    public fun unpack_decoder(decoder: Decoder): vector<u8> {
        let Decoder { data } = decoder;
        vector::reverse(&mut data);
        data
    }

    // ---- writing ----

    /// Eight bytes.
    public fun emit_u64(encoder: &mut Encoder, v: u64) {
        emit_bytes(encoder, v, 8)
    }

    /// Four bytes.
    public fun emit_u32(encoder: &mut Encoder, v: u32) {
        emit_bytes(encoder, (v as u64), 4)
    }

    /// Two bytes.
    public fun emit_u16(encoder: &mut Encoder, v: u16) {
        emit_bytes(encoder, (v as u64), 2)
    }

    /// One byte.
    public fun emit_u8(encoder: &mut Encoder, v: u8) {
        vector::push_back(&mut encoder.data, v)
    }

    /// One byte, 0 or 1.
    public fun emit_bool(encoder: &mut Encoder, v: bool) {
        emit_u8(encoder, if (v) 1 else 0)
    }

    /// A compact size: one byte up to 0xfc, or a byte that tells the width and the number.
    public fun emit_var_int(encoder: &mut Encoder, v: u64) {
        if (v < 0xfd) {
            emit_bytes(encoder, v, 1)
        } else if (v <= 0xffff) {
            emit_u8(encoder, 0xfd);
            emit_bytes(encoder, v, 2)
        } else if (v <= 0xffff_ffff) {
            emit_u8(encoder, 0xfe);
            emit_bytes(encoder, v, 4)
        } else {
            emit_u8(encoder, 0xff);
            emit_bytes(encoder, v, 8)
        }
    }

    /// Bytes after their number.
    public fun emit_var_slice(encoder: &mut Encoder, v: vector<u8>) {
        emit_var_int(encoder, vector::length(&v));
        vector::append(&mut encoder.data, v)
    }

    fun emit_bytes(encoder: &mut Encoder, value: u64, count: u8) {
        while (count > 0) {
            vector::push_back(&mut encoder.data, ((value & 0xff) as u8));
            value = value >> 8;
            count = count - 1;
        }
    }

    // ---- reading: beyond the end, the machine's vector error ----

    /// A compact size; aborts where it has a shorter form.
    public fun peel_var_int(decoder: &mut Decoder): u64 {
        let first = peel_u8(decoder);
        if (first < 0xfd) return (first as u64);
        let (width, least) = if (first == 0xfd) (2, 0xfd) else if (first == 0xfe) (4, 0x1_0000) else (8, 0x1_0000_0000);
        let value = peel_bytes(decoder, width);
        assert!(value >= least, ErrorNonMinimalVarInt);
        value
    }

    /// Bytes after their number; fewer where the data ends.
    public fun peel_var_slice(decoder: &mut Decoder): vector<u8> {
        let count = peel_var_int(decoder);
        let left = vector::length(&decoder.data);
        vector::trim_reverse(&mut decoder.data, if (count < left) left - count else 0)
    }

    /// One byte, which is true unless it is 0.
    public fun peel_bool(decoder: &mut Decoder): bool {
        peel_u8(decoder) != 0
    }

    /// Eight bytes.
    public fun peel_u64(decoder: &mut Decoder): u64 {
        peel_bytes(decoder, 8)
    }

    /// Four bytes.
    public fun peel_u32(decoder: &mut Decoder): u32 {
        (peel_bytes(decoder, 4) as u32)
    }

    /// Two bytes.
    public fun peel_u16(decoder: &mut Decoder): u16 {
        (peel_bytes(decoder, 2) as u16)
    }

    /// One byte.
    public fun peel_u8(decoder: &mut Decoder): u8 {
        vector::pop_back(&mut decoder.data)
    }

    fun peel_bytes(decoder: &mut Decoder, count: u8): u64 {
        let value = 0;
        let shift = 0;
        while (shift < count * 8) {
            value = value | (peel_u8(decoder) as u64) << shift;
            shift = shift + 8;
        };
        value
    }
}
