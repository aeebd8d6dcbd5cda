import Replay

extension SourceFile {
    /// True for the shape that SWPC used until 2026: `[["time_tag",…],["2026-…",…]]`.
    var isArrayOfArrays: Bool {
        let bracket = UInt8(ascii: "[")
        return bytes.lazy.filter { $0 > UInt8(ascii: " ") }.prefix(2).elementsEqual([
            bracket, bracket,
        ])
    }
}
