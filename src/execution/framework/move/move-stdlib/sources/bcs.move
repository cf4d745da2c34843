/// Binary canonical serialization, the one encoding in which values are stored, hashed and passed. Reading it back is in
/// `moveos_std::bcs`.
module std::bcs {
    /// The encoding of a value.
    public native fun to_bytes<MoveValue>(v: &MoveValue): vector<u8>;
}
