// Replay: fake upstreams made of recordings. They answer HTTP requests as upstream would have answered
// them at a moment of the recording's own clock. Domains say which products there are (RecordedUpstream).
// Reading the files is the only I/O (Recording+Files.swift); everything else turns a request and a time
// into a response. Read Recording, then Timeline, RecordedUpstream, Recording+Responding.

import HTTPWire
import Timekeeping

/// A night made of recordings, ready to be played.
///
/// Segments of several recordings, each shifted in time by a constant, stand beside one another as
/// one night. What is recorded, reformatted or synthetic is named in the manifest, in `description`
/// and in the `X-Replay` field of every response.
package struct Recording: Sendable {
    let manifest: Manifest
    /// Tells validators of this manifest from those of another one behind the same address.
    let fingerprint: String
    /// Those that the manifest has tracks for.
    package let upstreams: [any RecordedUpstream]
    /// Of all upstreams, in the order in which they list them.
    let products: [RecordedProduct]
    /// Where the recording's clock starts when nobody says otherwise.
    package var start: Timestamp { manifest.starts }
    /// The end of the night worth watching; the recording goes on after it.
    package var end: Timestamp { manifest.ends }
    /// How much faster than the wall clock the recording's clock runs unless told otherwise.
    package var speed: Double { manifest.speed }
    /// The stretches in which products are answered wrongly: those of the manifest at first.
    package var faults: [Fault]

    /// Reads the manifest `yaml` and, through `read`, the files it names, relative to its folder.
    ///
    /// - Parameter upstreams: those that recordings can have. A manifest without a track of any of
    ///   them is one that lacks all tracks.
    package init(
        yaml: String,
        path: String,
        upstreams: [any RecordedUpstream.Type],
        read: @escaping @Sendable (String) throws(RecordingError) -> [UInt8]
    ) throws(RecordingError) {
        let manifest = try Manifest(yaml: yaml, path: path, upstreams: upstreams)
        let reader = TrackReader(manifest: manifest, read: read)
        self.manifest = manifest
        fingerprint = Recording.fingerprint(yaml)
        try manifest.checkNames()
        var opened: [any RecordedUpstream] = []
        for upstream in manifest.upstreams { opened.append(try upstream.init(reader)) }
        self.upstreams = opened
        products = opened.flatMap(\.products)
        faults = manifest.faults
        for fault in faults where fault.path != "*" && product(at: fault.path) == nil {
            throw RecordingError(path: path, problem: "fault of the unknown path '\(fault.path)'")
        }
    }

    /// FNV-1a, 32 bits, in hexadecimal.
    private static func fingerprint(_ text: String) -> String {
        let offsetBasis: UInt32 = 0x811C_9DC5
        let prime: UInt32 = 0x0100_0193
        let hash = text.utf8.reduce(offsetBasis) { ($0 ^ UInt32($1)) &* prime }
        return String(hash, radix: 16)
    }

    func product(at path: String) -> RecordedProduct? {
        products.first { $0.path == path }
    }
}

/// The tables of one kind of recordings and the order in which they play.
package struct Track<Table: Sendable>: Sendable {
    package var tables: [Table]
    /// What the manifest calls each table.
    package var names: [String]
    package var timeline: Timeline

    /// The table that plays at a presented time, and where in it that time falls.
    package func playing(at time: Timestamp) -> (table: Table, position: Timeline.Position) {
        let position = timeline.position(at: time)
        return (tables[position.table], position)
    }

    /// The dates, `2024-12-09`, of what is played of a recording, in order.
    package func datesPlayed(of name: String) -> [String] {
        var dates: Set<String> = []
        for (segment, end) in timeline.spans where names[segment.table] == name {
            let last = segment.from + (end - segment.at) - .seconds(60)
            var date = segment.from.roundedDown(to: Timeline.day)
            while date <= last {
                dates.insert(date.iso8601Date)
                date = date + Timeline.day
            }
        }
        return dates.sorted()
    }
}
