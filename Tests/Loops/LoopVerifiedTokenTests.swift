import Expectations
import LoopTesting
import Service
import TokenTesting

@testable import Loops

/// The signature of a token is verified once, whatever its command or request has to wait for.
@Suite("Loop: tokens are verified once", .timeLimit(.minutes(10)))
struct LoopVerifiedTokenTests {
    private static func verifiedCount(_ hub: SteppedLoop) -> UInt64 {
        hub.ask { $0.admission.counts.tokensVerified }
    }

    private static func ahead(_ topic: String) -> String {
        #""subs":{"\#(topic)":{"recover":true,"epoch":"e1","offset":3}}"#
    }

    @Test(arguments: [true, false])
    func connectVerifiesItsTokenOnce(isValid: Bool) async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let token = try tokens.connection("42", topics: ["news:a"]) + (isValid ? "" : "x")
        _ = try hub.connectSession(#""token":"\#(token)""#)
        expectEqual(Self.verifiedCount(hub), 1)
    }

    @Test func connectThatWaitsForItsPositionVerifiesItsTokenOnce() async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let token = try tokens.connection("42", topics: ["news:a"])
        let client = try hub.connectSession(#""token":"\#(token)",\#(Self.ahead("news:a"))"#)
        expectEqual(client.messages(), [])
        // Another client comes meanwhile.
        _ = try hub.connectSession(#""token":"\#(try tokens.connection("7"))""#)
        expectEqual(Self.verifiedCount(hub), 2)
        for offset in 1...3 { hub.publish("news:a", "\(offset)") }
        hub.answer()
        expectEqual(client.messages().first?.contains(#""connect":"#), true)
        expectEqual(Self.verifiedCount(hub), 2)
    }

    @Test func subscribeThatWaitsForItsPositionVerifiesItsTokenOnce() async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let client = try hub.connectSession(#""token":"\#(try tokens.connection("42"))""#)
        _ = client.messages()
        let token = try tokens.subscription("42", "closed:a")
        client.sendText(
            #"{"id":2,"subscribe":{"channel":"closed:a","token":"\#(token)","recover":true,"#
                + #""epoch":"e1","offset":3}}"#
        )
        expectEqual(client.messages(), [])
        hub.answer()
        expectEqual(client.messages().first?.contains(#""subscribe":"#), true)
        expectEqual(Self.verifiedCount(hub), 2)
    }

    @Test func streamThatWaitsForItsCursorVerifiesItsTokenOnce() async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let token = try tokens.connection("42")
        let client = try hub.connect()
        let target = "/events?topics=news:a&last_event_id=\(LoopFixture.cursorBase + 1)"
        client.send(httpRequest("GET", target + "&token=\(token)"))
        expectEqual(client.received(), "")
        hub.publish("news:a", "1")
        hub.answer()
        expect(client.received().hasPrefix("HTTP/1.1 200 "))
        expectEqual(Self.verifiedCount(hub), 1)
    }

    /// What a command has waited for is not the time to let a revoked token in.
    @Test func tokenThatIsRevokedMeanwhileIsRefused() async throws {
        let tokens = try await TestTokens()
        let hub = try SteppedLoop(verifier: tokens.verifier)
        let token = try tokens.connection("42", topics: ["news:a"])
        let client = try hub.connectSession(#""token":"\#(token)",\#(Self.ahead("news:a"))"#)
        expectEqual(client.messages(), [])
        hub.ask { loop in
            loop.shared.endedLogins.revocations.change { $0.add(Revocation(.user("42"))) }
        }
        hub.answer()
        expect(client.messages().first?.contains(#""connect":"#) != true)
    }

    @Test func tokensAreNotTakenForEachOther() throws {
        let claims = Result<ConnectionClaims, TokenError>.failure(.expired)
        let verified = VerifiedToken("K", claims)
        expect(verified.connection("K") != nil)
        // The Kelvin sign, which is canonically equivalent.
        expectNil(verified.connection("\u{212A}"))
        let topic = Topic(trusted: "news:a")
        let granted = VerifiedToken("K", topic, user: "1", .failure(.expired))
        expectNil(granted.connection("K"))
        expect(granted.subscription("K", topic, user: "1") != nil)
        expectNil(granted.subscription("K", topic, user: "2"))
        expectNil(granted.subscription("K", Topic(trusted: "news:b"), user: "1"))
    }
}
