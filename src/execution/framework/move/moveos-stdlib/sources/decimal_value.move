/// Decimal fractions: a whole number over a power of ten.
module moveos_std::decimal_value {
    use std::string::{Self, String};
    use std::u256;
    use std::u8;
    use std::vector;
    use moveos_std::string_utils;

    /// The result would be below zero.
    const ErrorUnderflow: u64 = 1;
    /// A division by zero.
    const ErrorDivisionByZero: u64 = 2;
    /// Text that is no decimal fraction.
    const ErrorInvalidDecimalString: u64 = 5;
    /// More places after the point than can be held.
    const ErrorDecimalPartTooLong: u64 = 6;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidPrecision: u64 = 3;
    #[test_only] const ErrorOverflow: u64 = 4;

    /// A u256 has at most this many digits of any value.
    const PLACES_MAX: u64 = 77;
    const POINT: u8 = 46;
    const ZERO: u8 = 48;

    #[data_struct]
    /// `value` over ten to the power of `decimal`.
    struct DecimalValue has copy, drop, store {
        value: u256,
        decimal: u8,
    }

    /// `value` over ten to the power of `decimal`.
    public fun new(value: u256, decimal: u8): DecimalValue {
        DecimalValue { value, decimal }
    }

    /// The number above the line.
    public fun value(self: &DecimalValue): u256 {
        self.value
    }

    /// Number of places after the point.
    public fun decimal(self: &DecimalValue): u8 {
        self.decimal
    }

    /// The same with another number of places; those that fall away are cut off.
    public fun with_precision(self: &DecimalValue, new_decimal: u8): DecimalValue {
        let value = if (self.decimal < new_decimal) {
            self.value * power_of_ten(new_decimal - self.decimal)
        } else {
            self.value / power_of_ten(self.decimal - new_decimal)
        };
        DecimalValue { value, decimal: new_decimal }
    }

    /// Whether two are the same fraction, however many places they have.
    public fun is_equal(a: &DecimalValue, b: &DecimalValue): bool {
        let (a, b) = with_equal_places(a, b);
        a.value == b.value
    }

    /// The sum, with the larger number of places.
    public fun add(a: &DecimalValue, b: &DecimalValue): DecimalValue {
        let (a, b) = with_equal_places(a, b);
        DecimalValue { value: a.value + b.value, decimal: a.decimal }
    }

    /// The difference, with the larger number of places; aborts below zero.
    public fun sub(a: &DecimalValue, b: &DecimalValue): DecimalValue {
        let (a, b) = with_equal_places(a, b);
        assert!(a.value >= b.value, ErrorUnderflow);
        DecimalValue { value: a.value - b.value, decimal: a.decimal }
    }

    /// The product, with all places of both.
    public fun mul(a: &DecimalValue, b: &DecimalValue): DecimalValue {
        DecimalValue { value: a.value * b.value, decimal: a.decimal + b.decimal }
    }

    /// The quotient, rounded down, computed with `precision` more places than `a` has and of those as many as `b` has
    /// taken away again.
    public fun div(a: &DecimalValue, b: &DecimalValue, precision: u8): DecimalValue {
        assert!(b.value > 0, ErrorDivisionByZero);
        let value = a.value * power_of_ten(precision) / b.value;
        let places = a.decimal + precision;
        DecimalValue { value, decimal: if (places < b.decimal) 0 else places - b.decimal }
    }

    /// The product with a whole number.
    public fun mul_u256(a: &DecimalValue, b: u256): DecimalValue {
        DecimalValue { value: a.value * b, decimal: a.decimal }
    }

    /// The quotient by a whole number, rounded down.
    public fun div_u256(a: &DecimalValue, b: u256): DecimalValue {
        assert!(b > 0, ErrorDivisionByZero);
        DecimalValue { value: a.value / b, decimal: a.decimal }
    }

    /// The whole part, as a fraction without places.
    public fun as_integer_decimal(self: &DecimalValue): DecimalValue {
        with_precision(self, 0)
    }

    /// The whole part.
    public fun to_integer(self: &DecimalValue): u256 {
        self.value / power_of_ten(self.decimal)
    }

    /// The nearest fraction with `new_decimal` places; a half goes up.
    public fun round(self: &DecimalValue, new_decimal: u8): DecimalValue {
        if (self.decimal <= new_decimal) return with_precision(self, new_decimal);
        let DecimalValue { value, decimal } = with_precision(self, new_decimal + 1);
        DecimalValue { value: value / 10 + (if (value % 10 < 5) 0 else 1), decimal: decimal - 1 }
    }

    /// Reads digits with at most one point among them.
    public fun from_string(s: &String): DecimalValue {
        let bytes = string::bytes(s);
        let count = vector::length(bytes);
        assert!(count > 0, ErrorInvalidDecimalString);
        let value = 0u256;
        let places = 0;
        let after_point = false;
        let index = 0;
        while (index < count) {
            let character = *vector::borrow(bytes, index);
            if (character == POINT) {
                assert!(!after_point, ErrorInvalidDecimalString);
                after_point = true;
            } else {
                assert!(ZERO <= character && character <= ZERO + 9, ErrorInvalidDecimalString);
                value = value * 10 + ((character - ZERO) as u256);
                if (after_point) places = places + 1;
            };
            index = index + 1;
        };
        assert!(places <= PLACES_MAX, ErrorDecimalPartTooLong);
        DecimalValue { value, decimal: (places as u8) }
    }

    /// Digits, with a point and without zeros at the end where there is a fraction.
    public fun to_string(d: &DecimalValue): String {
        // zero may have more places than any power of ten fits
        if (d.value == 0) return string::utf8(b"0");
        let unit = power_of_ten(d.decimal);
        let text = string_utils::to_string_u256(d.value / unit);
        let fraction = d.value % unit;
        if (fraction == 0) return text;
        string::append_utf8(&mut text, vector[POINT]);
        while (fraction > 0) {
            unit = unit / 10;
            string::append_utf8(&mut text, vector[((fraction / unit) as u8) + ZERO]);
            fraction = fraction % unit;
        };
        text
    }

    fun power_of_ten(exponent: u8): u256 {
        u256::pow(10, exponent)
    }

    fun with_equal_places(a: &DecimalValue, b: &DecimalValue): (DecimalValue, DecimalValue) {
        let places = u8::max(a.decimal, b.decimal);
        (with_precision(a, places), with_precision(b, places))
    }
}
