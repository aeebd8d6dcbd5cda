import ClientWire
import Wire

/// A resource that the loop itself answers; the responder answers all others.
package enum LoopResource {
    case clientSocket
    case clientStream(ClientStreamFraming)
    case emulation
    case echo
    case eventStream
    case cloudEvents
    case topicSocket(TopicSocket, name: Substring)

    private static let clientSocketPath = "/connection/websocket"
    private static let linesPath = "/connection/http_stream"
    private static let streamEventsPath = "/connection/sse"
    private static let emulationPath = "/emulation"
    private static let echoPath = "/echo"
    private static let eventsPath = "/events"

    /// Nil for a request that the loop does not answer.
    package init?(of head: HTTPRequestHead, _ sockets: [TopicSocket], offersEcho: Bool) {
        switch head.path {
        case LoopResource.clientSocketPath: self = .clientSocket
        case LoopResource.linesPath: self = .clientStream(.lines)
        case LoopResource.streamEventsPath: self = .clientStream(.events)
        case LoopResource.emulationPath: self = .emulation
        case LoopResource.echoPath where offersEcho: self = .echo
        case LoopResource.eventsPath where head.method == "GET" && head.isUpgrade(to: "websocket"):
            self = .cloudEvents
        case LoopResource.eventsPath: self = .eventStream
        case let path:
            guard let socket = sockets.first(where: { path.hasPrefix($0.prefix) }) else {
                return nil
            }
            self = .topicSocket(socket, name: path.dropFirst(socket.prefix.count))
        }
    }

    package var methods: [String] {
        switch self {
        case .clientStream(.lines), .emulation: ["POST", "OPTIONS"]
        // None of them accepts content.
        case .clientSocket, .clientStream(.events), .echo, .eventStream, .cloudEvents,
            .topicSocket:
            ["GET", "HEAD", "OPTIONS"]
        }
    }

    /// For a list of all routes.
    package static func routes(_ sockets: [TopicSocket]) -> [Route] {
        let paths = sockets.map { $0.prefix + ":" + $0.parameter }
        return ([clientSocketPath, echoPath, eventsPath] + paths).map { Route(.get, $0) } + [
            Route(.post, linesPath), Route(.get, streamEventsPath), Route(.post, emulationPath),
        ]
    }
}
