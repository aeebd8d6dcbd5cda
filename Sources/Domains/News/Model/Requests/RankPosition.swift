/// The place of an entry in a ranked list: the greatest key first, of equal keys the greatest id.
///
/// A rank key is constant in time, log2(score) + time of publication / half-life, so entries never
/// change places among themselves and a list goes on exactly where it ended, whatever has come
/// meanwhile.
package struct RankPosition: Hashable, Sendable {
    /// Not NaN.
    package let key: Double
    package let id: Int

    package init(key: Double, id: Int) {
        precondition(!key.isNaN, "a rank key is NaN")
        self.key = key
        self.id = id
    }

    /// Before all entries.
    package static let start = RankPosition(key: .infinity, id: .max)

    /// Whether it comes before another place of the list.
    package func precedes(_ other: RankPosition) -> Bool {
        (other.key, other.id) < (key, id)
    }
}
