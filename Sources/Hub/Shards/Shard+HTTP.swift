import HTTPService
import HTTPWire
import LogOutput
import Reactor
import Routing

/// Requests: read, refused by their head, or sent where they are answered.
extension Shard {
    /// What is answered on the loop itself; everything else is the responder's.
    private enum Resource {
        case clientSocket
        case echo
        case eventStream
        case cloudEvents
        case topicSocket(TopicSocket, name: Substring)

        /// None of them takes content.
        static let methods = ["GET", "HEAD", "OPTIONS"]
    }

    /// RFC 9110 §9.1: "An origin server that receives a request method that is unrecognized or not
    /// implemented SHOULD respond with the 501 (Not Implemented) status code." These are recognized;
    /// a resource that has one of them not is 405. CONNECT is for proxies.
    private static let methodsKnown: Set = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
    ]

    private static let clientSocketPath = "/connection/websocket"
    private static let echoPath = "/echo"
    private static let eventsPath = "/events"

    /// What is answered on the loop itself, for a listing of all routes.
    package static func routes(_ sockets: [TopicSocket]) -> [Route] {
        let paths = sockets.map { $0.prefix + ":" + $0.parameter }
        return ([clientSocketPath, echoPath, eventsPath] + paths).map { Route(.get, $0) }
    }

    private func resource(of head: HTTPRequestHead) -> Resource? {
        switch head.path {
        case Shard.clientSocketPath: .clientSocket
        case Shard.echoPath where settings.offersEcho: .echo
        case Shard.eventsPath where head.method == "GET" && head.isUpgrade(to: "websocket"):
            .cloudEvents
        case Shard.eventsPath: .eventStream
        case let path:
            sockets.first { path.hasPrefix($0.prefix) }
                .map { .topicSocket($0, name: path.dropFirst($0.prefix.count)) }
        }
    }

    package func receiveHTTP(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: HTTPSession,
        on id: ConnectionID
    ) {
        guard !session.isAnswering else {
            session.unparsed.append(contentsOf: bytes)
            return
        }
        // The time for a request begins with its first byte.
        if session.head == nil, session.parser.isIdle {
            connections.setDeadline(now + settings.requestTimeout, on: id)
        }
        var consumed = 0
        do throws(HTTPRequestError) {
            while let event = try session.parser.next(
                UnsafeBufferPointer(bytes).span,
                consumed: &consumed
            ) {
                switch event {
                case .head(let head):
                    session.head = head
                    if let refusal = refusal(of: head) {
                        return refuse(refusal, answering: head, on: id)
                    }
                    // RFC 9110 §10.1.1: a server "MAY omit sending a 100 (Continue) response if it has
                    // already received some or all of the content".
                    if head.expectsContinue, consumed == bytes.count { sendContinue(on: id) }
                case .body(let range): session.body.append(contentsOf: bytes[range])
                case .end:
                    let rest = UnsafeMutableBufferPointer(rebasing: bytes[consumed...])
                    return dispatch(session, rest: rest, on: id)
                }
            }
        } catch {
            count(error)
            let response = ServerResponse(status: error.status, text: "\(error)")
            refuse(response, session, on: id)
        }
    }

    /// Why a request is refused before its content has come; nil when it is not.
    private func refusal(of head: HTTPRequestHead) -> ServerResponse? {
        guard Shard.methodsKnown.contains(head.method) else {
            return ServerResponse(status: 501, text: "method not implemented")
        }
        guard head.unknownExpectation == nil else {
            return ServerResponse(status: 417, text: "no expectation but 100-continue is met")
        }
        guard resource(of: head) == nil || Resource.methods.contains(head.method) else {
            return .methodNotAllowed(allowed: Resource.methods)
        }
        return nil
    }

    private func sendContinue(on id: ConnectionID) {
        connections.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: id)
    }

    /// Sends a whole request where it belongs. Bytes behind it wait, or go to the upgraded connection.
    private func dispatch(
        _ session: HTTPSession,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard let head = session.head else { preconditionFailure("a request ended without a head") }
        let resource = resource(of: head)
        if let resource, head.method != "OPTIONS" {
            switch resource {
            case .clientSocket: upgradeClient(head, rest: rest, on: id)
            case .echo: upgradeEcho(head, rest: rest, on: id)
            case .eventStream: openEventStream(head, on: id)
            case .cloudEvents: openCloudEvents(head, rest: rest, on: id)
            case .topicSocket(let socket, let name):
                openTopicSocket(socket, name, head, rest: rest, on: id)
            }
            return
        }
        let request = ServerRequest(head: head, body: session.body, peer: connections.peer(id))
        session.body = []
        session.isAnswering = true
        session.unparsed.append(contentsOf: rest)
        connections.setReading(false, on: id)
        connections.setDeadline(nil, on: id)
        if resource == nil {
            answer(request, on: id)
        } else {
            // Not at once: a thousand of them in one input would nest as deep.
            post(.options(allowed: Resource.methods), on: id)
        }
    }

    private func answer(_ request: ServerRequest, on id: ConnectionID) {
        Task { [self, respond] in
            let response = await respond(request)
            post(response, on: id)
        }
    }

    private nonisolated func post(_ response: ServerResponse, on id: ConnectionID) {
        guard !mailbox.post(.response(id, response)) else { return }
        // The loop hangs: there are fewer connections than places in its mailbox.
        logger.error("response lost: the mailbox of its loop is full", source: LogSource.peer)
    }

    /// Reads the request that came while the last one was being answered.
    package func parseNext(_ session: HTTPSession, on id: ConnectionID) {
        guard !session.unparsed.isEmpty else { return }
        var waiting = session.unparsed
        session.unparsed = []
        waiting.withUnsafeMutableBufferPointer { receiveHTTP($0, session, on: id) }
        accountForInput(of: id)
    }
}
