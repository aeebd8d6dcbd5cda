import ConformanceCases
import Expectations
import Wire

@Suite(
    "Conformance: permessage-deflate, our client and our server, in memory",
    .timeLimit(.minutes(10))
)
struct CompressionTests {
    /// What the server is set to, and which end echoes. Both compress and inflate in any case.
    private static let setups: [(server: DeflateSettings, echoing: Role)] = [
        (DeflateSettings(messageLengthMin: 0), .server),
        (.everyMessage, .client),
        (
            DeflateSettings(
                server: DeflateWindow(bits: 10, isTakenOver: true),
                client: DeflateWindow(bits: 12, isTakenOver: true)
            ), .server
        ),
    ]

    /// Messages of each case: the second can refer to the first.
    private static let exchangeCountMax = 2

    @Test(arguments: ConformanceCase.compression)
    func clientAndServerUnderstandEachOther(conformanceCase: ConformanceCase) throws {
        for setup in Self.setups {
            let (server, client) = try negotiate(conformanceCase.compressionOffers, setup.server)
            let (echoing, speaking) =
                setup.echoing == .server ? (server, client) : (client, server)
            let codec = ConnectionCodec(
                role: setup.echoing.peer,
                limits: .conformance,
                deflate: speaking
            )
            let problem = rehearse(
                conformanceCase,
                against: setup.echoing,
                as: codec,
                deflate: echoing,
                exchangeCountMax: Self.exchangeCountMax
            )
            expectNil(problem, "\(conformanceCase), \(setup)")
        }
    }

    /// Lets the offers through a real opening handshake; what each end then goes by.
    private func negotiate(
        _ offers: [CompressionOffer],
        _ settings: DeflateSettings
    ) throws -> (server: DeflateParameters, client: DeflateParameters) {
        let handshake = ClientHandshake(
            host: "localhost",
            nonce: [UInt8](repeating: 7, count: ClientHandshake.nonceLength),
            deflate: offers[0].settings
        )
        var request = handshake.request
        request.headers.remove("Sec-WebSocket-Extensions")
        request.headers.append(
            "Sec-WebSocket-Extensions",
            offers.map(\.text).joined(separator: ", ")
        )
        guard
            case .accept(let response, let agreement) = ServerHandshake.respond(
                to: request,
                deflate: settings
            )
        else {
            throw Refusal()
        }
        let server = try require(agreement.deflate)
        let client = try require(handshake.verify(response).deflate)
        return (server, client)
    }

    private struct Refusal: Error {}
}
