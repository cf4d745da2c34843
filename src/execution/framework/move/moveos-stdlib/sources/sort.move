/// Sorting in place, by the order of `moveos_std::compare` or one that the caller gives.
module moveos_std::sort {
    use std::vector;
    use moveos_std::compare;

    /// Sorts, smallest first. Values that compare as equal may change places.
    public fun quick_sort<T>(data: &mut vector<T>) {
        sort(data)
    }

    /// Sorts, smallest first. Values that compare as equal may change places.
    public fun sort<T>(data: &mut vector<T>) {
        // heap sort: no recursion, and the same cost for any input
        let count = vector::length(data);
        let root = count / 2;
        while (root > 0) {
            root = root - 1;
            sift_down(data, root, count);
        };
        while (count > 1) {
            count = count - 1;
            vector::swap(data, 0, count);
            sift_down(data, 0, count);
        }
    }

    /// Restores the heap among the first `count` elements where only the one at `root` may be too small.
    fun sift_down<T>(data: &mut vector<T>, root: u64, count: u64) {
        loop {
            let child = root * 2 + 1;
            if (child >= count) return;
            if (child + 1 < count && is_less(data, child, child + 1)) child = child + 1;
            if (!is_less(data, root, child)) return;
            vector::swap(data, root, child);
            root = child;
        }
    }

    fun is_less<T>(data: &vector<T>, left: u64, right: u64): bool {
        compare::compare(vector::borrow(data, left), vector::borrow(data, right)) == compare::result_less_than()
    }

    // Inlined by the compiler: these have no bytecode of their own.

    /// Sorts so that `cmp(a, b)` holds of no element `a` and the next one `b`. Others keep their order. For short lists.
    public inline fun sort_by_cmp<T>(data: &mut vector<T>, cmp: |&T, &T|bool) {
        let count = std::vector::length(data);
        let sorted = 1;
        while (sorted < count) {
            let index = sorted;
            while (index > 0) {
                let out_of_order = cmp(std::vector::borrow(data, index - 1), std::vector::borrow(data, index));
                if (!out_of_order) break;
                std::vector::swap(data, index - 1, index);
                index = index - 1;
            };
            sorted = sorted + 1;
        }
    }

    /// Sorts by a key of each element, smallest first. Elements with equal keys keep their order. For short lists.
    public inline fun sort_by_key<T, K>(data: &mut vector<T>, key: |&T|&K) {
        sort_by_cmp(data, |a, b| {
            moveos_std::compare::compare(key(a), key(b)) == moveos_std::compare::result_greater_than()
        })
    }
}
