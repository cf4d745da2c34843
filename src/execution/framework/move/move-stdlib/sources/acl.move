/// A list of addresses that may do something. Searches are linear: meant for a handful of entries.
module std::acl {
    use std::error;
    use std::vector;

    /// The address is in the list already.
    const ECONTAIN: u64 = 0;
    /// The address is not in the list.
    const ENOT_CONTAIN: u64 = 1;

    struct ACL has copy, drop, store {
        list: vector<address>,
    }

    /// A list that admits nobody.
    public fun empty(): ACL {
        ACL { list: vector[] }
    }

    /// Admits `addr`; aborts if it is admitted already.
    public fun add(acl: &mut ACL, addr: address) {
        assert!(!contains(acl, addr), error::invalid_argument(ECONTAIN));
        vector::push_back(&mut acl.list, addr);
    }

    /// Strikes `addr` off; aborts if it is not there.
    public fun remove(acl: &mut ACL, addr: address) {
        let (found, index) = vector::index_of(&acl.list, &addr);
        assert!(found, error::invalid_argument(ENOT_CONTAIN));
        vector::remove(&mut acl.list, index);
    }

    /// Whether `addr` is admitted.
    public fun contains(acl: &ACL, addr: address): bool {
        vector::contains(&acl.list, &addr)
    }

    /// Aborts unless `addr` is admitted.
    public fun assert_contains(acl: &ACL, addr: address) {
        assert!(contains(acl, addr), error::invalid_argument(ENOT_CONTAIN));
    }
}
