/// Lists of any length. The first eight functions are instructions of the machine, whose errors they share.
module std::vector {
    /// A position is not below the length.
    const EINDEX_OUT_OF_BOUNDS: u64 = 0x20000;
    /// A range ends before it starts.
    const EINVALID_RANGE: u64 = 0x20001;
    /// Two vectors that must be of one length are not. Inline functions cannot name it, so they spell the number.
    const EVECTORS_LENGTH_MISMATCH: u64 = 0x20002;
    /// A step of zero.
    const EINVALID_STEP: u64 = 0x20003;
    /// A slice ends before it starts, or beyond the end.
    const EINVALID_SLICE_RANGE: u64 = 0x20004;

    #[bytecode_instruction]
    /// A vector without elements.
    native public fun empty<Element>(): vector<Element>;

    #[bytecode_instruction]
    /// Number of elements.
    native public fun length<Element>(v: &vector<Element>): u64;

    #[bytecode_instruction]
    /// The element at `i`.
    native public fun borrow<Element>(v: &vector<Element>, i: u64): &Element;

    #[bytecode_instruction]
    /// Appends an element.
    native public fun push_back<Element>(v: &mut vector<Element>, e: Element);

    #[bytecode_instruction]
    /// The element at `i`, for change.
    native public fun borrow_mut<Element>(v: &mut vector<Element>, i: u64): &mut Element;

    #[bytecode_instruction]
    /// Takes the last element off.
    native public fun pop_back<Element>(v: &mut vector<Element>): Element;

    #[bytecode_instruction]
    /// Ends a vector that has no elements.
    native public fun destroy_empty<Element>(v: vector<Element>);

    #[bytecode_instruction]
    /// Exchanges the elements at `i` and `j`.
    native public fun swap<Element>(v: &mut vector<Element>, i: u64, j: u64);

    /// A vector of one element.
    public fun singleton<Element>(e: Element): vector<Element> {
        vector[e]
    }

    /// Turns the order around.
    public fun reverse<Element>(v: &mut vector<Element>) {
        let end = length(v);
        reverse_slice(v, 0, end);
    }

    /// Turns the order of the elements from `left` up to, not including, `right` around.
    public fun reverse_slice<Element>(v: &mut vector<Element>, left: u64, right: u64) {
        assert!(left <= right, EINVALID_RANGE);
        while (right - left > 1) {
            right = right - 1;
            swap(v, left, right);
            left = left + 1;
        }
    }

    /// Appends the elements of `other`, in their order.
    public fun append<Element>(lhs: &mut vector<Element>, other: vector<Element>) {
        native_append(lhs, &mut other);
        destroy_empty(other);
    }

    /// Moves all elements of `other` behind those of `lhs`.
    native fun native_append<Element>(lhs: &mut vector<Element>, other: &mut vector<Element>);

    /// Appends the elements of `other`, last one first.
    public fun reverse_append<Element>(lhs: &mut vector<Element>, other: vector<Element>) {
        while (!is_empty(&other)) push_back(lhs, pop_back(&mut other));
        destroy_empty(other);
    }

    /// Cuts `v` down to `new_len` elements and gives the rest.
    public fun trim<Element>(v: &mut vector<Element>, new_len: u64): vector<Element> {
        let rest = trim_reverse(v, new_len);
        reverse(&mut rest);
        rest
    }

    /// Cuts `v` down to `new_len` elements and gives the rest, last one first.
    public fun trim_reverse<Element>(v: &mut vector<Element>, new_len: u64): vector<Element> {
        assert!(new_len <= length(v), EINDEX_OUT_OF_BOUNDS);
        let rest = vector[];
        while (length(v) > new_len) push_back(&mut rest, pop_back(v));
        rest
    }

    /// Whether there are no elements.
    public fun is_empty<Element>(v: &vector<Element>): bool {
        length(v) == 0
    }

    /// Whether an element equals `e`.
    public fun contains<Element>(v: &vector<Element>, e: &Element): bool {
        let (found, _) = index_of(v, e);
        found
    }

    /// Whether an element equals `e`, and where the first one is; position 0 where none does.
    public fun index_of<Element>(v: &vector<Element>, e: &Element): (bool, u64) {
        let count = length(v);
        let index = 0;
        while (index < count) {
            if (borrow(v, index) == e) return (true, index);
            index = index + 1;
        };
        (false, 0)
    }

    /// Puts `e` before the element at `i`; at the length, it appends.
    public fun insert<Element>(v: &mut vector<Element>, i: u64, e: Element) {
        let index = length(v);
        assert!(i <= index, EINDEX_OUT_OF_BOUNDS);
        push_back(v, e);
        while (index > i) {
            swap(v, index - 1, index);
            index = index - 1;
        }
    }

    /// Takes the element at `i` out; those behind it move up.
    public fun remove<Element>(v: &mut vector<Element>, i: u64): Element {
        let count = length(v);
        assert!(i < count, EINDEX_OUT_OF_BOUNDS);
        while (i + 1 < count) {
            swap(v, i, i + 1);
            i = i + 1;
        };
        pop_back(v)
    }

