import Expectations
import SeededRandom
import Wire

@Suite("RFC 7692 §5 and §7.1, the client's side of the negotiation", .timeLimit(.minutes(10)))
struct DeflateClientNegotiationTests {
    private func handshake(_ settings: DeflateSettings?) -> ClientHandshake {
        ClientHandshake(
            host: "example.com",
            nonce: ClientHandshakeTests.nonce,
            deflate: settings
        )
    }

    private func verify(
        _ responses: String...,
        offered settings: DeflateSettings?
    ) throws(HandshakeError) -> DeflateParameters? {
        var headers = ClientHandshakeTests.example
        for response in responses { headers.append("Sec-WebSocket-Extensions", response) }
        let head = HTTPResponseHead(status: 101, headers: headers)
        return try handshake(settings).verify(head).deflate
    }

    private static let sparing = DeflateSettings()
    private static let generous = DeflateSettings(server: .takenOver, client: .takenOver)
    private static let small = DeflateSettings(
        server: DeflateWindow(bits: 10, isTakenOver: true),
        client: DeflateWindow(bits: 11, isTakenOver: true)
    )
    private static let noTakeover = "; server_no_context_takeover; client_no_context_takeover"

    // MARK: The offer

    @Test
    func clientOffersWhatItsSettingsSay() {
        let offers = [Self.sparing, Self.generous, Self.small, nil].map {
            handshake($0).request.headers.all("Sec-WebSocket-Extensions")
        }
        expectEqual(
            offers,
            [
                ["permessage-deflate" + Self.noTakeover + "; client_max_window_bits"],
                ["permessage-deflate; client_max_window_bits"],
                ["permessage-deflate; server_max_window_bits=10; client_max_window_bits=11"],
                [],
            ]
        )
    }

    // MARK: The response

    struct Case: CustomTestStringConvertible {
        var response: String
        var settings: DeflateSettings
        var parameters: DeflateParameters
        var testDescription: String { response }

        init(
            _ response: String,
            _ settings: DeflateSettings,
            _ server: (Int, Bool),
            _ client: (Int, Bool)
        ) {
            self.response = "permessage-deflate" + response
            self.settings = settings
            parameters = DeflateParameters(
                server: DeflateWindow(bits: server.0, isTakenOver: server.1),
                client: DeflateWindow(bits: client.0, isTakenOver: client.1)
            )
        }
    }

    static let accepted: [Case] = [
        Case("", generous, (15, true), (15, true)),
        // What a server may say without being asked.
        Case("; server_no_context_takeover", generous, (15, false), (15, true)),
        Case("; client_no_context_takeover", generous, (15, true), (15, false)),
        Case("; server_max_window_bits=8", generous, (8, true), (15, true)),
        Case("; server_max_window_bits=15", generous, (15, true), (15, true)),
        Case("; client_max_window_bits=8", generous, (15, true), (8, true)),
        Case("; client_max_window_bits=\"9\"", generous, (15, true), (9, true)),
        // What it must, or may, make of the offer.
        Case(noTakeover, sparing, (15, false), (15, false)),
        Case("; server_no_context_takeover", sparing, (15, false), (15, false)),
        Case("; server_max_window_bits=10", small, (10, true), (11, true)),
        Case("; server_max_window_bits=9", small, (9, true), (11, true)),
        Case(
            "; server_max_window_bits=9; client_max_window_bits=11",
            small,
            (9, true),
            (11, true)
        ),
        Case(
            "; client_max_window_bits=10; server_max_window_bits=8",
            small,
            (8, true),
            (10, true)
        ),
    ]

    @Test(arguments: accepted)
    func clientGoesByTheResponse(it: Case) throws {
        try expectEqual(verify(it.response, offered: it.settings), it.parameters)
    }

    @Test
    func clientGoesWithoutWhenTheServerDeclines() throws {
        try expectNil(verify(offered: Self.generous))
        try expectNil(verify("", offered: Self.generous))
        try expectNil(verify(offered: nil))
    }

    static let refused: [(String, DeflateSettings)] = [
        // Never valid.
        ("; unknown", generous),
        ("; server_no_context_takeover=1", generous),
        ("; client_no_context_takeover=true", generous),
        ("; server_max_window_bits", generous),
        ("; server_max_window_bits=7", generous),
        ("; server_max_window_bits=16", generous),
        ("; server_max_window_bits=010", generous),
        ("; client_max_window_bits", generous),
        ("; client_max_window_bits=7", generous),
        ("; client_max_window_bits=16", generous),
        ("; server_no_context_takeover; server_no_context_takeover", generous),
        ("; server_max_window_bits=9; server_max_window_bits=9", generous),
        (", permessage-deflate", generous),
        ("; server_max_window_bits=", generous),
        // Not what was offered.
        ("", sparing),
        ("; client_no_context_takeover", sparing),
        ("", small),
        ("; server_max_window_bits=11", small),
        ("; server_max_window_bits=10; client_max_window_bits=12", small),
    ]

    @Test(arguments: refused)
    func clientRefusesResponseThatTheOfferDoesNotAllow(
        response: String,
        settings: DeflateSettings
    ) {
        #expect(throws: HandshakeError.extensionInvalid) {
            try verify("permessage-deflate" + response, offered: settings)
        }
    }

    @Test(arguments: ["x-other", "permessage-deflate, x-other", "Permessage-Deflate"])
    func clientRefusesOtherExtensions(response: String) {
        #expect(throws: HandshakeError.extensionNotOffered) {
            try verify(response, offered: Self.generous)
        }
    }

    @Test
    func clientThatOfferedNothingRefusesEveryResponse() {
        #expect(throws: HandshakeError.extensionNotOffered) {
            try verify("permessage-deflate", offered: nil)
        }
    }

    // MARK: Both halves

    /// Whatever each wants, both come to the same, or the client may do less than it was allowed.
    @Test(arguments: 1...500 as ClosedRange<UInt64>)
    func clientAndServerAgree(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let settings = (0..<2).map { _ in
            DeflateSettings(server: .random(&random), client: .random(&random))
        }
        let handshake = handshake(settings[0])
        let answer = ServerHandshake.respond(to: handshake.request, deflate: settings[1])
        guard case .accept(let head, let agreement) = answer else {
            Issue.record("refused: \(answer)")
            return
        }
        let server = try require(agreement.deflate)
        let client = try require(handshake.verify(head).deflate)
        expectEqual(server.server, client.server)
        expect(client.client.bits <= server.client.bits)
        expect(server.client.isTakenOver || !client.client.isTakenOver)
        for wanted in settings {
            expect(server.server.bits <= wanted.server.bits)
            expect(client.client.bits <= wanted.client.bits)
        }
        expect(!server.server.isTakenOver || settings.allSatisfy(\.server.isTakenOver))
    }
}
