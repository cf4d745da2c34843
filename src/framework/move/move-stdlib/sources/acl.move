module std::acl {
    struct ACL has copy, drop, store {
        list: vector<address>,
    }
}
