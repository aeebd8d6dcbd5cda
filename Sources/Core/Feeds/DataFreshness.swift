/// The time when data were made, according to the data, and how long they are valid.
///
/// An upstream that repeats old data answers well and in time; only this reveals it.
package struct DataFreshness: Hashable, Sendable {
    package var time: Timestamp
    package var ageMax: Duration

    package init(time: Timestamp, ageMax: Duration) {
        self.time = time
        self.ageMax = ageMax
    }
}
