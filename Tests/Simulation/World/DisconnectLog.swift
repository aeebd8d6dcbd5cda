import Logging

/// The hub's log, as far as it tells why clients were disconnected.
///
/// `@unchecked Sendable`: a log handler has to be; a world lives on one thread.
final class DisconnectLog: LogHandler, @unchecked Sendable {
    struct Line {
        var code: Int
        var reason: String
    }

    /// By the client's id.
    private(set) var lines: [String: Line] = [:]
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.message == "client disconnected", let metadata = event.metadata,
            let client = metadata["client"]
        else { return }
        lines["\(client)"] = Line(
            code: metadata["code"].flatMap { Int("\($0)") } ?? 0,
            reason: metadata["reason"].map { "\($0)" } ?? ""
        )
    }
}
