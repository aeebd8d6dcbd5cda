import Expectations
import Wire

@Suite("RFC 7692 §5 and §7.1, the server's side of the negotiation", .timeLimit(.minutes(10)))
struct DeflateServerNegotiationTests {
    /// What a server with these settings answers, and what it goes by then.
    private func answer(
        _ offers: String...,
        settings: DeflateSettings
    ) -> (response: String?, parameters: DeflateParameters?) {
        var headers = ServerHandshakeTests.example
        for offer in offers { headers.append("Sec-WebSocket-Extensions", offer) }
        let request = HTTPRequestHead(target: "/", headers: headers)
        guard
            case .accept(let head, let agreement) = ServerHandshake.respond(
                to: request,
                deflate: settings
            )
        else {
            Issue.record("refused: \(offers)")
            return (nil, nil)
        }
        let responses = head.headers.all("Sec-WebSocket-Extensions")
        expect(responses.count <= 1)
        expectEqual((responses.first == nil), (agreement.deflate == nil))
        return (responses.first, agreement.deflate)
    }

    private static let sparing = DeflateSettings()
    private static let generous = DeflateSettings(server: .takenOver, client: .takenOver)
    private static let small = DeflateSettings(
        server: DeflateWindow(bits: 10, isTakenOver: true),
        client: DeflateWindow(bits: 11, isTakenOver: true)
    )

    struct Case: CustomTestStringConvertible {
        var offer: String
        var settings: DeflateSettings
        var response: String
        var server: DeflateWindow
        var client: DeflateWindow
        var testDescription: String { offer }

        init(
            _ offer: String,
            _ settings: DeflateSettings,
            _ response: String,
            _ server: (Int, Bool),
            _ client: (Int, Bool)
        ) {
            self.offer = "permessage-deflate" + offer
            self.settings = settings
            self.response = "permessage-deflate" + response
            self.server = DeflateWindow(bits: server.0, isTakenOver: server.1)
            self.client = DeflateWindow(bits: client.0, isTakenOver: client.1)
        }
    }

    private static let noTakeover = "; server_no_context_takeover; client_no_context_takeover"

    static let cases: [Case] = [
        // A server that keeps no context says so, asked or not.
        Case("", sparing, noTakeover, (15, false), (15, false)),
        Case("; client_max_window_bits", sparing, noTakeover, (15, false), (15, false)),
        Case("; server_no_context_takeover", sparing, noTakeover, (15, false), (15, false)),
        Case(noTakeover, sparing, noTakeover, (15, false), (15, false)),
        Case(
            "; server_max_window_bits=10; client_max_window_bits=9",
            sparing,
            noTakeover + "; server_max_window_bits=10; client_max_window_bits=9",
            (10, false),
            (9, false)
        ),
        // One that does follows the client.
        Case("", generous, "", (15, true), (15, true)),
        Case("; client_max_window_bits", generous, "", (15, true), (15, true)),
        Case(
            "; server_no_context_takeover",
            generous,
            "; server_no_context_takeover",
            (15, false),
            (15, true)
        ),
        Case(
            "; client_no_context_takeover",
            generous,
            "; client_no_context_takeover",
            (15, true),
            (15, false)
        ),
        Case(
            "; server_max_window_bits=15",
            generous,
            "; server_max_window_bits=15",
            (15, true),
            (15, true)
        ),
        Case(
            "; server_max_window_bits=8",
            generous,
            "; server_max_window_bits=8",
            (8, true),
            (15, true)
        ),
        Case("; client_max_window_bits=15", generous, "", (15, true), (15, true)),
        Case(
            "; client_max_window_bits=8",
            generous,
            "; client_max_window_bits=8",
            (15, true),
            (8, true)
        ),
        Case(
            "; server_max_window_bits=\"12\"",
            generous,
            "; server_max_window_bits=12",
            (12, true),
            (15, true)
        ),
        // One with small windows takes the smaller one; a client that cannot be told has to do
        // without context takeover.
        Case(
            "; client_max_window_bits",
            small,
            "; server_max_window_bits=10; client_max_window_bits=11",
            (10, true),
            (11, true)
        ),
        Case(
            "; client_max_window_bits=9; server_max_window_bits=9",
            small,
            "; server_max_window_bits=9; client_max_window_bits=9",
            (9, true),
            (9, true)
        ),
        Case(
            "; client_max_window_bits=12; server_max_window_bits=12",
            small,
            "; server_max_window_bits=10; client_max_window_bits=11",
            (10, true),
            (11, true)
        ),
        Case(
            "",
            small,
            "; client_no_context_takeover; server_max_window_bits=10",
            (10, true),
            (15, false)
        ),
    ]

