/// Ethereum's recursive length prefix: structs and vectors are lists, bytes and addresses strings, integers the shortest
/// big-endian bytes.
module moveos_std::rlp {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorRLPSerializationFailure: u64 = 1;
    #[test_only] const ErrorRLPDeserializationFailure: u64 = 2;

    /// The encoding of a value; aborts with 1 where there is none.
    native public fun to_bytes<MoveValue>(value: &MoveValue): vector<u8>;

    #[data_struct(MoveValue)]
    /// A value of a plain data type; aborts with 2 unless the bytes are one.
    public native fun from_bytes<MoveValue>(bytes: vector<u8>): MoveValue;
}
