/// Bitcoin scripts: how to build them, and which pay to an address.
module bitcoin_move::script_buf {
    use std::vector;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use bitcoin_move::opcode;

    /// A public key of the wrong length.
    const ErrorInvalidKeySize: u64 = 1;
    /// A number past those of 63 bits.
    const ErrorNumberOverflow: u64 = 2;
    /// A hash of a key that is not 20 bytes.
    const ErrorInvalidPubkeyHash: u64 = 3;
    /// A hash of a script that is not 20 bytes.
    const ErrorInvalidScriptHash: u64 = 4;

    const HASH_SIZE: u64 = 20;
    const KEY_SIZE: u64 = 33;
    const X_ONLY_KEY_SIZE: u64 = 32;
    const MOST_NUMBER: u64 = 0x7fff_ffff_ffff_ffff;

    #[data_struct]
    struct ScriptBuf has copy, drop, store {
        bytes: vector<u8>,
    }

    /// An empty script.
    public fun empty(): ScriptBuf {
        new(vector[])
    }

    /// The script of these bytes.
    public fun new(bytes: vector<u8>): ScriptBuf {
        ScriptBuf { bytes }
    }

    /// The script of one operation.
    public fun single(opcode: u8): ScriptBuf {
        new(vector[opcode])
    }

    /// The script that pays to the hash of a key.
    public fun new_p2pkh(pubkey_hash: vector<u8>): ScriptBuf {
        assert!(vector::length(&pubkey_hash) == HASH_SIZE, ErrorInvalidPubkeyHash);
        let sb = new(vector[opcode::op_dup(), opcode::op_hash160()]);
        push_data(&mut sb, pubkey_hash);
        push_opcode(&mut sb, opcode::op_equalverify());
        push_opcode(&mut sb, opcode::op_checksig());
        sb
    }

    /// The script that pays to the hash of a script.
    public fun new_p2sh(script_hash: vector<u8>): ScriptBuf {
        assert!(vector::length(&script_hash) == HASH_SIZE, ErrorInvalidScriptHash);
        let sb = single(opcode::op_hash160());
        push_data(&mut sb, script_hash);
        push_opcode(&mut sb, opcode::op_equal());
        sb
    }

    /// The script that pays to an address.
    public fun script_pubkey(addr: &BitcoinAddress): ScriptBuf {
        let kind = bitcoin_address::pay_load_type(addr);
        let payload = bitcoin_address::pay_load(addr);
        if (kind == bitcoin_address::pay_load_type_pubkey_hash()) return new_p2pkh(payload);
        if (kind == bitcoin_address::pay_load_type_script_hash()) return new_p2sh(payload);
        let sb = single(small_number(*vector::borrow(&payload, 0)));
        push_data(&mut sb, vector::slice(&payload, 1, vector::length(&payload)));
        sb
    }

    /// Whether a script pays to an address; of a witness program's version nothing is asked.
    public fun match_script_pubkey(addr: &BitcoinAddress, sb: &ScriptBuf): bool {
        let kind = bitcoin_address::pay_load_type(addr);
        let payload = bitcoin_address::pay_load(addr);
        if (kind == bitcoin_address::pay_load_type_pubkey_hash()) {
            is_p2pkh(sb) && p2pkh_pubkey_hash(sb) == payload
        } else if (kind == bitcoin_address::pay_load_type_script_hash()) {
            is_p2sh(sb) && p2sh_script_hash(sb) == payload
        } else {
            let program = vector::slice(&payload, 1, vector::length(&payload));
            is_witness_program(sb) && witness_program(sb) == program
        }
    }

    /// Whether the script is empty.
    public fun is_empty(self: &ScriptBuf): bool {
        vector::is_empty(&self.bytes)
    }

    /// The bytes.
    public fun bytes(self: &ScriptBuf): &vector<u8> {
        &self.bytes
    }

    /// The bytes, by value.
    public fun into_bytes(self: ScriptBuf): vector<u8> {
        let ScriptBuf { bytes } = self;
        bytes
    }

    /// Whether it pays to the hash of a script.
    public fun is_p2sh(self: &ScriptBuf): bool {
        vector::length(&self.bytes) == HASH_SIZE + 3
            && at(self, 0) == opcode::op_hash160()
            && at(self, 1) == (HASH_SIZE as u8)
            && at(self, HASH_SIZE + 2) == opcode::op_equal()
    }

