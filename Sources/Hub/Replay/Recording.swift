// Replay: a fake upstream made of recordings. It answers HTTP requests for products of NOAA SWPC and
// MET Norway as they would have been answered at a moment of the recording's own clock. Reading the
// files is the only I/O (Recording+Files.swift); everything else turns a request and a time into a
// response. Read Recording, then Timeline, Product, Recording+Responding.

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
    let solarWind: Track<SolarWindTable>
    let planetaryK: Track<KpTable>
    let ovation: Track<OvationGrid>
    let weather: Track<WeatherTable>
    /// Where the recording's clock starts when nobody says otherwise.
    package var start: Timestamp { manifest.starts }
    /// The end of the night worth watching; the recording goes on after it.
    package var end: Timestamp { manifest.ends }
    /// How much faster than the wall clock the recording's clock runs unless told otherwise.
    package var speed: Double { manifest.speed }
    /// The stretches in which products are answered wrongly: those of the manifest at first.
    package var faults: [Fault]

    /// Reads the manifest `yaml` and, through `read`, the files it names, relative to its folder.
    package init(
        yaml: String,
        path: String,
        read: @escaping (String) throws(RecordingError) -> [UInt8]
    ) throws(RecordingError) {
        let manifest = try Manifest(yaml: yaml, path: path)
        let reader = TrackReader(manifest: manifest, read: read)
        self.manifest = manifest
        fingerprint = Recording.fingerprint(yaml)
        try manifest.checkNames()
        solarWind = try reader.solarWind()
        planetaryK = try reader.planetaryK()
        ovation = try reader.ovation()
        weather = try reader.weather()
        faults = manifest.faults
        for fault in faults where fault.path != "*" && Product(rawValue: fault.path) == nil {
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
}

/// The tables of one product and the order in which they play.
struct Track<Table: Sendable>: Sendable {
    var tables: [Table]
    /// What the manifest calls each table.
    var names: [String]
    var timeline: Timeline

    /// The table that plays at a presented time, and where in it that time falls.
    func playing(at time: Timestamp) -> (table: Table, position: Timeline.Position) {
        let position = timeline.position(at: time)
        return (tables[position.table], position)
    }
}
