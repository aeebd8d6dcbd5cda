import Foundation
import Repository
import Wire

@testable import NewsTools
@testable import Replay

func time(_ text: String) -> Timestamp {
    Timestamp(iso8601: text)!
}

/// The feeds of the demo.
let demoFile: [UInt8] = Array(
    try! Data(
        contentsOf: URL(
            filePath: repositoryRoot + "/recordings/news/feeds.2024-12-09.synthetic.json"
        )
    )
)

/// The demo's night with nothing but its news.
let newsYAML = """
    night: 2024-12-09
    begins: 2024-12-09T12:00Z
    starts: 2024-12-09T16:00Z
    ends: 2024-12-10T03:00Z
    speed: 360
    recordings:
      - {name: news, product: news, file: news.json, status: synthetic, note: feeds}
    tracks:
      news:
        before: [{at: 2024-12-08T12:00Z, recording: news, from: 2024-12-08T12:00Z}]
        night: [{at: 2024-12-09T12:00Z, recording: news, from: 2024-12-09T12:00Z}]

    """

func recording(
    yaml: String = newsYAML,
    files: [String: [UInt8]] = ["news.json": demoFile]
) throws(RecordingError) -> Recording {
    try Recording(yaml: yaml, path: "replay.yaml", upstreams: [NewsRecordings.self]) {
        path throws(RecordingError) in
        guard let bytes = files[path] else {
            throw RecordingError(path: path, problem: "cannot be read")
        }
        return bytes
    }
}

func news(of recording: Recording) -> NewsRecordings {
    recording.upstreams[0] as! NewsRecordings
}

extension Recording {
    func get(_ path: String, at clock: String, _ headers: HTTPHeaders = [:]) -> ReplayResponse {
        respond(to: HTTPRequestHead(target: path, headers: headers), at: time(clock))
    }
}

extension ReplayResponse {
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { return bytes }
        return nil
    }
}
