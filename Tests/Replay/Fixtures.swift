import Wire

@testable import Replay

func time(_ text: String) -> Timestamp {
    Timestamp(iso8601: text)!
}

/// A recording of the tides: the table of a file is its text.
struct Tides: RecordedUpstream {
    static let kind = RecordedKind(name: "tides", title: "tides", files: ["file"])
    static let schema = RecordingSchema(
        kinds: [kind],
        numbers: [RecordedNumber(key: "tides_every", range: 1...60)]
    )

    let track: Track<String>
    let every: Duration

    init(_ reader: TrackReader) throws(RecordingError) {
        every = .seconds(60 * reader.number("tides_every"))
        track = try reader.track(Tides.kind) { files throws(RecordingError) in
            String(decoding: files[0].bytes, as: UTF8.self)
        } check: { table, segment, length in
            table.isEmpty ? "has no tides for \(length)" : nil
        }
    }

    var products: [RecordedProduct] {
        [
            RecordedProduct(
                path: "/tides",
                name: "tides",
                version: { $0.roundedDown(to: every) },
                body: { Array("\(track.playing(at: $0).table) at \($0.iso8601Seconds)".utf8) },
                freshness: { ["Expires": ($0 + every).httpDate] },
                refusal: { request, _ in
                    request.headers.contains("Cookie")
                        ? RecordedProduct.Refusal(403, "no cookies") : nil
                }
            )
        ]
    }

    func datesPlayed(of recording: String, kind: RecordedKind) -> [String] {
        track.datesPlayed(of: recording)
    }
}

/// A recording of stills, each one moment, of which two files make one.
struct Stills: RecordedUpstream {
    static let kind = RecordedKind(
        name: "stills",
        title: "still pictures",
        files: ["left", "right"],
        standsStill: true
    )
    static let schema = RecordingSchema(kinds: [kind])

    let track: Track<[UInt8]>

    init(_ reader: TrackReader) throws(RecordingError) {
        track = try reader.track(Stills.kind) { files throws(RecordingError) in
            files.flatMap(\.bytes)
        } check: { _, _, _ in
            nil
        }
    }

    var products: [RecordedProduct] {
        [
            RecordedProduct(
                path: "/stills",
                name: "stills",
                contentType: "image/png",
                version: { track.timeline.position(at: $0).began },
                body: { track.playing(at: $0).table }
            )
        ]
    }

    func datesPlayed(of recording: String, kind: RecordedKind) -> [String] { ["2020-02-29"] }
}

/// A manifest of both.
let yamlOfBoth = """
    night: 2024-12-09
    begins: 2024-12-09T12:00Z
    starts: 2024-12-09T16:00Z
    ends: 2024-12-10T03:00Z
    speed: 60
    tides_every: 10
    recordings:
      - {name: low, product: tides, file: low.txt, status: recorded, note: an ebb}
      - {name: high, product: tides, file: high.txt, status: synthetic, note: a flood}
      - {name: pair, product: stills, left: a, right: b, status: recorded, note: two}
    tracks:
      tides:
        before: [{at: 2024-12-08T12:00Z, recording: low, from: 2023-05-01T23:00Z}]
        night:
          - {at: 2024-12-09T12:00Z, recording: low, from: 2023-05-01T23:00Z}
          - {at: 2024-12-09T20:00Z, recording: high, from: 2023-06-01T00:00Z}
      stills:
        before: [{at: 2024-12-08T12:00Z, recording: pair}]
        night: [{at: 2024-12-09T12:00Z, recording: pair}]

    """

/// A manifest of the tides only.
let yamlOfTides = yamlOfBoth.split(separator: "\n", omittingEmptySubsequences: false)
    .filter { !$0.contains("pair") && !$0.contains("stills") }.joined(separator: "\n")

func recording(
    yaml: String,
    upstreams: [any RecordedUpstream.Type] = [Tides.self, Stills.self]
) throws(RecordingError) -> Recording {
    try Recording(yaml: yaml, path: "replay.yaml", upstreams: upstreams) {
        path throws(RecordingError) in
        let files = ["low.txt": "low", "high.txt": "high", "a": "A", "b": "B", "empty": ""]
        guard let text = files[path] else {
            throw RecordingError(path: path, problem: "cannot be read")
        }
        return Array(text.utf8)
    }
}

extension ReplayResponse {
    var text: String? {
        if case .bytes(let bytes) = body { return String(decoding: bytes, as: UTF8.self) }
        return nil
    }
}
