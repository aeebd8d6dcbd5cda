// Replay: simulated upstreams made of recordings. They answer HTTP requests as upstream would have
// answered them at a time of the recording's own clock. Domains define the products
// (RecordedUpstream). Reading the files is the only I/O (Recording+Files.swift); everything else
// turns a request and a time into a response. Read Recording, then Timeline, RecordedUpstream,
// Recording+Responding.

import Wire

/// A night made of recordings, ready to be played.
///
/// Segments of several recordings, each shifted in time by a constant, form one night. The
/// manifest, `description` and the `X-Replay` field of every response state which parts are
/// recorded, reformatted or synthetic.
package struct Recording: Sendable {
    let manifest: Manifest
    /// Distinguishes the validators of this manifest from those of another one at the same address.
    let fingerprint: String
    /// Those for which the manifest has tracks.
    package let upstreams: [any RecordedUpstream]
    /// The products of all upstreams, in the upstreams' order.
    let products: [RecordedProduct]
    /// The default start of the recording's clock.
    package var start: Timestamp { manifest.starts }
    /// The end of the night worth watching; the recording goes on after it.
    package var end: Timestamp { manifest.ends }
    /// The default speed of the recording's clock, as a multiple of the wall clock's.
    package var speed: Double { manifest.speed }
    /// The periods in which products are answered wrongly; initially those of the manifest.
    package var faults: [Fault]

    /// Reads the manifest `yaml` and, through `read`, the files that it names, relative to its
    /// folder.
    ///
    /// - Parameter upstreams: the upstreams that recordings can have. A manifest without a track of
    ///   any of them is reported as lacking all tracks.
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
    /// The name of each table in the manifest.
    package var names: [String]
    package var timeline: Timeline

    /// Returns the table that plays at a presented time, and the position of that time in it.
    package func playing(at time: Timestamp) -> (table: Table, position: Timeline.Position) {
        let position = timeline.position(at: time)
        return (tables[position.table], position)
    }

    /// Returns the dates, `2024-12-09`, of the played parts of a recording, in order.
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