    /// Takes the first element equal to `val` out, as a vector of one; of none where there is no such element.
    public fun remove_value<Element>(v: &mut vector<Element>, val: &Element): vector<Element> {
        let (found, index) = index_of(v, val);
        if (found) vector[remove(v, index)] else vector[]
    }

    /// Takes the element at `i` out; the last one takes its place.
    public fun swap_remove<Element>(v: &mut vector<Element>, i: u64): Element {
        assert!(!is_empty(v), EINDEX_OUT_OF_BOUNDS);
        let last = length(v) - 1;
        swap(v, i, last);
        pop_back(v)
    }

    /// Moves the first `rot` elements behind the others; gives the new position of the first one.
    public fun rotate<Element>(v: &mut vector<Element>, rot: u64): u64 {
        let end = length(v);
        rotate_slice(v, 0, rot, end)
    }

    /// The same inside `left` up to, not including, `right`: what stands before `rot` moves behind what follows it.
    public fun rotate_slice<Element>(v: &mut vector<Element>, left: u64, rot: u64, right: u64): u64 {
        reverse_slice(v, left, rot);
        reverse_slice(v, rot, right);
        reverse_slice(v, left, right);
        left + (right - rot)
    }

    /// The numbers from `start` up to, not including, `end`.
    public fun range(start: u64, end: u64): vector<u64> {
        range_with_step(start, end, 1)
    }

    /// Every `step`th number from `start` up to, not including, `end`.
    public fun range_with_step(start: u64, end: u64, step: u64): vector<u64> {
        assert!(step > 0, EINVALID_STEP);
        let numbers = vector[];
        while (start < end) {
            push_back(&mut numbers, start);
            start = start + step;
        };
        numbers
    }

    /// Copies of the elements from `start` up to, not including, `end`.
    public fun slice<Element: copy>(self: &vector<Element>, start: u64, end: u64): vector<Element> {
        assert!(start <= end && end <= length(self), EINVALID_SLICE_RANGE);
        let elements = vector[];
        while (start < end) {
            push_back(&mut elements, *borrow(self, start));
            start = start + 1;
        };
        elements
    }

    // Inlined by the compiler: these have no bytecode of their own.

    /// Whether `f` holds of an element, and where the first such one is; position 0 where it holds of none.
    public inline fun find<Element>(v: &vector<Element>, f: |&Element|bool): (bool, u64) {
        let found = false;
        let index = 0;
        let count = length(v);
        while (index < count) {
            found = f(borrow(v, index));
            if (found) break;
            index = index + 1;
        };
        (found, if (found) index else 0)
    }

    /// Consumes the elements with `f`, first one first.
    public inline fun for_each<Element>(v: vector<Element>, f: |Element|) {
        reverse(&mut v);
        for_each_reverse(v, |e| f(e));
    }

    /// Consumes the elements with `f`, last one first.
    public inline fun for_each_reverse<Element>(v: vector<Element>, f: |Element|) {
        let left = length(&v);
        while (left > 0) {
            f(pop_back(&mut v));
            left = left - 1;
        };
        destroy_empty(v)
    }

    /// Shows the elements to `f`.
    public inline fun for_each_ref<Element>(v: &vector<Element>, f: |&Element|) {
        let index = 0;
        let count = length(v);
        while (index < count) {
            f(borrow(v, index));
            index = index + 1
        }
    }

    /// Lets `f` change the elements.
    public inline fun for_each_mut<Element>(v: &mut vector<Element>, f: |&mut Element|) {
        let index = 0;
        let count = length(v);
        while (index < count) {
            f(borrow_mut(v, index));
            index = index + 1
        }
    }

    /// Shows positions and elements to `f`.
    public inline fun enumerate_ref<Element>(v: &vector<Element>, f: |u64, &Element|) {
        let index = 0;
        let count = length(v);
        while (index < count) {
            f(index, borrow(v, index));
            index = index + 1
        }
    }

    /// Shows positions to `f` and lets it change the elements.
    public inline fun enumerate_mut<Element>(v: &mut vector<Element>, f: |u64, &mut Element|) {
        let index = 0;
        let count = length(v);
        while (index < count) {
            f(index, borrow_mut(v, index));
            index = index + 1
        }
    }

    /// Consumes two vectors of one length in pairs, first ones first.
    public inline fun zip<Element1, Element2>(v1: vector<Element1>, v2: vector<Element2>, f: |Element1, Element2|) {
        reverse(&mut v1);
        reverse(&mut v2);
        zip_reverse(v1, v2, |e1, e2| f(e1, e2));
    }

    /// Consumes two vectors of one length in pairs, last ones first.
    public inline fun zip_reverse<Element1, Element2>(
        v1: vector<Element1>,
        v2: vector<Element2>,
        f: |Element1, Element2|,
    ) {
        let left = length(&v1);
        assert!(left == length(&v2), 0x20002);
        while (left > 0) {
            f(pop_back(&mut v1), pop_back(&mut v2));
            left = left - 1;
        };
        destroy_empty(v1);
        destroy_empty(v2);
    }

