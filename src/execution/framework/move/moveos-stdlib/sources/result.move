/// A value, or what went wrong instead.
module moveos_std::result {
    use std::option::{Self, Option};
    use std::string::{Self, String};

    /// There is no value.
    const ErrorExpectOk: u64 = 1;
    /// There is no error.
    const ErrorExpectErr: u64 = 2;

    /// Exactly one of the two is there.
    struct Result<T, E> has copy, drop {
        value: Option<T>,
        err: Option<E>,
    }

    /// A value.
    public fun ok<T, E>(value: T): Result<T, E> {
        Result { value: option::some(value), err: option::none() }
    }

    /// Whether there is a value.
    public fun is_ok<T, E>(result: &Result<T, E>): bool {
        option::is_some(&result.value)
    }

    /// The value, if any.
    public fun get<T, E>(result: &Result<T, E>): &Option<T> {
        &result.value
    }

    /// An error.
    public fun err<T, E>(err: E): Result<T, E> {
        Result { value: option::none(), err: option::some(err) }
    }

    /// An error that is text.
    public fun err_str<T>(err: vector<u8>): Result<T, String> {
        err(string::utf8(err))
    }

    /// Whether there is an error.
    public fun is_err<T, E>(result: &Result<T, E>): bool {
        option::is_some(&result.err)
    }

    /// The error, if any.
    public fun get_err<T, E>(result: &Result<T, E>): &Option<E> {
        &result.err
    }

    /// The same error for another type of value; aborts without an error.
    public fun as_err<U, T>(self: Result<T, String>): Result<U, String> {
        let Result { value, err } = self;
        assert!(option::is_none(&value), ErrorExpectErr);
        option::destroy_none(value);
        err(option::destroy_some(err))
    }

    /// Both options.
    public fun unpack<T, E>(result: Result<T, E>): (Option<T>, Option<E>) {
        let Result { value, err } = result;
        (value, err)
    }

    /// The value; aborts without one.
    public fun unwrap<T, E: drop>(result: Result<T, E>): T {
        let Result { value, err: _ } = result;
        assert!(option::is_some(&value), ErrorExpectOk);
        option::destroy_some(value)
    }

    /// The error; aborts without one.
    public fun unwrap_err<T, E>(result: Result<T, E>): E {
        let Result { value, err } = result;
        assert!(option::is_some(&err), ErrorExpectErr);
        option::destroy_none(value);
        option::destroy_some(err)
    }

    // Inlined by the compiler into other modules, which may not unpack a `Result` and have other names in scope.

    /// `f` of the value, or the error.
    public inline fun and_then<U, T, E>(result: Result<U, E>, f: |U|Result<T, E>): Result<T, E> {
        let (value, err) = moveos_std::result::unpack(result);
        if (std::option::is_some(&value)) {
            std::option::destroy_none(err);
            f(std::option::destroy_some(value))
        } else {
            std::option::destroy_none(value);
            moveos_std::result::err(std::option::destroy_some(err))
        }
    }

    /// The value; aborts with `abort_code` without one.
    public inline fun assert_ok<T, E>(result: Result<T, E>, abort_code: u64): T {
        let (value, err) = moveos_std::result::unpack(result);
        assert!(std::option::is_some(&value), abort_code);
        std::option::destroy_none(err);
        std::option::destroy_some(value)
    }

    /// The error; aborts with `abort_code` without one.
    public inline fun assert_err<T, E>(result: Result<T, E>, abort_code: u64): E {
        let (value, err) = moveos_std::result::unpack(result);
        assert!(std::option::is_some(&err), abort_code);
        std::option::destroy_none(value);
        std::option::destroy_some(err)
    }
}
