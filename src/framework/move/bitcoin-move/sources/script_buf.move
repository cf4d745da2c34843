module bitcoin_move::script_buf {
    #[data_struct]
    struct ScriptBuf has copy, drop, store {
        bytes: vector<u8>,
    }
}
