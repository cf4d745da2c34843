/// A vector of any size, in buckets of a fixed number of elements, which are entries of a table: cheaper than one entry
/// for each element. Only the last bucket may have room, and no bucket is empty.
module moveos_std::big_vector {
    use std::vector;
    use moveos_std::table::{Self, Table};

    /// The position is not below the length.
    const ErrorIndexOutOfBound: u64 = 1;
    /// There still are elements.
    const ErrorVectorNotEmpty: u64 = 2;
    /// There are no elements.
    const ErrorVectorEmpty: u64 = 3;
    /// Buckets of no elements.
    const ErrorBucketSizeIllegal: u64 = 4;

    struct BigVector<T: store> has store {
        buckets: Table<u64, vector<T>>,
        end_index: u64,
        bucket_size: u64,
    }

    /// A vector without elements.
    public fun empty<T: store>(bucket_size: u64): BigVector<T> {
        assert!(bucket_size > 0, ErrorBucketSizeIllegal);
        BigVector { buckets: table::new(), end_index: 0, bucket_size }
    }

    /// A vector of one element.
    public fun singleton<T: store>(element: T, bucket_size: u64): BigVector<T> {
        let v = empty(bucket_size);
        push_back(&mut v, element);
        v
    }

    /// Ends a vector that has no elements.
    public fun destroy_empty<T: store>(v: BigVector<T>) {
        assert!(is_empty(&v), ErrorVectorNotEmpty);
        let BigVector { buckets, end_index: _, bucket_size: _ } = v;
        table::destroy_empty(buckets)
    }

    /// Ends a vector with whatever is in it.
    public fun destroy<T: store + drop>(v: BigVector<T>) {
        let BigVector { buckets, end_index: _, bucket_size: _ } = v;
        let left = table::length(&buckets);
        while (left > 0) {
            left = left - 1;
            table::remove(&mut buckets, left);
        };
        table::destroy_empty(buckets)
    }

    /// The element at `i`.
    public fun borrow<T: store>(v: &BigVector<T>, i: u64): &T {
        assert!(i < v.end_index, ErrorIndexOutOfBound);
        vector::borrow(table::borrow(&v.buckets, i / v.bucket_size), i % v.bucket_size)
    }

    /// The element at `i`, for change.
    public fun borrow_mut<T: store>(v: &mut BigVector<T>, i: u64): &mut T {
        assert!(i < v.end_index, ErrorIndexOutOfBound);
        let offset = i % v.bucket_size;
        vector::borrow_mut(bucket_mut(v, i), offset)
    }

    /// Appends the elements of `other`: those of its first half, each of which the last one replaces, then the rest from
    /// the end, so their order changes.
    public fun append<T: store>(lhs: &mut BigVector<T>, other: BigVector<T>) {
        let count = length(&other);
        let index = 0;
        while (index < count / 2) {
            push_back(lhs, swap_remove(&mut other, index));
            index = index + 1;
        };
        while (!is_empty(&other)) push_back(lhs, pop_back(&mut other));
        destroy_empty(other)
    }

    /// Appends an element.
    public fun push_back<T: store>(v: &mut BigVector<T>, val: T) {
        let end = v.end_index;
        if (end % v.bucket_size == 0) {
            table::add(&mut v.buckets, end / v.bucket_size, vector[val])
        } else {
            vector::push_back(bucket_mut(v, end), val)
        };
        v.end_index = end + 1;
    }

    /// Takes the last element off.
    public fun pop_back<T: store>(v: &mut BigVector<T>): T {
        assert!(!is_empty(v), ErrorVectorEmpty);
        let last = v.end_index - 1;
        let bucket = bucket_mut(v, last);
        let val = vector::pop_back(bucket);
        if (vector::is_empty(bucket)) drop_bucket(v, last);
        v.end_index = last;
        val
    }

    /// Takes the element at `i` out; those behind it move up, through all buckets.
    public fun remove<T: store>(v: &mut BigVector<T>, i: u64): T {
        assert!(i < v.end_index, ErrorIndexOutOfBound);
        let last = v.end_index - 1;
        let offset = i % v.bucket_size;
        let removed = vector::remove(bucket_mut(v, i), offset);
        let key = i / v.bucket_size;
        while (key < last / v.bucket_size) {
            let moved = vector::remove(table::borrow_mut(&mut v.buckets, key + 1), 0);
            vector::push_back(table::borrow_mut(&mut v.buckets, key), moved);
            key = key + 1;
        };
        if (last % v.bucket_size == 0) drop_bucket(v, last);
        v.end_index = last;
        removed
    }

