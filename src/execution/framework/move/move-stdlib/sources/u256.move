/// Arithmetic on `u256` beyond the instructions. Functions abort with the VM's arithmetic error where a result does not fit.
module std::u256 {
    /// The larger of two numbers.
    public fun max(x: u256, y: u256): u256 {
        if (x < y) y else x
    }

    /// The smaller of two numbers.
    public fun min(x: u256, y: u256): u256 {
        if (y < x) y else x
    }

    /// The distance between two numbers.
    public fun diff(x: u256, y: u256): u256 {
        if (x < y) y - x else x - y
    }

    /// `x / y`, rounded up.
    public fun divide_and_round_up(x: u256, y: u256): u256 {
        let quotient = x / y;
        if (quotient * y == x) quotient else quotient + 1
    }

    /// `x * y / z` rounded down. Each factor is split into its multiple of `z` and a rest; the product of the rests must
    /// fit, as on the networks that run release 27. Equal factor and divisor cancel, zero included.
    public fun multiple_and_divide(x: u256, y: u256, z: u256): u256 {
        if (y == z) return x;
        if (x == z) return y;
        let (x_whole, x_rest) = (x / z, x % z);
        let (y_whole, y_rest) = (y / z, y % z);
        x_whole * y + x_rest * y_whole + x_rest * y_rest / z
    }

    /// `base` to the power of `exponent`, by squaring. Aborts only where the result itself does not fit.
    public fun pow(base: u256, exponent: u8): u256 {
        let result = 1;
        while (exponent > 0) {
            if (exponent & 1 == 1) result = result * base;
            exponent = exponent >> 1;
            if (exponent > 0) base = base * base;
        };
        result
    }
}
