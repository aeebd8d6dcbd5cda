/// Maps an instant to the recording that plays then, and to a time in that recording.
///
/// A timeline is two days long, cut into segments: the day before the night begins, and the night
/// itself. Before that, the first day repeats into the past; after that, the second day repeats
/// into the future. So a clock may run for days, and there is a past before the first night. Times
/// that the client sees are *presented*; times in a file are *recorded*.
package struct Timeline: Sendable, Equatable {
    /// From `at` on, presents the data recorded from `from` on, one recorded minute per minute.
    package struct Segment: Sendable, Equatable {
        package var at: Timestamp
        /// Index into the tables of the track.
        package var table: Int
        package var from: Timestamp
    }

    /// The position of an instant in a recording.
    package struct Position: Sendable, Equatable {
        package var table: Int
        /// The recorded time.
        package var time: Timestamp
        /// The presented time at which the segment began.
        package var began: Timestamp
    }

    /// The length of a day of the timeline.
    package static let day = Duration.seconds(86_400)

    /// The presented time at which the first night begins.
    let begins: Timestamp
    /// In ascending order; the first is at `begins` minus a day.
    let before: [Segment]
    /// In ascending order; the first is at `begins`.
    let night: [Segment]

    init(begins: Timestamp, before: [Segment], night: [Segment]) {
        precondition(before.first?.at == begins - Timeline.day, "the day before has a gap")
        precondition(night.first?.at == begins, "the night has a gap")
        self.begins = begins
        self.before = before
        self.night = night
    }

    package func position(at instant: Timestamp) -> Position {
        let sinceBegin = Timestamp(milliseconds: instant.milliseconds - begins.milliseconds)
        let dayStart = sinceBegin.roundedDown(to: Timeline.day).milliseconds
        let isBefore = dayStart < 0
        let firstDayStart = isBefore ? -Timeline.day.wholeMilliseconds : 0
        let shift = Duration.milliseconds(dayStart - firstDayStart)
        let inFirstDay = instant - shift
        let segments = isBefore ? before : night
        guard let segment = segments.last(where: { $0.at <= inFirstDay }) else {
            preconditionFailure("the first segment starts the day")
        }
        return Position(
            table: segment.table,
            time: segment.from + (inFirstDay - segment.at),
            began: segment.at + shift
        )
    }

    /// Each segment with the presented time at which it ends.
    var spans: [(segment: Segment, end: Timestamp)] {
        spans(of: before, end: begins) + spans(of: night, end: begins + Timeline.day)
    }

    private func spans(
        of segments: [Segment],
        end: Timestamp
    ) -> [(segment: Segment, end: Timestamp)] {
        let ends = segments.dropFirst().map(\.at) + [end]
        return zip(segments, ends).map { ($0, $1) }
    }
}
