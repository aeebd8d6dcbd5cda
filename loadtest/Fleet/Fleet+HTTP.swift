import Reactor
import Wire

/// One connection's requests and responses, one at a time.
final class Exchange {
    var responses = HTTPResponseParser()
    fileprivate var status = 0
    fileprivate var content: [UInt8] = []

    fileprivate func begin(_ head: HTTPResponseHead) {
        status = head.status
        content.removeAll(keepingCapacity: true)
    }

    /// The content for a reader that may send the next request meanwhile.
    fileprivate func takeContent() -> [UInt8] {
        defer { content = [] }
        return content
    }
}

/// Connections that stay with HTTP: requests that the scenario makes, and responses, of which it gets the content.
extension Fleet {
    /// Sends a POST request. The content of its response, with status 200, is given to the scenario; any other
    /// status ends the connection.
    ///
    /// The response to the request before has to be there.
    mutating func post(_ request: [UInt8], on id: ConnectionID) {
        guard let peer = peer(id), case .exchanging(let exchange) = peer.phase else { return }
        exchange.responses.expectResponse(to: "POST")
        connections.send(request, on: id)
    }

    mutating func startExchanging(_ peer: Peer, _ scenario: inout some Scenario) {
        guard connections.isEstablished(peer.id) else { return }
        becomeReady(peer, as: .exchanging(Exchange()), nil, &scenario)
    }

    mutating func receiveResponses(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ exchange: Exchange,
        _ peer: Peer,
        _ scenario: inout some Scenario
    ) {
        var consumed = 0
        let now = MonotonicInstant.now
        do {
            while peer.reason == nil,
                let event = try exchange.responses.next(
                    UnsafeBufferPointer(bytes).span,
                    consumed: &consumed
                )
            {
                switch event {
                case .informational: break
                case .head(let head): exchange.begin(head)
                case .body(let range): exchange.content += bytes[range]
                case .end: finishResponse(exchange, peer, at: now, &scenario)
                }
            }
        } catch {
            giveUp(peer, because: "\(error)")
        }
    }

    /// Bytes of an unexpected answer that are worth telling.
    private static let refusalLengthMax = 200

    private mutating func finishResponse(
        _ exchange: Exchange,
        _ peer: Peer,
        at now: MonotonicInstant,
        _ scenario: inout some Scenario
    ) {
        let content = exchange.takeContent()
        guard exchange.status == 200 else {
            let line = content.prefix { $0 != UInt8(ascii: "\n") }
            let text = String(decoding: line.prefix(Fleet.refusalLengthMax), as: UTF8.self)
            return giveUp(peer, because: "answered with status \(exchange.status): \(text)")
        }
        content.withUnsafeBytes { scenario.received($0, on: peer, at: now, &self) }
    }
}
