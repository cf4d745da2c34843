/// The root of a tree of scripts that a taproot output commits to (BIP-341), built from the leaves from left to right.
module bitcoin_move::taproot_builder {
    use std::option::{Self, Option};
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::compare;
    use moveos_std::consensus_codec;
    use moveos_std::hash;
    use moveos_std::result::{Self, Result};
    use bitcoin_move::script_buf::{Self, ScriptBuf};

    /// A leaf deeper than a control block can tell.
    const ErrorInvalidMerkleTreeDepth: u64 = 1;
    /// A leaf where the tree has no place left of the last one.
    const ErrorNodeNotInDfsOrder: u64 = 2;
    /// A leaf more than the tree has places.
    const ErrorOverCompleteTree: u64 = 3;
    /// A builder in a state that no leaves lead to.
    const ErrorUnreachable: u64 = 4;

    const LEAF_VERSION: u8 = 0xc0;
    const MOST_DEPTH: u64 = 128;

    /// What is built: of each depth, the left node whose right one has not come yet.
    struct TaprootBuilder has drop, store {
        branch: vector<Option<NodeInfo>>,
    }

    struct NodeInfo has drop, store {
        hash: address,
        is_leaf: bool,
    }

    /// A tree without leaves.
    public fun new(): TaprootBuilder {
        TaprootBuilder { branch: vector[] }
    }

    /// Adds the next leaf, at its depth.
    public fun add_leaf(builder: &mut TaprootBuilder, depth: u8, script_buf: ScriptBuf): &mut TaprootBuilder {
        let depth = (depth as u64);
        assert!(depth <= MOST_DEPTH, ErrorInvalidMerkleTreeDepth);
        let branch = &mut builder.branch;
        assert!(depth + 1 >= vector::length(branch), ErrorNodeNotInDfsOrder);
        let node = NodeInfo { hash: leaf_hash(&script_buf), is_leaf: true };
        // A right node makes its parent, which may be a right node again.
        while (vector::length(branch) == depth + 1 && option::is_some(vector::borrow(branch, depth))) {
            assert!(depth > 0, ErrorOverCompleteTree);
            let left = option::destroy_some(vector::pop_back(branch));
            node = NodeInfo { hash: branch_hash(left.hash, node.hash), is_leaf: false };
            depth = depth - 1;
        };
        while (vector::length(branch) <= depth) vector::push_back(branch, option::none());
        option::fill(vector::borrow_mut(branch, depth), node);
        builder
    }

    /// The root; the builder itself if it has no leaf. Whether the tree is complete is not asked: of one that is not,
    /// the deepest node that waits for its right one is taken for the root, as on the networks that run release 27.
    public fun finalize(builder: TaprootBuilder): Result<address, TaprootBuilder> {
        if (vector::is_empty(&builder.branch)) return result::err(builder);
        let last = vector::pop_back(&mut builder.branch);
        assert!(option::is_some(&last), ErrorUnreachable);
        result::ok(option::destroy_some(last).hash)
    }

    fun leaf_hash(script_buf: &ScriptBuf): address {
        let encoder = consensus_codec::encoder();
        consensus_codec::emit_u8(&mut encoder, LEAF_VERSION);
        consensus_codec::emit_var_slice(&mut encoder, *script_buf::bytes(script_buf));
        tagged_hash(b"TapLeaf", consensus_codec::unpack_encoder(encoder))
    }

    fun branch_hash(one: address, other: address): address {
        let low = bcs::to_bytes(&one);
        let high = bcs::to_bytes(&other);
        if (compare::compare_vector_u8(&low, &high) == compare::result_less_than()) {
            vector::append(&mut low, high);
            tagged_hash(b"TapBranch", low)
        } else {
            vector::append(&mut high, low);
            tagged_hash(b"TapBranch", high)
        }
    }

    fun tagged_hash(tag: vector<u8>, message: vector<u8>): address {
        let prefix = hash::sha2_256(tag);
        let bytes = prefix;
        vector::append(&mut bytes, prefix);
        vector::append(&mut bytes, message);
        bcs::to_address(hash::sha2_256(bytes))
    }
}
