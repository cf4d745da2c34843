/// Fractions with 32 binary digits before the point and 32 after it.
module std::fixed_point32 {
    /// The numerator over 2^32.
    struct FixedPoint32 has copy, drop, store {
        value: u64,
    }

    /// A ratio with denominator zero.
    const EDENOMINATOR: u64 = 0x10001;
    /// A quotient does not fit u64.
    const EDIVISION: u64 = 0x20002;
    /// A product does not fit u64.
    const EMULTIPLICATION: u64 = 0x20003;
    /// A division by a zero fraction.
    const EDIVISION_BY_ZERO: u64 = 0x10004;
    /// A ratio is too large, or not zero and too small, to be held.
    const ERATIO_OUT_OF_RANGE: u64 = 0x20005;

    const MAX_U64: u128 = 0xFFFF_FFFF_FFFF_FFFF;
    const ONE: u64 = 0x1_0000_0000;

    /// `val * multiplier`, rounded down.
    public fun multiply_u64(val: u64, multiplier: FixedPoint32): u64 {
        let product = ((val as u128) * (multiplier.value as u128)) >> 32;
        assert!(product <= MAX_U64, EMULTIPLICATION);
        (product as u64)
    }

    /// `val / divisor`, rounded down.
    public fun divide_u64(val: u64, divisor: FixedPoint32): u64 {
        assert!(divisor.value > 0, EDIVISION_BY_ZERO);
        let quotient = ((val as u128) << 32) / (divisor.value as u128);
        assert!(quotient <= MAX_U64, EDIVISION);
        (quotient as u64)
    }

    /// `numerator / denominator`, rounded down to the next fraction; a ratio above zero must not become zero.
    public fun create_from_rational(numerator: u64, denominator: u64): FixedPoint32 {
        assert!(denominator > 0, EDENOMINATOR);
        let value = ((numerator as u128) << 32) / (denominator as u128);
        assert!(value <= MAX_U64 && (value > 0 || numerator == 0), ERATIO_OUT_OF_RANGE);
        FixedPoint32 { value: (value as u64) }
    }

    /// The fraction with this numerator over 2^32.
    public fun create_from_raw_value(value: u64): FixedPoint32 {
        FixedPoint32 { value }
    }

    /// The numerator over 2^32.
    public fun get_raw_value(num: FixedPoint32): u64 {
        num.value
    }

    /// Whether it is zero.
    public fun is_zero(num: FixedPoint32): bool {
        num.value == 0
    }

    /// The smaller of two.
    public fun min(num1: FixedPoint32, num2: FixedPoint32): FixedPoint32 {
        if (num2.value < num1.value) num2 else num1
    }

    /// The larger of two.
    public fun max(num1: FixedPoint32, num2: FixedPoint32): FixedPoint32 {
        if (num1.value < num2.value) num2 else num1
    }

    /// A whole number as a fraction; it must be below 2^32.
    public fun create_from_u64(val: u64): FixedPoint32 {
        assert!(val < ONE, ERATIO_OUT_OF_RANGE);
        FixedPoint32 { value: val << 32 }
    }

    /// The whole number at or below.
    public fun floor(num: FixedPoint32): u64 {
        num.value >> 32
    }

    /// The whole number at or above.
    public fun ceil(num: FixedPoint32): u64 {
        let whole = floor(num);
        if (num.value % ONE == 0) whole else whole + 1
    }

    /// The nearest whole number; a half goes up.
    public fun round(num: FixedPoint32): u64 {
        let whole = floor(num);
        if (num.value % ONE < ONE / 2) whole else whole + 1
    }
}
