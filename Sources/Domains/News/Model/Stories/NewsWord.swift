/// A word of a title or summary, folded: lower case, Latin letters without accents, no apostrophes.
struct NewsWord: Equatable, Sendable {
    /// Of the folded word; the same in every process and on every machine.
    var hash: UInt64
    /// In UTF-8.
    var length: Int
    /// The word begins with a capital letter.
    var isCapitalised = false
    /// The word is the first one of its text or sentence, where every word begins with a capital.
    var startsSentence = false
    /// The word begins with a digit, or it names a number: `1.5`, `three`, `million`.
    var isNumber = false

    /// A hash of `bytes`: FNV-1a, then mixed so that all bits depend on all bytes.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return mixed(hash)
    }

    /// The finaliser of SplitMix64, a bijection.
    static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