    @Test(arguments: cases)
    func serverAnswersAnOffer(it: Case) {
        let (response, parameters) = answer(it.offer, settings: it.settings)
        expectEqual(response, it.response)
        expectEqual(parameters, DeflateParameters(server: it.server, client: it.client))
    }

    static let declined = [
        "x-webkit-deflate-frame",
        "Permessage-Deflate",
        "permessage-deflate; unknown",
        "permessage-deflate; unknown=1",
        "permessage-deflate; server_no_context_takeover=true",
        "permessage-deflate; client_no_context_takeover=15",
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7",
        "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=08",
        "permessage-deflate; server_max_window_bits=+9",
        "permessage-deflate; server_max_window_bits=-9",
        "permessage-deflate; server_max_window_bits=9.0",
        "permessage-deflate; server_max_window_bits=99999999999999999999",
        "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; client_max_window_bits=16",
        "permessage-deflate; client_max_window_bits=010",
        "permessage-deflate; client_max_window_bits=ten",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
        "permessage-deflate; client_max_window_bits; client_max_window_bits",
        "permessage-deflate; client_max_window_bits; client_max_window_bits=10",
        "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
    ]

    @Test(arguments: declined)
    func serverDeclinesOfferThatIsNotValidAndTakesTheNext(offer: String) {
        for settings in [Self.sparing, Self.generous] {
            let (response, parameters) = answer(offer, settings: settings)
            expectNil(response)
            expectNil(parameters)
        }
        let next = "permessage-deflate; server_max_window_bits=11"
        let expected = next
        let generous = Self.generous
        expectEqual(answer(offer + ", " + next, settings: generous).response, expected)
        expectEqual(answer(offer, next, settings: generous).response, expected)
    }

    @Test
    func serverTakesTheFirstOfTheOffers() {
        let first = "permessage-deflate; server_max_window_bits=11"
        let second = "permessage-deflate; server_max_window_bits=9"
        let generous = Self.generous
        expectEqual(answer(first + "," + second, settings: generous).response, first)
        expectEqual(answer(second, first, settings: generous).response, second)
    }

    @Test
    func serverAnswersNothingWithoutAnOffer() {
        expectNil(answer(settings: Self.generous).response)
    }

    @Test
    func serverRefusesOfferThatIsNoHeaderField() {
        var headers = ServerHandshakeTests.example
        headers.append("Sec-WebSocket-Extensions", "permessage-deflate; server_max_window_bits=")
        let request = HTTPRequestHead(target: "/", headers: headers)
        let answer = ServerHandshake.respond(to: request, deflate: Self.generous)
        guard case .reject(let head, _) = answer else {
            Issue.record("accepted: \(answer)")
            return
        }
        expectEqual(head.status, 400)
    }

    @Test
    func settingsOutsideTheirRangesTrap() async {
        await #expect(processExitsWith: .failure) { _ = DeflateWindow(bits: 7) }
        await #expect(processExitsWith: .failure) { _ = DeflateWindow(bits: 16) }
        await #expect(processExitsWith: .failure) { _ = DeflateSettings(compressionLevel: 10) }
        await #expect(processExitsWith: .failure) { _ = DeflateSettings(compressionLevel: 0) }
        await #expect(processExitsWith: .failure) { _ = DeflateSettings(memoryLevel: 0) }
        await #expect(processExitsWith: .failure) { _ = DeflateSettings(memoryLevel: 10) }
        await #expect(processExitsWith: .failure) { _ = DeflateSettings(messageLengthMin: -1) }
    }
}
