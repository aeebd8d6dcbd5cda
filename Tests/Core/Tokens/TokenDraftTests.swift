import Core
import Expectations

@Suite("Tokens: making and inspecting", .timeLimit(.minutes(10)))
struct TokenDraftTests {
    private let vectors = TokenVectors.shared

    private func signingKey(_ algorithm: TokenAlgorithm) throws -> TokenSigningKey {
        guard algorithm != .hs256 else {
            return try .secret(Array(vectors.secrets[0].utf8), id: "k-1")
        }
        let pem = try require(vectors.privateKeys[algorithm.rawValue])
        return try .privateKey(pem: pem, algorithm: algorithm, id: "k-1")
    }

    private func draft(_ kind: TokenDraft.Kind) -> TokenDraft {
        TokenDraft(user: "42", issuedAt: vectors.time, lifetime: .seconds(3600), kind: kind)
    }

    @Test(arguments: TokenAlgorithm.allCases)
    func connectionTokenIsGoodForWhatItWasMade(algorithm: TokenAlgorithm) throws {
        let topics = [Topic(trusted: "news:global"), Topic(trusted: "activity:42")]
        var draft = draft(.connection(topics: topics))
        draft.audience = "varde"
        draft.issuer = "app"
        draft.info = Array(#"{"name":"Åse"}"#.utf8)
        draft.groups = ["staff"]
        draft.login = "login-1"
        let token = try draft.signed(with: try signingKey(algorithm))
        let verifier = TokenVerifier(
            keys: try vectors.keys("configured"),
            audience: "varde",
            issuer: "app"
        )
        let claims = try verifier.verifyConnection(token, now: vectors.time)
        expectEqual(claims.user, "42")
        expectEqual(claims.issuedAt, vectors.time)
        expectEqual(claims.expiresAt, vectors.time + .seconds(3600))
        expectEqual(claims.info, draft.info)
        expectEqual(claims.groups, ["staff"])
        expectEqual(claims.login, "login-1")
        expectEqual(Set(claims.subscriptions.keys), Set(topics))
    }

    @Test func subscriptionTokenIsGoodForItsTopic() throws {
        let topic = Topic(trusted: "chat:room")
        let token = try draft(.subscription(topic)).signed(with: try signingKey(.es256))
        let verifier = TokenVerifier(keys: try vectors.keys())
        let claims = try verifier.verifySubscription(
            token,
            topic: topic,
            user: "42",
            now: vectors.time
        )
        expectEqual(claims.topic, topic)
    }

    @Test func tokenWithoutLifetimeNeverExpires() throws {
        var draft = draft(.connection(topics: []))
        draft.lifetime = nil
        let token = try draft.signed(with: try signingKey(.hs256))
        let verifier = TokenVerifier(keys: try vectors.keys())
        let later = vectors.time + .seconds(100 * 365 * 86_400)
        try expectNil(verifier.verifyConnection(token, now: later).expiresAt)
    }

    @Test func inspectionShowsHeaderClaimsAndVerdict() throws {
        let token = try draft(.subscription(Topic(trusted: "chat:room")))
            .signed(with: try signingKey(.hs256))
        let inspection = try TokenInspection(token)
        let shown =
            #"{"header":{"alg":"HS256","kid":"k-1","typ":"JWT"},"claims":{"sub":"42","iat":"#
            + #"1780000000,"exp":1780003600,"channel":"chat:room"}"#
        expectEqual(inspection.report(verifier: nil, now: vectors.time), shown + "}")
        let verifier = TokenVerifier(keys: try vectors.keys())
        expectEqual(
            inspection.report(verifier: verifier, now: vectors.time),
            shown
                + #","verified":true}"#
        )
        expectEqual(
            inspection.report(verifier: verifier, now: vectors.time + .seconds(3600)),
            shown
                + #","verified":false,"error":"expired","reason":"token has expired"}"#
        )
    }

    @Test func inspectionAgreesWithTheVerifier() throws {
        for vector in vectors.cases where vector.error != "malformed" {
            // Who asks and for what is not the inspection's to know.
            guard !["user_mismatch", "topic_mismatch"].contains(vector.error),
                vector.claim != "channel"
            else { continue }
            let refusal = try TokenInspection(vector.token)
                .refusal(by: try vectors.verifier(of: vector), now: vectors.time)
            expectEqual(refusal?.code, vector.error, "\(vector.name)")
        }
    }

    @Test func whatIsNoTokenCannotBeInspected() {
        for vector in vectors.refused where vector.error == "malformed" {
            #expect(throws: TokenError.self, "\(vector.name)") { try TokenInspection(vector.token) }
        }
    }

    @Test(
        arguments: [
            (#"{"a":1}"#, true), ("1", true), (#""å""#, true), ("null", true), (" [] ", true),
            ("", false),
            ("1,2", false), ("1] , [2", false), ("{", false), ("{'a':1}", false),
        ]
    )
    func jsonIsToldFromOtherTexts(text: String, isValue: Bool) {
        expectEqual(isJSON(Array(text.utf8)), isValue)
    }

    @Test func bytesThatAreNoUTF8AreNoJSON() {
        expect(!isJSON([0x22, 0xFF, 0x22]))
    }
}
