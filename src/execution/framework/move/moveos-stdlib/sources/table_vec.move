/// A vector of any size, in a table with positions as keys.
module moveos_std::table_vec {
    use moveos_std::table::{Self, Table};

    /// The position is not below the length.
    const ErrorIndexOutOfBound: u64 = 1;
    /// There still are elements.
    const ErrorTableNonEmpty: u64 = 2;

    struct TableVec<phantom Element: store> has store {
        contents: Table<u64, Element>,
    }

    /// A vector without elements.
    public fun new<Element: store>(): TableVec<Element> {
        TableVec { contents: table::new() }
    }

    /// A vector of one element.
    public fun singleton<Element: store>(e: Element): TableVec<Element> {
        let elements = new();
        push_back(&mut elements, e);
        elements
    }

    /// Number of elements.
    public fun length<Element: store>(t: &TableVec<Element>): u64 {
        table::length(&t.contents)
    }

    /// Whether there are no elements.
    public fun is_empty<Element: store>(t: &TableVec<Element>): bool {
        length(t) == 0
    }

    /// The element at `i`.
    public fun borrow<Element: store>(t: &TableVec<Element>, i: u64): &Element {
        assert!(contains(t, i), ErrorIndexOutOfBound);
        table::borrow(&t.contents, i)
    }

    /// Appends an element.
    public fun push_back<Element: store>(t: &mut TableVec<Element>, e: Element) {
        let end = length(t);
        table::add(&mut t.contents, end, e)
    }

    /// The element at `i`, for change.
    public fun borrow_mut<Element: store>(t: &mut TableVec<Element>, i: u64): &mut Element {
        assert!(contains(t, i), ErrorIndexOutOfBound);
        table::borrow_mut(&mut t.contents, i)
    }

    /// Takes the last element off.
    public fun pop_back<Element: store>(t: &mut TableVec<Element>): Element {
        let end = length(t);
        assert!(end > 0, ErrorIndexOutOfBound);
        table::remove(&mut t.contents, end - 1)
    }

    /// Ends a vector that has no elements.
    public fun destroy_empty<Element: store>(t: TableVec<Element>) {
        assert!(is_empty(&t), ErrorTableNonEmpty);
        let TableVec { contents } = t;
        table::destroy_empty(contents)
    }

    /// Ends a vector with whatever is in it.
    public fun drop<Element: drop + store>(t: TableVec<Element>) {
        let TableVec { contents } = t;
        table::drop(contents)
    }

    /// Exchanges the elements at `i` and `j`.
    public fun swap<Element: store>(t: &mut TableVec<Element>, i: u64, j: u64) {
        assert!(contains(t, i) && contains(t, j), ErrorIndexOutOfBound);
        if (i == j) return;
        let first = table::remove(&mut t.contents, i);
        let second = table::remove(&mut t.contents, j);
        table::add(&mut t.contents, i, second);
        table::add(&mut t.contents, j, first);
    }

    /// Takes the element at `i` out; the last one takes its place.
    public fun swap_remove<Element: store>(t: &mut TableVec<Element>, i: u64): Element {
        assert!(contains(t, i), ErrorIndexOutOfBound);
        let last = length(t) - 1;
        swap(t, i, last);
        pop_back(t)
    }

    /// Whether `i` is a position of the vector.
    public fun contains<Element: store>(t: &TableVec<Element>, i: u64): bool {
        i < length(t)
    }
}
