/// The content of `replay.yaml`, validated in form; demo/replay.yaml documents every key.
struct Manifest: Sendable {
    /// The origin of a recording's values.
    enum Status: String, Sendable, CaseIterable {
        /// As upstream served them.
        case recorded
        /// Measured, but converted to upstream's format by us.
        case reformatted
        /// Made by hand.
        case synthetic
    }

    struct Source: Sendable {
        var name: String
        var kind: RecordedKind
        /// The paths of its files, relative to the manifest's folder, in the order of the kind's
        /// keys.
        var files: [String]
        var status: Status
        var note: String
        var line: Int?
    }

    /// A segment of a track, with the name of a recording.
    struct Segment: Sendable, Equatable {
        var at: Timestamp
        var recording: String
        /// Equal to `at` if the recording is one moment.
        var from: Timestamp
        var line: Int?
    }

    struct Track: Sendable, Equatable {
        var before: [Segment]
        var night: [Segment]
        var line: Int?
    }

    /// The path for error messages.
    var path: String
    /// The date that is presented for the night, `2024-12-09`.
    var night: String
    /// The time at which the first night's day begins; it repeats every 24 hours.
    var begins: Timestamp
    /// The default start of the clock, and the end of the night.
    var starts: Timestamp
    var ends: Timestamp
    /// The default speed of the recording's clock, as a multiple of the wall clock's.
    var speed: Double
    /// Those for which it has tracks.
    var upstreams: [any RecordedUpstream.Type]
    /// The upstreams' own numbers, by key.
    var numbers: [String: Double]
    var sources: [Source]
    /// By the name of their kind.
    var tracks: [String: Track]
    var faults: [Fault]
}