    /// Takes the element at `i` out; the last one takes its place.
    public fun swap_remove<T: store>(v: &mut BigVector<T>, i: u64): T {
        assert!(i < v.end_index, ErrorIndexOutOfBound);
        let last = pop_back(v);
        if (i == v.end_index) return last;
        let offset = i % v.bucket_size;
        let bucket = bucket_mut(v, i);
        vector::push_back(bucket, last);
        vector::swap_remove(bucket, offset)
    }

    /// Exchanges the elements at `i` and `j`.
    public fun swap<T: store>(v: &mut BigVector<T>, i: u64, j: u64) {
        assert!(i < v.end_index && j < v.end_index, ErrorIndexOutOfBound);
        let (i_key, i_offset) = (i / v.bucket_size, i % v.bucket_size);
        let (j_key, j_offset) = (j / v.bucket_size, j % v.bucket_size);
        if (i_key == j_key) {
            vector::swap(bucket_mut(v, i), i_offset, j_offset);
            return
        };
        let i_bucket = table::remove(&mut v.buckets, i_key);
        let j_bucket = table::borrow_mut(&mut v.buckets, j_key);
        // each element goes behind the other bucket, and from there into the gap that its like leaves
        vector::push_back(j_bucket, vector::swap_remove(&mut i_bucket, i_offset));
        vector::push_back(&mut i_bucket, vector::swap_remove(j_bucket, j_offset));
        let end = vector::length(&i_bucket) - 1;
        vector::swap(&mut i_bucket, i_offset, end);
        table::add(&mut v.buckets, i_key, i_bucket);
    }

    /// Turns the order around.
    public fun reverse<T: store>(v: &mut BigVector<T>) {
        let elements = vector[];
        let left = table::length(&v.buckets);
        while (left > 0) {
            left = left - 1;
            vector::reverse_append(&mut elements, table::remove(&mut v.buckets, left));
        };
        // popping wants the first one last
        vector::reverse(&mut elements);
        v.end_index = 0;
        while (!vector::is_empty(&elements)) push_back(v, vector::pop_back(&mut elements));
        vector::destroy_empty(elements)
    }

    /// Whether an element equals `val`, and where the first one is; position 0 where none does.
    public fun index_of<T: store>(v: &BigVector<T>, val: &T): (bool, u64) {
        let count = table::length(&v.buckets);
        let key = 0;
        while (key < count) {
            let (found, offset) = vector::index_of(table::borrow(&v.buckets, key), val);
            if (found) return (true, key * v.bucket_size + offset);
            key = key + 1;
        };
        (false, 0)
    }

    /// Whether an element equals `val`.
    public fun contains<T: store>(v: &BigVector<T>, val: &T): bool {
        let (found, _) = index_of(v, val);
        found
    }

    /// Copies of all elements in one vector.
    public fun to_vector<T: store + copy>(v: &BigVector<T>): vector<T> {
        let elements = vector[];
        let count = table::length(&v.buckets);
        let key = 0;
        while (key < count) {
            vector::append(&mut elements, *table::borrow(&v.buckets, key));
            key = key + 1;
        };
        elements
    }

    /// Number of elements.
    public fun length<T: store>(v: &BigVector<T>): u64 {
        v.end_index
    }

    /// Whether there are no elements.
    public fun is_empty<T: store>(v: &BigVector<T>): bool {
        v.end_index == 0
    }

    /// The bucket of position `i`.
    fun bucket_mut<T: store>(v: &mut BigVector<T>, i: u64): &mut vector<T> {
        let key = i / v.bucket_size;
        table::borrow_mut(&mut v.buckets, key)
    }

    /// Drops the bucket of position `i`, which has become empty.
    fun drop_bucket<T: store>(v: &mut BigVector<T>, i: u64) {
        let key = i / v.bucket_size;
        vector::destroy_empty(table::remove(&mut v.buckets, key))
    }
}
