/// What Bitcoin blocks are made of. Hashes are addresses of the same bytes.
module bitcoin_move::types {
    use std::option::{Self, Option};
    use std::vector;
    use moveos_std::address;
    use moveos_std::bcs;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use bitcoin_move::bitcoin_hash;
    use bitcoin_move::script_buf::{Self, ScriptBuf};

    /// Index of the output that a block's first transaction spends.
    const NO_INDEX: u32 = 0xffff_ffff;

    #[data_struct]
    struct Block has copy, drop, store {
        header: Header,
        txdata: vector<Transaction>,
    }

    #[data_struct]
    struct Header has copy, drop, store {
        version: u32,
        prev_blockhash: address,
        merkle_root: address,
        time: u32,
        bits: u32,
        nonce: u32,
    }

    #[data_struct]
    struct Transaction has copy, drop, store {
        id: address,
        version: u32,
        lock_time: u32,
        input: vector<TxIn>,
        output: vector<TxOut>,
    }

    #[data_struct]
    struct TxIn has copy, drop, store {
        previous_output: OutPoint,
        script_sig: vector<u8>,
        sequence: u32,
        witness: Witness,
    }

    #[data_struct]
    struct Witness has copy, drop, store {
        witness: vector<vector<u8>>,
    }

    #[data_struct]
    /// An output of a transaction by the transaction's number and its index.
    struct OutPoint has copy, drop, store {
        txid: address,
        vout: u32,
    }

    #[data_struct]
    /// An output; the address is empty where the script pays to none.
    struct TxOut has copy, drop, store {
        value: u64,
        script_pubkey: ScriptBuf,
        recipient_address: BitcoinAddress,
    }

    #[data_struct]
    struct BlockHeightHash has copy, drop, store {
        block_height: u64,
        block_hash: address,
    }

    #[data_struct]
    /// A sibling on the way from a leaf to the root of a Merkle tree.
    struct ProofNode has copy, drop, store {
        hash: address,
        is_left: bool,
    }

    #[data_struct]
    struct MerkleProof has copy, drop, store {
        proof: vector<ProofNode>,
    }

    /// A block's header.
    public fun header(self: &Block): &Header { &self.header }

    /// A block's transactions.
    public fun txdata(self: &Block): &vector<Transaction> { &self.txdata }

    /// A block's header and transactions.
    public fun unpack_block(self: Block): (Header, vector<Transaction>) {
        let Block { header, txdata } = self;
        (header, txdata)
    }

    /// A header's version.
    public fun version(self: &Header): u32 { self.version }

    /// The hash of the block before.
    public fun prev_blockhash(self: &Header): address { self.prev_blockhash }

    /// The root of the tree of transactions.
    public fun merkle_root(self: &Header): address { self.merkle_root }

    /// A header's time in seconds.
    public fun time(self: &Header): u32 { self.time }

    /// A header's target, compact.
    public fun bits(self: &Header): u32 { self.bits }

    /// A header's number that makes its hash small.
    public fun nonce(self: &Header): u32 { self.nonce }

    /// The 80 bytes of a header: each field's own, in order.
    public fun header_to_bytes(self: &Header): vector<u8> {
        bcs::to_bytes(self)
    }

    /// A block's hash.
    public fun header_to_hash(self: &Header): address {
        bitcoin_hash::sha256d(header_to_bytes(self))
    }

    /// A transaction's number: its hash without witnesses.
    public fun tx_id(self: &Transaction): address { self.id }

    /// A transaction's version.
    public fun tx_version(self: &Transaction): u32 { self.version }

    /// The height or time before which a transaction is not valid.
    public fun tx_lock_time(self: &Transaction): u32 { self.lock_time }

    /// A transaction's inputs.
    public fun tx_input(self: &Transaction): &vector<TxIn> { &self.input }

    /// A transaction's outputs.
    public fun tx_output(self: &Transaction): &vector<TxOut> { &self.output }

    /// The output that an input spends.
    public fun txin_previous_output(self: &TxIn): &OutPoint { &self.previous_output }

    /// An input's script.
    public fun txin_script_sig(self: &TxIn): &vector<u8> { &self.script_sig }

    /// An input's sequence number.
    public fun txin_sequence(self: &TxIn): u32 { self.sequence }

    /// An input's witness.
    public fun txin_witness(self: &TxIn): &Witness { &self.witness }

    /// An element of a witness.
    public fun witness_nth(self: &Witness, nth: u64): &vector<u8> { vector::borrow(&self.witness, nth) }

    /// The number of a witness's elements.
    public fun witness_len(self: &Witness): u64 { vector::length(&self.witness) }

    /// The last element but one of a witness: the script, if it spends by script (BIP-341). An annex after it is not
    /// told apart, as on the networks that run release 27.
    public fun witness_tapscript(self: &Witness): Option<ScriptBuf> {
        let count = vector::length(&self.witness);
        if (count < 2) option::none()
        else option::some(script_buf::new(*vector::borrow(&self.witness, count - 2)))
    }

