// The few functions that the standard library has only through the system's C library, which this module
// does without: so its numbers are the same on every machine.

/// The sum from the smallest summand to the greatest: the same for every order of `summands`.
func orderedSum(_ summands: [Double]) -> Double {
    summands.sorted().reduce(0, +)
}

/// The natural logarithm of a positive, finite number, with a relative error below 10⁻¹⁵.
///
/// x = m · 2ᵉ with m between √½ and √2, and ln m = 2 artanh z = 2 (z + z³/3 + z⁵/5 + …) with
/// z = (m − 1)/(m + 1), so |z| < 0.172: Abramowitz & Stegun, Handbook of Mathematical Functions, 4.1.27.
func naturalLogarithm(_ x: Double) -> Double {
    precondition(x > 0)
    precondition(x.isFinite)
    var significand = x.significand
    var exponent = Double(x.exponent)
    if significand > 2.0.squareRoot() {
        significand /= 2
        exponent += 1
    }
    let z = (significand - 1) / (significand + 1)
    // The first term that is left out, z²³/23, is below 10⁻¹⁸.
    let lastTerm = 21
    var series = 0.0
    for denominator in stride(from: lastTerm, through: 1, by: -2) {
        series = series * z * z + 1 / Double(denominator)
    }
    let logarithmOfTwo = 0.693_147_180_559_945_3
    return exponent * logarithmOfTwo + 2 * z * series
}

/// Returns the probability that a standard normal variable is at least as far from 0 as `z`, on
/// either side; the absolute error is at most 3 · 10⁻⁷.
///
/// 1 − erf(|z|/√2), with the rational approximation 7.1.28 of Abramowitz & Stegun (after Hastings 1955).
func normalTails(_ z: Double) -> Double {
    let coefficients = [
        0.000_043_063_8, 0.000_276_567_2, 0.000_152_014_3,
        0.009_270_527_2, 0.042_282_012_3, 0.070_523_078_4, 1,
    ]
    let x = abs(z) / 2.0.squareRoot()
    var root = coefficients.reduce(0) { $0 * x + $1 }
    // The sixteenth power.
    for _ in 0..<4 { root *= root }
    return 1 / root
}

/// Returns the probability that a standard normal variable is below `z`; the absolute error is at
/// most 2 · 10⁻⁷.
func normalBelow(_ z: Double) -> Double {
    let tail = normalTails(z) / 2
    return z < 0 ? tail : 1 - tail
}

/// e to the power of `x`, with a relative error below 10⁻¹³; 0 where that is smaller than any double.
///
/// x = k ln 2 + r with |r| ≤ ½ ln 2, and the power series of eʳ.
func exponential(_ x: Double) -> Double {
    let exponentMin = -700.0
    guard x > exponentMin else { return 0 }
    precondition(x < -exponentMin)
    let logarithmOfTwo = 0.693_147_180_559_945_3
    let power = (x / logarithmOfTwo).rounded()
    let rest = x - power * logarithmOfTwo
    // The first term that is left out, r¹⁶/16!, is below 10⁻²⁰.
    let lastTerm = 15
    var series = 1.0
    for term in stride(from: lastTerm, through: 1, by: -1) {
        series = 1 + series * rest / Double(term)
    }
    return series * Double(sign: .plus, exponent: Int(power), significand: 1)
}