    /// The hash that a script of the above form pays to.
    public fun p2sh_script_hash(self: &ScriptBuf): vector<u8> {
        vector::slice(&self.bytes, 2, HASH_SIZE + 2)
    }

    /// Whether it pays to the hash of a key.
    public fun is_p2pkh(self: &ScriptBuf): bool {
        vector::length(&self.bytes) == HASH_SIZE + 5
            && at(self, 0) == opcode::op_dup()
            && at(self, 1) == opcode::op_hash160()
            && at(self, 2) == (HASH_SIZE as u8)
            && at(self, HASH_SIZE + 3) == opcode::op_equalverify()
            && at(self, HASH_SIZE + 4) == opcode::op_checksig()
    }

    /// The hash that a script of the above form pays to.
    public fun p2pkh_pubkey_hash(self: &ScriptBuf): vector<u8> {
        vector::slice(&self.bytes, 3, HASH_SIZE + 3)
    }

    /// Whether it pays to a witness program: a small number, then one push of 2 to 40 bytes and nothing else. The
    /// script must have a byte, and two if the first is such a number.
    public fun is_witness_program(self: &ScriptBuf): bool {
        let version = at(self, 0);
        if (version != opcode::op_0() && (version < opcode::op_pushnum_1() || version > opcode::op_pushnum_16())) {
            return false
        };
        let push = at(self, 1);
        push >= 2 && push <= 40 && push == ((vector::length(&self.bytes) - 2) as u8)
    }

    /// The program of a script of the above form.
    public fun witness_program(self: &ScriptBuf): vector<u8> {
        vector::slice(&self.bytes, 2, vector::length(&self.bytes))
    }

    /// Whether nobody can spend what it is paid.
    public fun is_op_return(self: &ScriptBuf): bool {
        !is_empty(self) && at(self, 0) == opcode::op_return()
    }

    /// Appends an operation.
    public fun push_opcode(self: &mut ScriptBuf, opcode: u8) {
        vector::push_back(&mut self.bytes, opcode);
    }

    /// Appends a push of these bytes. Of a length of 65536 or more three bytes are written, not four, as on the
    /// networks that run release 27: Bitcoin allows no such push.
    public fun push_data(self: &mut ScriptBuf, data: vector<u8>) {
        let length = vector::length(&data);
        if (length > 0xffff) {
            push_opcode(self, opcode::op_pushdata4());
        } else if (length > 0xff) {
            push_opcode(self, opcode::op_pushdata2());
        } else if (length > 75) {
            push_opcode(self, opcode::op_pushdata1());
        };
        push_opcode(self, ((length & 0xff) as u8));
        if (length > 0xffff) push_opcode(self, (((length >> 8) & 0xff) as u8));
        if (length > 0xff) {
            let high = if (length > 0xffff) length >> 16 else length >> 8;
            push_opcode(self, (high as u8));
        };
        vector::append(&mut self.bytes, data);
    }

    /// Appends a push of a number, in the shortest form.
    public fun push_int(self: &mut ScriptBuf, n: u64) {
        assert!(n <= MOST_NUMBER, ErrorNumberOverflow);
        if (n <= 16) {
            push_opcode(self, small_number((n as u8)));
            return
        };
        let data = vector[];
        while (n > 0) {
            vector::push_back(&mut data, ((n & 0xff) as u8));
            n = n >> 8;
        };
        // The last byte's highest bit is the sign.
        if (*vector::borrow(&data, vector::length(&data) - 1) >= 0x80) vector::push_back(&mut data, 0);
        push_data(self, data);
    }

    /// Appends a push of a compressed public key.
    public fun push_key(self: &mut ScriptBuf, key: vector<u8>) {
        assert!(vector::length(&key) == KEY_SIZE, ErrorInvalidKeySize);
        push_data(self, key);
    }

    /// Appends a push of a public key without the byte of its parity.
    public fun push_x_only_key(self: &mut ScriptBuf, key: vector<u8>) {
        assert!(vector::length(&key) == X_ONLY_KEY_SIZE, ErrorInvalidKeySize);
        push_data(self, key);
    }

    fun at(self: &ScriptBuf, i: u64): u8 {
        *vector::borrow(&self.bytes, i)
    }

    /// The operation that pushes a number of at most 16.
    fun small_number(n: u8): u8 {
        if (n == 0) opcode::op_0() else opcode::op_pushnum_1() + n - 1
    }
}
