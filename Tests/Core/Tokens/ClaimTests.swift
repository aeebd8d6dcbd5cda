import Core
import Expectations
import SeededRandom

@Suite("Tokens: claims of any form under a good signature", .timeLimit(.minutes(10)))
struct ClaimTests {
    private let vectors = TokenVectors.shared

    private func base64URL(_ bytes: [UInt8]) -> String {
        String(
            base64(bytes).compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }

    private func token(_ claims: [UInt8]) -> String {
        let signed = base64URL(Array(#"{"alg":"HS256"}"#.utf8)) + "." + base64URL(claims)
        let secret = Array(vectors.secrets[0].utf8)
        return signed + "." + base64URL(hmacSHA256(key: secret, message: Array(signed.utf8)))
    }

    private func grant(_ claims: String) throws -> ConnectionClaims {
        try TokenVerifier(keys: try vectors.keys())
            .verifyConnection(token(Array(claims.utf8)), now: vectors.time)
    }

    /// Accepted within the limits, or refused with an error of ours: whatever the claims are.
    @Test func alteredClaimsAreRefusedOrWithinLimits() throws {
        let seed: UInt64 = 20_261_122
        var random = SeededGenerator(seed: seed)
        let verifier = TokenVerifier(keys: try vectors.keys("configured"))
        let seeds = vectors.cases.compactMap { try? CompactToken($0.token).claims }
            .filter { (1..<1000).contains($0.count) }
        var acceptedCount = 0
        for round in 0..<5000 {
            var claims = try require(seeds.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                alter(&claims, with: seeds, using: &random)
            }
            let place: Comment =
                "seed \(seed), round \(round): \(String(decoding: claims, as: UTF8.self))"
            do throws(TokenError) {
                let granted = try verifier.verifyConnection(token(claims), now: vectors.time)
                acceptedCount += 1
                expect(granted.user.utf8.count <= 255, place)
                expect(!granted.user.utf8.contains { $0 < 0x20 || $0 == 0x7F }, place)
                expect(granted.groups.count <= 128 && granted.subscriptions.count <= 256, place)
                expect(granted.expiresAt.map { $0 > vectors.time } ?? true, place)
                expect(granted.info.map(isJSON) ?? true, place)
                expect(granted.meta.map(isJSON) ?? true, place)
            } catch {
                expect(!["signature", "unknown_key", "algorithm"].contains(error.code), place)
            }
        }
        expect(acceptedCount > 100, "some of the claims are still good ones")
    }

    private func alter(
        _ claims: inout [UInt8],
        with seeds: [[UInt8]],
        using random: inout SeededGenerator
    ) {
        guard !claims.isEmpty else { return claims = Array("{}".utf8) }
        let index = Int.random(in: claims.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: claims[index] = UInt8.random(in: 0...255, using: &random)
        case 1: claims.remove(at: index)
        case 2: claims.insert(claims.randomElement(using: &random) ?? 0, at: index)
        case 3: claims[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        default:
            // Another value in the place of one: what stands between two colons or commas.
            let words = [
                "null", "true", "{}", "[]", "0", "-1", "1e400", "1e-400", "\"\"", "[[]]",
                "\"\\u0000\"",
            ]
            let separators = claims.indices.filter { [0x3A, 0x2C, 0x7D].contains(claims[$0]) }
            guard let from = separators.randomElement(using: &random),
                let end = separators.first(where: { $0 > from })
            else { return }
            claims.replaceSubrange(
                from + 1..<end,
                with: (words.randomElement(using: &random) ?? "").utf8
            )
        }
    }

    @Test func nullOfJSONClaimsIsNothing() throws {
        let claims = try grant(
            #"{"info":null,"meta":null,"subs":{"a":{"info":null,"data":null}}}"#
        )
        expect(claims.info == nil && claims.meta == nil)
        expectEqual(claims.subscriptions, [Topic(trusted: "a"): TokenSubscription()])
    }

    @Test func anyJSONIsInfo() throws {
        for value in ["1", "\"x\"", "[1, 2]", "{ }", "false"] {
            let claims = try grant("{\"info\":\(value)}")
            expectEqual(claims.info, Array(value.utf8))
        }
    }

    @Test func infoInBase64CountsIfBothAreThere() throws {
        let encoded = base64(Array("2".utf8))
        try expectEqual(grant(#"{"info":1,"b64info":"\#(encoded)"}"#).info, Array("2".utf8))
        try expectEqual(grant(#"{"info":1,"b64info":""}"#).info, Array("1".utf8))
    }

    @Test func optionsOfATopicStandAboveItsPlainName() throws {
        let claims = try grant(#"{"channels":["a","b"],"subs":{"a":{"data":1}}}"#)
        expectEqual(
            claims.subscriptions,
            [
                Topic(trusted: "a"): TokenSubscription(data: Array("1".utf8)),
                Topic(trusted: "b"): TokenSubscription(),
            ]
        )
    }

    /// A replacement for the half of a pair would give different users the same name.
    @Test(arguments: [
        (#"{"sub":"\ud800"}"#, TokenError.claim("sub")),
        (#"{"sub":"a\udfffb"}"#, .claim("sub")),
        (#"{"sub":"1","jti":"\ud83d"}"#, .claim("jti")),
        (#"{"sub":"1","groups":["a","\ude00"]}"#, .claim("groups")),
        (#"{"sub":"1","channels":["\ud800"]}"#, .claim("channels")),
        (#"{"sub":"1","subs":{"\ud800":{}}}"#, .claim("subs")),
        (#"{"sub":"1","\ud800":1}"#, .malformed(.claims)),
    ])
    func loneSurrogateIdentifiesNothing(claims: String, error: TokenError) {
        #expect(throws: error) { try grant(claims) }
    }

    @Test(arguments: [
        ("presence", SubscriptionOverrides(presence: false)),
        ("join_leave", SubscriptionOverrides(joinLeave: false)),
        ("force_recovery", SubscriptionOverrides(forceRecovery: false)),
        ("force_positioning", SubscriptionOverrides(forcePositioning: false)),
        ("force_push_join_leave", SubscriptionOverrides(forcePushJoinLeave: false)),
    ])
    func overrideIsReadByItsName(name: String, expected: SubscriptionOverrides) throws {
        let claims = #"{"channel":"a","sub":"1","override":{"\#(name)":{"value":false}}}"#
        let granted = try TokenVerifier(keys: try vectors.keys()).verifySubscription(
            token(Array(claims.utf8)),
            topic: Topic(trusted: "a"),
            user: "1",
            now: vectors.time
        )
        expectEqual(granted.subscription.overrides, expected)
    }
}
