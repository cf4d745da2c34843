module bitcoin_move::taproot_builder {
    struct NodeInfo has drop, store {
        hash: address,
        is_leaf: bool,
    }

    struct TaprootBuilder has drop, store {
        branch: vector<std::option::Option<NodeInfo>>,
    }
}
