/// Proofs that a block holds a transaction.
module bitcoin_move::merkle_proof {
    use std::vector;
    use bitcoin_move::bitcoin_hash;
    use bitcoin_move::types::{Self, MerkleProof};

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidProof: u64 = 1;

    /// Whether hashing a transaction's number with the siblings of a proof, from the leaf up, gives the root.
    public fun verify_merkle_proof(tx_hash: address, merkle_root: address, proof: &MerkleProof): bool {
        let siblings = types::proof_nodes(proof);
        let node = tx_hash;
        let i = 0;
        while (i < vector::length(siblings)) {
            let sibling = vector::borrow(siblings, i);
            let hash = types::proof_node_hash(sibling);
            node = if (types::proof_node_is_left(sibling)) {
                bitcoin_hash::sha256d_concat(hash, node)
            } else {
                bitcoin_hash::sha256d_concat(node, hash)
            };
            i = i + 1;
        };
        node == merkle_root
    }
}
