import ConformanceCases
import Expectations
import Wire

/// Lets a case run against an echo endpoint of that role, in memory; nil when it conforms.
func rehearse<Codec: WireCodec & ~Copyable>(
    _ conformanceCase: ConformanceCase,
    against role: Role,
    as codec: consuming Codec,
    delivery: Delivery? = nil,
    deflate: DeflateParameters? = nil,
    exchangeCountMax: Int = .max
) -> String? {
    var endpoint = EchoEndpoint(role: role, limits: .conformance, deflate: deflate)
    var run = CaseRun(
        conformanceCase.script(),
        delivery: delivery ?? conformanceCase.delivery,
        codec: codec,
        exchangeCountMax: exchangeCountMax
    )
    /// What the endpoint said and nobody has heard.
    var said: [UInt8] = []
    while true {
        switch run.next() {
        case .send(let pieces):
            for piece in pieces { said += endpoint.answer(piece) }
        case .receive, .receiveEnd:
            if !said.isEmpty {
                run.received(said)
                said = []
                continue
            }
            // A client waits for the server to end the stream; a server does it by itself.
            let endsStream =
                endpoint.connection.shouldCloseTransport || endpoint.connection.isClosed
            guard endsStream else { return "the endpoint is silent and leaves the stream open" }
            run.streamEnded()
        case .expectSilence:
            guard said.isEmpty else { return "the endpoint answers too early" }
            guard endpoint.connection.isOpen else { return "the endpoint gives up too early" }
        case .done(let problem):
            if problem == nil, !endpoint.connection.isClosed { return "the endpoint is not closed" }
            if !endpoint.connection.assembled.isEmpty { return "the endpoint holds memory" }
            return problem
        }
    }
}

extension Role {
    var peer: Role {
        switch self {
        case .server: .client
        case .client: .server
        }
    }
}
