import Timekeeping

/// What `replay.yaml` says, checked for its form; demo/replay.yaml documents every key.
struct Manifest: Sendable {
    /// How the values of a recording came to be.
    enum Status: String, Sendable, CaseIterable {
        /// As upstream served them.
        case recorded
        /// Measured, but poured into upstream's shape by us.
        case reformatted
        /// Made by hand.
        case synthetic
    }

    struct Source: Sendable {
        var name: String
        var kind: RecordedKind
        /// The paths of its files relative to the manifest's folder, in the order of the kind's keys.
        var files: [String]
        var status: Status
        var note: String
        var line: Int?
    }

    /// A segment of a track, with the name of a recording.
    struct Segment: Sendable, Equatable {
        var at: Timestamp
        var recording: String
        /// Equal to `at` where the recording is one moment.
        var from: Timestamp
        var line: Int?
    }

    struct Track: Sendable, Equatable {
        var before: [Segment]
        var night: [Segment]
        var line: Int?
    }

    /// Where errors say they are.
    var path: String
    /// The date that the night is presented as, `2024-12-09`.
    var night: String
    /// The time at which the first night's day begins; it repeats every 24 hours.
    var begins: Timestamp
    /// Where the clock starts when nobody says otherwise, and where the night is over.
    var starts: Timestamp
    var ends: Timestamp
    /// How much faster than the wall clock the recording's clock runs unless told otherwise.
    var speed: Double
    /// Those whose tracks it has.
    var upstreams: [any RecordedUpstream.Type]
    /// The upstreams' own numbers, by key.
    var numbers: [String: Double]
    var sources: [Source]
    /// By the name of their kind.
    var tracks: [String: Track]
    var faults: [Fault]
}