    /// Shows two vectors of one length in pairs.
    public inline fun zip_ref<Element1, Element2>(
        v1: &vector<Element1>,
        v2: &vector<Element2>,
        f: |&Element1, &Element2|,
    ) {
        let count = length(v1);
        assert!(count == length(v2), 0x20002);
        let index = 0;
        while (index < count) {
            f(borrow(v1, index), borrow(v2, index));
            index = index + 1
        }
    }

    /// Lets `f` change two vectors of one length in pairs.
    public inline fun zip_mut<Element1, Element2>(
        v1: &mut vector<Element1>,
        v2: &mut vector<Element2>,
        f: |&mut Element1, &mut Element2|,
    ) {
        let count = length(v1);
        assert!(count == length(v2), 0x20002);
        let index = 0;
        while (index < count) {
            f(borrow_mut(v1, index), borrow_mut(v2, index));
            index = index + 1
        }
    }

    /// `f(.. f(f(init, first), second) .., last)`.
    public inline fun fold<Accumulator, Element>(
        v: vector<Element>,
        init: Accumulator,
        f: |Accumulator, Element|Accumulator
    ): Accumulator {
        let result = init;
        for_each(v, |element| result = f(result, element));
        result
    }

    /// `f(first, .. f(before last, f(last, init)) ..)`.
    public inline fun foldr<Accumulator, Element>(
        v: vector<Element>,
        init: Accumulator,
        f: |Element, Accumulator|Accumulator
    ): Accumulator {
        let result = init;
        for_each_reverse(v, |element| result = f(element, result));
        result
    }

    /// The results of `f` for each element.
    public inline fun map<Element, NewElement>(v: vector<Element>, f: |Element|NewElement): vector<NewElement> {
        let results = vector<NewElement>[];
        for_each(v, |element| push_back(&mut results, f(element)));
        results
    }

    /// The results of `f` for each element, leaving the elements where they are.
    public inline fun map_ref<Element, NewElement>(
        v: &vector<Element>,
        f: |&Element|NewElement
    ): vector<NewElement> {
        let results = vector<NewElement>[];
        for_each_ref(v, |element| push_back(&mut results, f(element)));
        results
    }

    /// The results of `f` for each pair of two vectors of one length.
    public inline fun zip_map<Element1, Element2, NewElement>(
        v1: vector<Element1>,
        v2: vector<Element2>,
        f: |Element1, Element2|NewElement
    ): vector<NewElement> {
        assert!(length(&v1) == length(&v2), 0x20002);
        let results = vector<NewElement>[];
        zip(v1, v2, |e1, e2| push_back(&mut results, f(e1, e2)));
        results
    }

    /// The results of `f` for each pair of two vectors of one length, leaving the elements where they are.
    public inline fun zip_map_ref<Element1, Element2, NewElement>(
        v1: &vector<Element1>,
        v2: &vector<Element2>,
        f: |&Element1, &Element2|NewElement
    ): vector<NewElement> {
        assert!(length(v1) == length(v2), 0x20002);
        let results = vector<NewElement>[];
        zip_ref(v1, v2, |e1, e2| push_back(&mut results, f(e1, e2)));
        results
    }

    /// The elements of which `p` holds.
    public inline fun filter<Element: drop>(v: vector<Element>, p: |&Element|bool): vector<Element> {
        let kept = vector<Element>[];
        for_each(v, |element| {
            if (p(&element)) push_back(&mut kept, element);
        });
        kept
    }

    /// Brings the elements of which `pred` holds to the front and gives their number. The order of the others may change.
    public inline fun partition<Element>(v: &mut vector<Element>, pred: |&Element|bool): u64 {
        let front = 0;
        let index = 0;
        let count = length(v);
        while (index < count) {
            if (pred(borrow(v, index))) {
                if (front < index) swap(v, front, index);
                front = front + 1;
            };
            index = index + 1;
        };
        front
    }

    /// The same, and every element keeps its order among its likes.
    public inline fun stable_partition<Element>(v: &mut vector<Element>, p: |&Element|bool): u64 {
        let held = empty();
        let failed = empty();
        let left = length(v);
        while (left > 0) {
            let element = pop_back(v);
            if (p(&element)) push_back(&mut held, element) else push_back(&mut failed, element);
            left = left - 1;
        };
        let front = length(&held);
        reverse_append(v, held);
        reverse_append(v, failed);
        front
    }

    /// Whether `p` holds of an element.
    public inline fun any<Element>(v: &vector<Element>, p: |&Element|bool): bool {
        let (found, _) = find(v, |element| p(element));
        found
    }

    /// Whether `p` holds of every element.
    public inline fun all<Element>(v: &vector<Element>, p: |&Element|bool): bool {
        let holds = true;
        let index = 0;
        let count = length(v);
        while (index < count) {
            holds = p(borrow(v, index));
            if (!holds) break;
            index = index + 1
        };
        holds
    }

    /// Ends a vector, and each element with `d`.
    public inline fun destroy<Element>(v: vector<Element>, d: |Element|) {
        for_each_reverse(v, |element| d(element))
    }
}
