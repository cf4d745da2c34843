module moveos_std::consensus_codec {
    struct Decoder has copy, drop, store {
        data: vector<u8>,
    }

    struct Encoder has copy, drop, store {
        data: vector<u8>,
    }
}
