import ClientWire
import Expectations
import Wire

@testable import Loops

@Suite("Loop: the resources that it answers", .timeLimit(.minutes(10)))
struct LoopResourceTests {
    private let sockets = [
        TopicSocket(prefix: "/radar/", parameter: "id", name: "radar", notFound: "none") { _ in
            nil
        }
    ]

    private func resource(
        _ target: String,
        _ method: String = "GET",
        _ headers: HTTPHeaders = [:],
        offersEcho: Bool = false
    ) -> LoopResource? {
        let head = HTTPRequestHead(method: method, target: target, headers: headers)
        return LoopResource(of: head, sockets, offersEcho: offersEcho)
    }

    @Test(arguments: [
        ("/connection/websocket", ["GET", "HEAD", "OPTIONS"]),
        ("/connection/http_stream", ["POST", "OPTIONS"]),
        ("/connection/sse", ["GET", "HEAD", "OPTIONS"]), ("/emulation", ["POST", "OPTIONS"]),
        ("/events?topics=a", ["GET", "HEAD", "OPTIONS"]),
        ("/radar/7", ["GET", "HEAD", "OPTIONS"]),
    ])
    func pathHasItsMethods(target: String, methods: [String]) {
        expectEqual(resource(target)?.methods, methods)
    }

    @Test func otherPathsAreForTheResponder() {
        expectNil(resource("/api/publish")?.methods)
        expectNil(resource("/echo")?.methods)
        expect(resource("/echo", offersEcho: true) != nil)
    }

    @Test func eventsAreAWebSocketIfTheRequestAsksForOne() {
        let upgrade: HTTPHeaders = ["Connection": "Upgrade", "Upgrade": "websocket"]
        func isWebSocket(_ resource: LoopResource?) -> Bool {
            if case .cloudEvents = resource { true } else { false }
        }
        expect(isWebSocket(resource("/events", "GET", upgrade)))
        expect(!isWebSocket(resource("/events")))
        expect(!isWebSocket(resource("/events", "POST", upgrade)))
    }

    @Test func nameOfATopicSocketIsTheRestOfThePath() {
        guard case .topicSocket(let socket, let name) = resource("/radar/7/x") else {
            return expect(false)
        }
        expectEqual(socket.name, "radar")
        expectEqual(name, "7/x")
    }

    // MARK: Commands of a stream

    private func status(
        _ framing: ClientStreamFraming,
        _ target: String,
        _ body: String = "",
        _ headers: HTTPHeaders = [:]
    ) -> Int? {
        let head = HTTPRequestHead(method: "POST", target: target, headers: headers)
        do throws(StreamCommandsRefusal) {
            _ = try framing.firstCommands(head, Array(body.utf8), bytesMax: 100)
            return nil
        } catch {
            expectEqual(error.bound, error.response.head.status == 413 ? .connectBytes : nil)
            return error.response.head.status
        }
    }

    @Test func streamOpensWithCommandsInItsContentOrItsQuery() {
        let connect = #"{"id":1,"connect":{}}"#
        expectNil(status(.lines, "/connection/http_stream", connect))
        expectEqual(status(.lines, "/connection/http_stream"), 400)
        let octets: HTTPHeaders = ["Content-Type": "application/octet-stream"]
        expectEqual(status(.lines, "/connection/http_stream", connect, octets), 415)
        let long = String(repeating: "x", count: 101)
        expectEqual(status(.lines, "/connection/http_stream", long), 413)
        expectNil(
            status(.events, "/connection/sse?cf_connect=%7B%22id%22:1,%22connect%22:%7B%7D%7D")
        )
        expectEqual(status(.events, "/connection/sse", connect), 400)
    }
}
