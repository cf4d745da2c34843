/// A value that may be absent: a vector of no or one element, which is also how it is encoded.
module std::option {
    use std::vector;

    struct Option<Element> has copy, drop, store {
        vec: vector<Element>,
    }

    /// A value is there where none may be.
    const EOPTION_IS_SET: u64 = 0x40000;
    /// No value is there where one must be.
    const EOPTION_NOT_SET: u64 = 0x40001;
    /// A vector of two or more is no option.
    const EOPTION_VEC_TOO_LONG: u64 = 0x40002;

    /// No value.
    public fun none<Element>(): Option<Element> {
        Option { vec: vector[] }
    }

    /// A value.
    public fun some<Element>(e: Element): Option<Element> {
        Option { vec: vector[e] }
    }

    /// The option that a vector of at most one element is.
    public fun from_vec<Element>(vec: vector<Element>): Option<Element> {
        assert!(vector::length(&vec) < 2, EOPTION_VEC_TOO_LONG);
        Option { vec }
    }

    /// Whether no value is there.
    public fun is_none<Element>(t: &Option<Element>): bool {
        vector::is_empty(&t.vec)
    }

    /// Whether a value is there.
    public fun is_some<Element>(t: &Option<Element>): bool {
        !vector::is_empty(&t.vec)
    }

    /// Whether a value is there and equals `e_ref`.
    public fun contains<Element>(t: &Option<Element>, e_ref: &Element): bool {
        vector::contains(&t.vec, e_ref)
    }

    /// The value; aborts without one.
    public fun borrow<Element>(t: &Option<Element>): &Element {
        assert!(is_some(t), EOPTION_NOT_SET);
        vector::borrow(&t.vec, 0)
    }

    /// The value, or `default_ref`.
    public fun borrow_with_default<Element>(t: &Option<Element>, default_ref: &Element): &Element {
        if (is_none(t)) default_ref else vector::borrow(&t.vec, 0)
    }

    /// A copy of the value, or `default`.
    public fun get_with_default<Element: copy + drop>(t: &Option<Element>, default: Element): Element {
        if (is_none(t)) default else *vector::borrow(&t.vec, 0)
    }

    /// Puts a value in; aborts if there is one.
    public fun fill<Element>(t: &mut Option<Element>, e: Element) {
        assert!(is_none(t), EOPTION_IS_SET);
        vector::push_back(&mut t.vec, e);
    }

    /// Takes the value out; aborts without one.
    public fun extract<Element>(t: &mut Option<Element>): Element {
        assert!(is_some(t), EOPTION_NOT_SET);
        vector::pop_back(&mut t.vec)
    }

    /// The value, for change; aborts without one.
    public fun borrow_mut<Element>(t: &mut Option<Element>): &mut Element {
        assert!(is_some(t), EOPTION_NOT_SET);
        vector::borrow_mut(&mut t.vec, 0)
    }

    /// Replaces the value and gives the old one; aborts without one.
    public fun swap<Element>(t: &mut Option<Element>, e: Element): Element {
        let old = extract(t);
        vector::push_back(&mut t.vec, e);
        old
    }

    /// Puts a value in and gives what was there before.
    public fun swap_or_fill<Element>(t: &mut Option<Element>, e: Element): Option<Element> {
        let old = if (is_some(t)) some(extract(t)) else none();
        vector::push_back(&mut t.vec, e);
        old
    }

    /// The value, or `default`.
    public fun destroy_with_default<Element: drop>(t: Option<Element>, default: Element): Element {
        let Option { vec } = t;
        if (vector::is_empty(&vec)) default else vector::pop_back(&mut vec)
    }

    /// The value; aborts without one.
    public fun destroy_some<Element>(t: Option<Element>): Element {
        assert!(is_some(&t), EOPTION_NOT_SET);
        let Option { vec } = t;
        let value = vector::pop_back(&mut vec);
        vector::destroy_empty(vec);
        value
    }

    /// Ends an option without a value; aborts with one.
    public fun destroy_none<Element>(t: Option<Element>) {
        assert!(is_none(&t), EOPTION_IS_SET);
        let Option { vec } = t;
        vector::destroy_empty(vec);
    }

    /// The vector of no or one element.
    public fun to_vec<Element>(t: Option<Element>): vector<Element> {
        let Option { vec } = t;
        vec
    }

    // Inlined by the compiler: these have no bytecode of their own.

    /// Consumes the value, if any, with `f`.
    public inline fun for_each<Element>(o: Option<Element>, f: |Element|) {
        if (is_some(&o)) f(destroy_some(o)) else destroy_none(o)
    }

    /// Shows the value, if any, to `f`.
    public inline fun for_each_ref<Element>(o: &Option<Element>, f: |&Element|) {
        if (is_some(o)) f(borrow(o))
    }

    /// Lets `f` change the value, if any.
    public inline fun for_each_mut<Element>(o: &mut Option<Element>, f: |&mut Element|) {
        if (is_some(o)) f(borrow_mut(o))
    }

    /// `f(init, value)`, or `init` without a value.
    public inline fun fold<Accumulator, Element>(
        o: Option<Element>,
        init: Accumulator,
        f: |Accumulator, Element|Accumulator
    ): Accumulator {
        if (is_some(&o)) {
            f(init, destroy_some(o))
        } else {
            destroy_none(o);
            init
        }
    }

    /// The option of `f(value)`.
    public inline fun map<Element, OtherElement>(o: Option<Element>, f: |Element|OtherElement): Option<OtherElement> {
        if (is_some(&o)) {
            some(f(destroy_some(o)))
        } else {
            destroy_none(o);
            none()
        }
    }

    /// The option of `f(value)`, leaving the value where it is.
    public inline fun map_ref<Element, OtherElement>(
        o: &Option<Element>,
        f: |&Element|OtherElement
    ): Option<OtherElement> {
        if (is_some(o)) some(f(borrow(o))) else none()
    }

    /// The option itself where `f` holds of its value, none otherwise.
    public inline fun filter<Element: drop>(o: Option<Element>, f: |&Element|bool): Option<Element> {
        if (is_some(&o) && f(borrow(&o))) o else none()
    }

    /// Whether a value is there of which `p` holds.
    public inline fun any<Element>(o: &Option<Element>, p: |&Element|bool): bool {
        is_some(o) && p(borrow(o))
    }

    /// Ends the option, and its value, if any, with `d`.
    public inline fun destroy<Element>(o: Option<Element>, d: |Element|) {
        if (is_some(&o)) d(destroy_some(o)) else destroy_none(o)
    }
}
