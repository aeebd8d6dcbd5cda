import Expectations

@testable import Core

@Suite("OpenID Connect Core 1.0 §3.1.3.7: identity tokens", .timeLimit(.minutes(10)))
struct IdentityTokenTests {
    private let now = IdentityProvider.now

    /// - Returns: why the token is refused; nil when it is good.
    private func refusal(
        _ changes: [String: String],
        _ header: String? = nil,
        by provider: IdentityProvider
    ) throws -> TokenError? {
        let token = try provider.token(changes, header: header)
        do throws(TokenError) {
            _ = try provider.verifier().verify(token, now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [TokenAlgorithm.es256, .rs256])
    func tokenOfTheProviderNamesItsUser(algorithm: TokenAlgorithm) throws {
        let provider = try IdentityProvider()
        let token = try provider.token(by: algorithm)
        let claims = try provider.verifier().verify(token, now: now)
        expectEqual(claims.subject, "001.kari")
        expectNil(claims.verifiedEmail)
    }

    @Test(
        arguments: [
            (["iss": "\"https://id.example.com\""], .issuer), (["iss": ""], .issuer),
            (["iss": "\"\(IdentityProvider.issuer)/\""], .issuer), (["iss": "7"], .claim("iss")),
            (["aud": "\"org.example.other\""], .audience), (["aud": ""], .audience),
            (["aud": "[]"], .audience), (["aud": "7"], .claim("aud")),
            (["aud": #"["org.example.app","org.example.other"]"#], .audience),
            (["exp": ""], .claim("exp")), (["exp": "\"soon\""], .claim("exp")),
            // With the leeway of a minute it held until a second before.
            (["exp": "1779999940"], .expired), (["exp": "1779999941"], nil),
            (["iat": ""], .claim("iat")), (["iat": "-1"], .claim("iat")),
            (["iat": "1780000060"], nil), (["iat": "1780000061"], .notYetValid),
            (["sub": ""], .claim("sub")), (["sub": "\"\""], .claim("sub")),
            (["sub": "7"], .claim("sub")), (["sub": #""a\nb""#], .claim("sub")),
            (["email": "7"], .claim("email")), (["email_verified": "1"], .claim("email_verified")),
            (["aud": #"["org.example.app"]"#], nil),
        ] as [([String: String], TokenError?)]
    )
    func everyClaimIsHeldAgainstWhatItHasToBe(
        changes: [String: String],
        error: TokenError?
    ) throws {
        let provider = try IdentityProvider()
        try expectEqual(refusal(changes, by: provider), error)
    }

    @Test func tokenForAnyOfOurApplicationsIsGood() throws {
        let provider = try IdentityProvider()
        let verifier = provider.verifier(clientIDs: ["org.example.app", "org.example.web"])
        let both = try provider.token(["aud": #"["org.example.web","org.example.app"]"#])
        try expectEqual(verifier.verify(both, now: now).subject, "001.kari")
        let none = provider.verifier(clientIDs: [])
        #expect(throws: TokenError.audience) { try none.verify(both, now: now) }
    }

    @Test(
        arguments: [
            (#"{"alg":"none","kid":"es"}"#, .algorithm("none")),
            (#"{"alg":"HS256","kid":"es"}"#, .algorithm("HS256")),
            (#"{"alg":"EdDSA","kid":"es"}"#, .algorithm("EdDSA")),
            (#"{"alg":"x","kid":"es"}"#, .algorithm("other")),
            (#"{"alg":"RS256","kid":"rs"}"#, .signature),
            (#"{"alg":"RS256","kid":"es"}"#, .unknownKey),
            (#"{"alg":"ES256","kid":"new"}"#, .unknownKey),
            (#"{"alg":"ES256"}"#, nil),
            (#"{"kid":"es"}"#, .malformed(.header)),
            (#"{"alg":"ES256","kid":"es","crit":["x"]}"#, .malformed(.criticalExtension)),
        ] as [(String, TokenError?)]
    )
    func headerChoosesNeitherAlgorithmNorKey(header: String, error: TokenError?) throws {
        let provider = try IdentityProvider()
        try expectEqual(refusal([:], header, by: provider), error)
    }

    @Test func secretMadeOfThePublicKeySignsNothing() throws {
        let provider = try IdentityProvider()
        for text in [provider.publicKeyPEM, String(decoding: provider.document, as: UTF8.self)] {
            let key = try TokenSigningKey.secret(Array(text.utf8), id: "es")
            let token = try IdentityProvider.token([:], by: key)
            #expect(throws: TokenError.algorithm("HS256")) {
                try provider.verifier().verify(token, now: now)
            }
        }
    }

    @Test func algorithmOfAnotherKeyOfTheSetIsNotEnough() throws {
        let provider = try IdentityProvider()
        let token = try provider.token(by: .edDSA)
        #expect(throws: TokenError.algorithm("EdDSA")) {
            try provider.verifier().verify(token, now: now)
        }
    }

    @Test func signatureOfAnotherProviderIsRefused() throws {
        let provider = try IdentityProvider()
        let other = try IdentityProvider()
        #expect(throws: TokenError.signature) {
            try provider.verifier().verify(try other.token(), now: now)
        }
        let parts = try provider.token().split(separator: ".")
        let unsigned = parts[0] + "." + parts[1] + "."
        #expect(throws: TokenError.signature) {
            try provider.verifier().verify(String(unsigned), now: now)
        }
    }

    @Test func tokenIsOfAnUnknownKeyUntilTheSetIsRead() throws {
        let provider = try IdentityProvider()
        let token = try provider.token()
        var verifier = provider.verifier([])
        #expect(throws: TokenError.unknownKey) { try verifier.verify(token, now: now) }
        verifier.keys.published = provider.published
        try expectEqual(verifier.verify(token, now: now).subject, "001.kari")
    }

    // MARK: Whom the app says

    @Test func userThatTheAppNamesHasToBeTheTokens() throws {
        let provider = try IdentityProvider()
        let verifier = provider.verifier()
        let token = try provider.token()
        try expectEqual(verifier.verify(token, user: "001.kari", now: now).subject, "001.kari")
        for user in ["", "001.ola", "001.\u{212a}ari"] {
            #expect(throws: TokenError.userMismatch, "\(user)") {
                try verifier.verify(token, user: user, now: now)
            }
        }
        let kelvin = try provider.token(["sub": "\"001.\u{212a}ari\""])
        #expect(throws: TokenError.userMismatch, "it only looks like a K") {
            try verifier.verify(kelvin, user: "001.Kari", now: now)
        }
    }

    @Test func nonceThatTheAppNamesHasToBeTheTokensPlainOrHashed() throws {
        let provider = try IdentityProvider()
        let verifier = provider.verifier()
        let hash = hexadecimal(sha256("n-1".utf8))
        for claimed in ["n-1", hash] {
            let token = try provider.token(["nonce": "\"\(claimed)\""])
            try expectEqual(verifier.verify(token, nonce: "n-1", now: now).subject, "001.kari")
            try expectEqual(verifier.verify(token, now: now).subject, "001.kari")
            #expect(throws: TokenError.claim("nonce")) {
                try verifier.verify(token, nonce: "n-2", now: now)
            }
        }
        #expect(throws: TokenError.claim("nonce"), "the token has none") {
            try verifier.verify(try provider.token(), nonce: "n-1", now: now)
        }
    }

    @Test(
        arguments: [
            ("\"kari@example.org\"", "true", "kari@example.org"),
            ("\"kari@example.org\"", "\"true\"", "kari@example.org"),
            ("\"kari@example.org\"", "false", nil), ("\"kari@example.org\"", "\"false\"", nil),
            ("\"kari@example.org\"", "", nil), ("\"\"", "true", nil), ("", "true", nil),
        ] as [(String, String, String?)]
    )
    func addressCountsOnlyWhenTheProviderHasVerifiedIt(
        email: String,
        verified: String,
        address: String?
    ) throws {
        let provider = try IdentityProvider()
        let token = try provider.token(["email": email, "email_verified": verified])
        try expectEqual(provider.verifier().verify(token, now: now).verifiedEmail, address)
    }

    // MARK: What is told

    @Test func noRefusalShowsAPartOfTheToken() throws {
        let provider = try IdentityProvider()
        let secret = "nobody-is-to-read-this"
        for claim in ["iss", "aud", "exp", "iat", "nonce", "email_verified"] {
            let token = try provider.token([claim: "\"\(secret)\"", "sub": "\"\(secret)\""])
            let error = #expect(throws: TokenError.self, "\(claim)") {
                try provider.verifier().verify(token, user: "001.ola", nonce: "n", now: now)
            }
            let text = error.map { "\($0) \($0.code) \(String(reflecting: $0))" } ?? ""
            expect(!text.isEmpty)
            expect(!text.contains(secret), "\(claim)")
        }
    }
}
