import ClientWire
import Service
import Wire

/// The answer to a request for a client's stream without valid commands.
struct StreamCommandsRefusal: Error {
    let response: ServerResponse
    /// The bound that the request exceeds, if any.
    var bound: Bound?

    init(_ status: Int, _ text: String, bound: Bound? = nil) {
        response = ServerResponse(status: status, text: text)
        self.bound = bound
    }
}

extension ClientStreamFraming {
    /// Returns the commands of the request's content, or of `cf_connect` in the query: an
    /// `EventSource` sends no content.
    func firstCommands(
        _ head: HTTPRequestHead,
        _ body: [UInt8],
        bytesMax: Int
    ) throws(StreamCommandsRefusal) -> [UInt8] {
        let commands: [UInt8]
        switch self {
        case .lines:
            if let type = head.headers.first("Content-Type"), type.hasPrefix("application/octet") {
                throw StreamCommandsRefusal(
                    415,
                    "Content-Type: found \(type), expected application/json"
                )
            }
            commands = body
        case .events:
            commands =
                head.queryItems().first { $0.name == "cf_connect" }.map { Array($0.value.utf8) }
                ?? []
        }
        guard !commands.isEmpty else {
            throw StreamCommandsRefusal(400, "expected a connect command")
        }
        guard commands.count <= bytesMax else {
            let text = "\(commands.count) bytes, at most \(bytesMax)"
            throw StreamCommandsRefusal(413, text, bound: .connectBytes)
        }
        guard String(validating: commands, as: UTF8.self) != nil else {
            throw StreamCommandsRefusal(400, "expected UTF-8")
        }
        if self == .events, let place = OpeningCommands.firstOther(in: commands) {
            let expected = "expected connect or subscribe in cf_connect, others at /emulation"
            throw StreamCommandsRefusal(400, "command \(place): \(expected)")
        }
        return commands
    }
}
