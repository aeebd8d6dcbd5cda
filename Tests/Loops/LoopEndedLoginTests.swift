import Expectations
import HubTesting
import LoopTesting
import Service
import TokenTesting

@testable import Loops

@Suite("Loop: connections of logins that have ended", .timeLimit(.minutes(10)))
struct LoopEndedLoginTests {
    private func withHub(
        _ body: (LoopFixture, TestTokens, EndedLogins) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        let shared = HubShared(endedLogins: EndedLogins(accessTokenLifetime: .seconds(86_400)))
        try await withLoops(verifier: tokens.verifier, shared: shared) { hub in
            try await body(hub, tokens, shared.endedLogins)
        }
    }

    private func stream(_ hub: LoopFixture, _ token: String) async throws -> LoopTestClient {
        let client = try hub.connect()
        let field = "Authorization: Bearer \(token)"
        try await client.send(httpRequest("GET", "/events?topics=news:a", [field]))
        return client
    }

    @Test func connectionsOfTheLoginEndAndThoseOfOthersStay() async throws {
        try await withHub { hub, tokens, _ in
            let phone = try tokens.connection("42", login: "phone")
            let (socket, reader) = (try hub.connect(), try await stream(hub, phone))
            _ = try await socket.connectSession(token: phone)
            try await expectEqual(reader.receiveHead().status, 200)
            var others: [LoopTestClient] = []
            for token in [
                try tokens.connection("42", login: "tablet"), try tokens.connection("42"),
                try tokens.connection("43", login: "phone"),
            ] {
                let other = try hub.connect()
                _ = try await other.connectSession(token: token)
                others.append(other)
            }
            await hub.transport.disconnect(user: "42", logins: ["phone"])
            try await expect(socket.receiveClose() == (3500, "invalid token"))
            _ = try await reader.receiveAll()
            for other in others {
                try await expect(other.subscribe(2, "news:a").contains(#""subscribe""#))
            }
        }
    }

    @Test func tokenOfALoginThatHasEndedOpensNothing() async throws {
        try await withHub { hub, tokens, ended in
            ended.add(["phone"], at: HubClock.wall)
            let phone = try tokens.connection("42", login: "phone")
            let socket = try hub.connect()
            try await socket.upgrade()
            try await socket.sendText(#"{"id":1,"connect":{"token":"\#(phone)"}}"#)
            try await expect(socket.receiveClose() == (3500, "invalid token"))
            let reader = try await stream(hub, phone)
            try await expectEqual(reader.receiveResponse().status, 401)
            await expectEqual(hub.loops[0].snapshot().tokensRefused, ["revoked": 2])

            let tablet = try tokens.connection("42", login: "tablet")
            let other = try hub.connect()
            _ = try await other.connectSession(token: tablet)
            try await other.sendText(#"{"id":2,"refresh":{"token":"\#(phone)"}}"#)
            try await expect(other.receiveClose() == (3500, "invalid token"))
        }
    }

    @Test func connectionGoesWithTheLoginOfItsLastToken() async throws {
        try await withHub { hub, tokens, _ in
            let socket = try hub.connect()
            _ = try await socket.connectSession(token: try tokens.connection("42", login: "first"))
            let second = try tokens.connection("42", login: "second")
            let reply = try await socket.command(#"{"id":2,"refresh":{"token":"\#(second)"}}"#)
            expect(reply.contains(#""refresh""#))
            await hub.transport.disconnect(user: "42", logins: ["first"])
            try await expect(socket.subscribe(3, "news:a").contains(#""subscribe""#))
            await hub.transport.disconnect(user: "42", logins: ["second"])
            try await expect(socket.receiveClose() == (3500, "invalid token"))
        }
    }
}
