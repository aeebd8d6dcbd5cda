import Expectations
import Foundation
import Repository
import Wire

@testable import AuroraTools
@testable import Replay

/// The text of the demo's manifest without its news.
let demoYAML = try! demoManifest(without: "news")

/// The recording of the demo, read once for all tests.
let demo = try! Recording(
    yaml: demoYAML,
    path: "demo/replay.yaml",
    upstreams: [AuroraRecordings.self]
) { name throws(RecordingError) in
    do { return try recorded(name.replacing("../recordings/", with: "")).bytes } catch {
        throw RecordingError(path: name, problem: "\(error)")
    }
}

/// A recording of the demo's files under another manifest.
func recording(yaml: String) throws(RecordingError) -> Recording {
    try Recording(yaml: yaml, path: "replay.yaml", upstreams: [AuroraRecordings.self]) {
        name throws(RecordingError) in
        guard let bytes = demoFiles[name] else {
            throw RecordingError(path: name, problem: "cannot be read")
        }
        return bytes
    }
}

/// The files of the demo by the name that its manifest gives them, read once.
private let demoFiles: [String: [UInt8]] = {
    var files: [String: [UInt8]] = [:]
    for source in demo.manifest.sources {
        for path in source.files {
            files[path] = try? recorded(String(path.dropFirst("../recordings/".count))).bytes
        }
    }
    return files
}()

/// A file under recordings/.
func recorded(_ path: String) throws -> SourceFile {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(repositoryRoot)/recordings/\(path)"))
    return SourceFile(path: path, bytes: Array(data))
}

/// A file made by a test.
func made(_ text: String) -> SourceFile {
    SourceFile(path: "made.json", bytes: Array(text.utf8))
}

func time(_ text: String) -> Timestamp {
    Timestamp(iso8601: text)!
}

/// Times all over the demo: before it, at its edges, in it, days after it, and off the minute.
let clocks = [
    "2024-12-01T05:00:00Z", "2024-12-09T11:59:59Z", "2024-12-09T12:00:00Z",
    "2024-12-09T16:00:00Z", "2024-12-09T18:30:00.001Z", "2024-12-09T19:14:37Z",
    "2024-12-09T21:03:59.999Z", "2024-12-10T00:00:00Z", "2024-12-10T00:12:00Z",
    "2024-12-10T11:59:59.999Z", "2024-12-10T12:00:00Z", "2024-12-31T23:59:30Z",
    "2025-01-09T19:14:37Z", "2028-02-29T03:00:00Z",
].map(time)

/// Locationforecast as a client asks for it that keeps the conditions of use.
let forecastTarget = "\(Product.locationforecast.path)?lat=69.6492&lon=18.9553"

func request(
    _ target: String,
    method: String = "GET",
    headers: HTTPHeaders = [:]
) -> HTTPRequestHead {
    var headers = headers
    if !headers.contains("User-Agent") {
        headers.append("User-Agent", "varde/1.0 ops@example.org")
    }
    return HTTPRequestHead(method: method, target: target, headers: headers)
}

func request(_ product: Product, headers: HTTPHeaders = [:]) -> HTTPRequestHead {
    request(product == .locationforecast ? forecastTarget : product.path, headers: headers)
}

extension Recording {
    var aurora: AuroraRecordings { upstreams[0] as! AuroraRecordings }

    /// The bytes of the answer to a plain GET.
    func bytes(_ product: Product, at clock: Timestamp) throws -> [UInt8] {
        try require(respond(to: request(product), at: clock).bytes)
    }

    /// The rows of a product that is an array of objects.
    func objects(_ product: Product, at clock: Timestamp) throws -> [[String: Any]] {
        let json = try JSONSerialization.jsonObject(with: Data(bytes(product, at: clock)))
        return try require(json as? [[String: Any]])
    }

    /// The product that is an object.
    func object(_ product: Product, at clock: Timestamp) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(bytes(product, at: clock)))
        return try require(json as? [String: Any])
    }
}

extension ReplayResponse {
    /// The body; nil when it is not bytes.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { return bytes }
        return nil
    }

    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

/// The time that a JSON text stands for.
func time(of json: Any?) throws -> Timestamp {
    let text = try require(json as? String)
    return try require(Timestamp(iso8601: text))
}

extension Dictionary<String, Any> {
    func time(_ key: String) throws -> Timestamp {
        try AuroraToolsTests.time(of: self[key])
    }
}
