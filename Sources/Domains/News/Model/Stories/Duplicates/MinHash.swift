/// Signatures of sets: the more alike two sets are, the more values their signatures share.
///
/// The share of equal values estimates the Jaccard similarity of the sets. The values are cut into
/// bands; two sets are compared if they agree in one band. With a similarity s that happens with
/// the probability 1 − (1 − s⁴)³²: 0.99998 for .8, 0.87 for .5, 0.23 for .3 and 0.003 for .1.
enum MinHash {
    static let valueCount = 128
    static let bandCount = 32
    private static let bandLength = valueCount / bandCount

    /// Factors of the hash functions x ↦ x · factor + summand, which keep the upper half.
    private static let factors = (0..<UInt64(valueCount)).map { NewsWord.mixed(2 * $0 + 1) | 1 }
    private static let summands = (0..<UInt64(valueCount)).map { NewsWord.mixed(2 * $0 + 2) }

    /// The least value of each hash function over the elements.
    static func signature(of elements: [UInt64]) -> [UInt32] {
        var values = [UInt32](repeating: .max, count: valueCount)
        for element in elements {
            for index in 0..<valueCount {
                let product = element &* factors[index] &+ summands[index]
                values[index] = min(values[index], UInt32(truncatingIfNeeded: product >> 32))
            }
        }
        return values
    }

    /// A key for each band.
    static func bandKeys(of elements: [UInt64]) -> [UInt64] {
        let values = signature(of: elements)
        return (0..<bandCount).map { band in
            let start = band * bandLength
            return values[start..<start + bandLength].reduce(UInt64(band)) {
                NewsWord.mixed($0 &+ UInt64($1) &+ 0x9E37_79B9_7F4A_7C15)
            }
        }
    }
}
