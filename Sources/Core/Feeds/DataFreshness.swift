import Timekeeping

/// When data were made, by their own word, and how long they count.
///
/// An upstream that repeats itself answers well and in time; only this tells.
package struct DataFreshness: Hashable, Sendable {
    package var time: Timestamp
    package var ageMax: Duration

    package init(time: Timestamp, ageMax: Duration) {
        self.time = time
        self.ageMax = ageMax
    }
}
