import Core
import Expectations
import SeededRandom

@Suite("Tokens: what a token proves", .timeLimit(.minutes(10)))
struct TokenVerifierTests {
    private let vectors = TokenVectors.shared

    @Test(arguments: TokenVectors.shared.good)
    func goodTokenGrantsWhatItSays(vector: TokenVectors.Case) throws {
        let granted = try Granted(try vectors.verifier(of: vector), vector)
        expectEqual(granted.user, vector.user)
        expectEqual(granted.expiresAt, vector.expires.map { Timestamp(seconds: $0) })
    }

    @Test(arguments: TokenVectors.shared.refused)
    func otherTokenOpensNothingAndSaysWhy(vector: TokenVectors.Case) throws {
        let verifier = try vectors.verifier(of: vector)
        let error = #expect(throws: TokenError.self) { try Granted(verifier, vector) }
        expectEqual(error?.code, vector.error)
        switch error {
        case .claim(let name): expectEqual(name, vector.claim)
        case .algorithm(let name): expectEqual(name, vector.algorithm)
        default: expect(vector.claim == nil && vector.algorithm == nil)
        }
    }

    @Test(arguments: TokenVectors.shared.refused)
    func errorHoldsNoPartOfTheToken(vector: TokenVectors.Case) throws {
        let verifier = try vectors.verifier(of: vector)
        let error = #expect(throws: TokenError.self) { try Granted(verifier, vector) }
        var dumped = ""
        dump(error, to: &dumped)
        for part in vector.token.split(separator: ".") where part.count > 8 {
            expect(!"\(String(describing: error)) \(dumped)".contains(part.prefix(8)))
        }
    }

    @Test func everyErrorHasAVectorOfItsOwn() {
        let all: [TokenError] = [
            .malformed(.encoding), .algorithm("none"), .unknownKey, .signature, .expired,
            .notYetValid,
            .audience, .issuer, .userMismatch, .topicMismatch, .claim("sub"),
        ]
        expectEqual(Set(all.map(\.code)), Set(vectors.refused.compactMap(\.error)))
        expectEqual(Set(all.map(\.code)).count, all.count)
    }