    /// The output of a transaction.
    public fun new_outpoint(txid: address, vout: u32): OutPoint {
        OutPoint { txid, vout }
    }

    /// The transaction of an output.
    public fun outpoint_txid(self: &OutPoint): address { self.txid }

    /// The index of an output.
    public fun outpoint_vout(self: &OutPoint): u32 { self.vout }

    /// An output's transaction and index.
    public fun unpack_outpoint(self: OutPoint): (address, u32) {
        let OutPoint { txid, vout } = self;
        (txid, vout)
    }

    /// The output that a block's first transaction spends. Satoshis that a block's miner did not claim are there too.
    public fun null_outpoint(): OutPoint {
        OutPoint { txid: address::zero(), vout: NO_INDEX }
    }

    /// Whether it is the above.
    public fun is_null_outpoint(self: &OutPoint): bool {
        *self == null_outpoint()
    }

    /// Where inscriptions are that no satoshi carries.
    public fun unbound_outpoint(): OutPoint {
        OutPoint { txid: address::zero(), vout: 0 }
    }

    /// An output's satoshis.
    public fun txout_value(self: &TxOut): u64 { self.value }

    /// An output's script.
    public fun txout_script_pubkey(self: &TxOut): &ScriptBuf { &self.script_pubkey }

    /// The address that an output's script pays to, if any.
    public fun txout_address(self: &TxOut): Option<BitcoinAddress> {
        if (bitcoin_address::is_empty(&self.recipient_address)) option::none()
        else option::some(self.recipient_address)
    }

    /// The node address that an output's objects belong to; those of no address belong to this package.
    public fun txout_object_address(self: &TxOut): address {
        if (bitcoin_address::is_empty(&self.recipient_address)) @bitcoin_move
        else bitcoin_address::to_rooch_address(&self.recipient_address)
    }

    /// An output's satoshis and script.
    public fun unpack_txout(self: TxOut): (u64, ScriptBuf) {
        let TxOut { value, script_pubkey, recipient_address: _ } = self;
        (value, script_pubkey)
    }

    /// A block's height and hash, as one value.
    public fun new_block_height_hash(block_height: u64, block_hash: address): BlockHeightHash {
        BlockHeightHash { block_height, block_hash }
    }

    /// A block's height and hash.
    public fun unpack_block_height_hash(self: BlockHeightHash): (u64, address) {
        let BlockHeightHash { block_height, block_hash } = self;
        (block_height, block_hash)
    }

    /// Whether a transaction pays a block's miner.
    public fun is_coinbase_tx(tx: &Transaction): bool {
        vector::length(&tx.input) == 1 && is_null_outpoint(&vector::borrow(&tx.input, 0).previous_output)
    }

    /// A sibling, and whether it is the left one.
    public fun new_proof_node(hash: address, is_left: bool): ProofNode {
        ProofNode { hash, is_left }
    }

    /// A sibling's hash.
    public fun proof_node_hash(self: &ProofNode): address { self.hash }

    /// Whether a sibling is the left one.
    public fun proof_node_is_left(self: &ProofNode): bool { self.is_left }

    /// The proof of these siblings, the leaf's first.
    public fun new_merkle_proof(proof: vector<ProofNode>): MerkleProof {
        MerkleProof { proof }
    }

    /// A proof's siblings.
    public fun proof_nodes(self: &MerkleProof): &vector<ProofNode> { &self.proof }

    // ---- for tests alone ----

    #[test_only]
    /// A header.
    public fun new_header_for_test(
        version: u32,
        prev_blockhash: address,
        merkle_root: address,
        time: u32,
        bits: u32,
        nonce: u32
    ): Header {
        Header { version, prev_blockhash, merkle_root, time, bits, nonce }
    }

    #[test_only]
    /// The transaction of a miner, paid nothing, with a number that does not follow from it.
    public fun new_coinbase_tx_for_test(miner: BitcoinAddress): Transaction {
        let input = TxIn {
            previous_output: null_outpoint(),
            script_sig: vector[],
            sequence: 0xffffffff,
            witness: Witness { witness: vector[] },
        };
        Transaction {
            id: moveos_std::tx_context::fresh_address_for_testing(),
            version: 2,
            lock_time: 0,
            input: vector[input],
            output: vector[TxOut { value: 0, script_pubkey: script_buf::new(vector[]), recipient_address: miner }],
        }
    }

    #[test_only]
    /// A block.
    public fun new_block_for_test(header: Header, txdata: vector<Transaction>): Block {
        Block { header, txdata }
    }

    #[test_only]
    /// A block of one transaction, that of its miner. Neither the block before it nor its root exist.
    public fun fake_block_for_test(time: u32, miner: BitcoinAddress): Block {
        let before = moveos_std::tx_context::fresh_address_for_testing();
        let root = moveos_std::tx_context::fresh_address_for_testing();
        let header = new_header_for_test(0x20000000, before, root, time, 0x1d00ffff, 0);
        new_block_for_test(header, vector[new_coinbase_tx_for_test(miner)])
    }
}