    @Test(arguments: ["HS256", "RS256", "ES256", "EdDSA"])
    func tokenCutAtAnyPositionIsRefused(name: String) throws {
        let verifier = TokenVerifier(keys: try vectors.keys("configured"))
        let token = vectors[name].token
        for length in 0..<token.utf8.count {
            let cut = String(token.prefix(length))
            let error = #expect(throws: TokenError.self, "\(length) bytes") {
                try verifier.verifyConnection(cut, now: vectors.time)
            }
            expect(["malformed", "signature"].contains(error?.code), "\(length) bytes")
        }
    }

    @Test(arguments: ["HS256", "RS256", "ES256", "EdDSA"], [0x01, 0x20] as [UInt8])
    func tokenWithOneOtherCharacterIsRefused(name: String, change: UInt8) throws {
        let verifier = TokenVerifier(keys: try vectors.keys("configured"))
        let token = Array(vectors[name].token.utf8)
        for index in token.indices {
            var altered = token
            altered[index] ^= change
            let text = String(decoding: altered, as: UTF8.self)
            #expect(throws: TokenError.self, "byte \(index)") {
                try verifier.verifyConnection(text, now: vectors.time)
            }
        }
    }

    /// Accepted or refused with an error of ours, and nothing else: no trap, no accident.
    @Test func randomTokensAreRefused() throws {
        let seed: UInt64 = 20_261_121
        var random = SeededGenerator(seed: seed)
        let verifier = TokenVerifier(keys: try vectors.keys())
        let texts = vectors.cases.map { Array($0.token.utf8) }.filter { $0.count < 2000 }
        for round in 0..<2000 {
            // The head of one token and the tail of another, with a random byte at the seam.
            let (one, other) = (
                texts.randomElement(using: &random), texts.randomElement(using: &random)
            )
            var spliced = try require(one).prefix(Int.random(in: 0...300, using: &random))
            spliced.append(UInt8.random(in: 0x20...0x7E, using: &random))
            spliced += try require(other).suffix(Int.random(in: 0...300, using: &random))
            let text = String(decoding: spliced, as: UTF8.self)
            #expect(throws: TokenError.self, "seed \(seed), round \(round)") {
                try verifier.verifyConnection(text, now: vectors.time)
            }
        }
    }

    @Test func claimsOfAConnectionAreReadWhole() throws {
        let vector = vectors["everything that a connection token may claim"]
        let verifier = try vectors.verifier(of: vector)
        let claims = try verifier.verifyConnection(vector.token, now: vectors.time)
        expectEqual(claims.groups, ["staff", "team:blue"])
        expectEqual(claims.tokenID, "t-1")
        expectEqual(claims.issuedAt, vectors.time - .seconds(1))
        expectEqual(claims.info.map(text), #"{"name":"\u00c5se"}"#, "the text as the token has it")
        expectEqual(claims.meta.map(text), #"{"plan":"pro"}"#)
        expectEqual(
            claims.subscriptions,
            [
                Topic(trusted: "news:global"): TokenSubscription(),
                Topic(trusted: "chat:room"): TokenSubscription(
                    info: Array(#"{"x":1}"#.utf8),
                    data: Array(#"{"hello":true}"#.utf8),
                    overrides: SubscriptionOverrides(presence: true, joinLeave: false)
                ),
            ]
        )
    }

    @Test func infoInBase64IsDecoded() throws {
        let vector = vectors["b64info"]
        let claims = try vectors.verifier(of: vector)
            .verifyConnection(vector.token, now: vectors.time)
        expectEqual(claims.info.map(text), #"{"name":"Kari"}"#)
    }

    @Test func tokenHasToSayWhenItExpiresWhereThatIsRequired() throws {
        let strict = TokenVerifier(keys: try vectors.keys(), requiresExpiry: true)
        let lasting = vectors["without exp"].token
        #expect(throws: TokenError.claim("exp")) {
            try strict.verifyConnection(lasting, now: vectors.time)
        }
        let ending = try strict.verifyConnection(vectors["HS256"].token, now: vectors.time)
        expect(ending.expiresAt != nil)
        let lenient = TokenVerifier(keys: try vectors.keys())
        try expectNil(lenient.verifyConnection(lasting, now: vectors.time).expiresAt)
    }

    @Test func tokenIsGoodUntilTheLastMillisecond() throws {
        let token = vectors["HS256"].token
        let verifier = TokenVerifier(keys: try vectors.keys(), leeway: .seconds(10))
        let end = vectors.time + .seconds(610)
        let claims = try verifier.verifyConnection(token, now: end - .milliseconds(1))
        expectEqual(claims.expiresAt, end, "the grant ends when the token does, leeway included")
        #expect(throws: TokenError.expired) { try verifier.verifyConnection(token, now: end) }
    }

    @Test func tokenIsGoodFromItsFirstMillisecond() throws {
        let token = vectors["not yet valid"].token
        let start = vectors.time + .seconds(1)
        let keys = try vectors.keys()
        let exact = TokenVerifier(keys: keys)
        try expectEqual(exact.verifyConnection(token, now: start).user, "42")
        let early = start - .milliseconds(1)
        #expect(throws: TokenError.notYetValid) { try exact.verifyConnection(token, now: early) }
        let lenient = TokenVerifier(keys: keys, leeway: .milliseconds(1))
        try expectEqual(lenient.verifyConnection(token, now: early).user, "42")
    }

    @Test func withoutKeysNothingIsGood() throws {
        let verifier = TokenVerifier(keys: TokenKeySet(configured: []))
        expect(verifier.keys.isEmpty)
        for vector in vectors.good {
            let error = #expect(throws: TokenError.self) { try Granted(verifier, vector) }
            expectEqual(error?.code, "algorithm", "\(vector.name)")
        }
    }

    /// So that the first client makes the hub fetch the set instead of being sent away for good.
    @Test func tokenOfAPublishedKeyIsUnknownUntilTheSetWasRead() throws {
        let token = vectors["RS256, a key of the set by its kid"].token
        var verifier = TokenVerifier(keys: TokenKeySet(configured: [], published: []))
        expect(!verifier.keys.isEmpty)
        #expect(throws: TokenError.unknownKey) {
            try verifier.verifyConnection(token, now: vectors.time)
        }
        #expect(throws: TokenError.algorithm("HS256"), "a set publishes no secrets") {
            try verifier.verifyConnection(vectors["HS256"].token, now: vectors.time)
        }
        let set = try JSONWebKeySet(document: vectors.jwks.bytes)
        verifier.keys.published = TokenKey.published(set.keys)
        try expectEqual(verifier.verifyConnection(token, now: vectors.time).user, "42")
    }

    @Test func leewayOverItsLimitTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = TokenVerifier(keys: TokenKeySet(configured: []), leeway: .seconds(301))
        }
        await #expect(processExitsWith: .failure) {
            _ = TokenVerifier(keys: TokenKeySet(configured: []), leeway: .seconds(-1))
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
