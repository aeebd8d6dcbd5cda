import Core
import Expectations

@Suite("Tokens: keys", .timeLimit(.minutes(10)))
struct TokenKeyTests {
    private let vectors = TokenVectors.shared

    @Test(arguments: [TokenAlgorithm.rs256, .es256, .edDSA])
    func algorithmOfAPublicKeyIsThatOfItsKind(algorithm: TokenAlgorithm) throws {
        try expectEqual(vectors.publicKey(algorithm).algorithm, algorithm)
    }

    @Test func shortSecretIsRefused() throws {
        for length in [0, 1, TokenKey.secretLengthMin - 1] {
            let secret = [UInt8](repeating: 7, count: length)
            #expect(throws: TokenKeyError.shortSecret(length)) {
                try TokenKey.secret(secret)
            }
            #expect(throws: TokenKeyError.shortSecret(length)) {
                try TokenSigningKey.secret(secret)
            }
        }
        let secret = [UInt8](repeating: 7, count: TokenKey.secretLengthMin)
        try expectEqual(TokenKey.secret(secret).algorithm, .hs256)
    }

    @Test(arguments: TokenVectors.shared.otherPublicKeys.keys.sorted())
    func publicKeyOfAnotherKindOrLengthIsRefused(name: String) throws {
        let pem = try require(vectors.otherPublicKeys[name])
        #expect(throws: TokenKeyError.notAPublicKey) {
            try TokenKey.publicKey(pem: pem)
        }
    }

    @Test(arguments: [
        "", "key", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        String(repeating: "A", count: TokenKey.pemLengthMax + 1),
    ])
    func whatIsNoPublicKeyIsRefused(pem: String) {
        #expect(throws: TokenKeyError.notAPublicKey) {
            try TokenKey.publicKey(pem: pem)
        }
    }

    @Test(arguments: TokenVectors.shared.privateKeys.keys.sorted())
    func privateKeyIsNotTakenForAPublicOne(name: String) throws {
        let pem = try require(vectors.privateKeys[name])
        #expect(throws: TokenKeyError.privateKey) { try TokenKey.publicKey(pem: pem) }
    }

    @Test func signingKeyHasToBeOfItsAlgorithm() throws {
        for (name, pem) in vectors.privateKeys {
            for algorithm in [TokenAlgorithm.rs256, .es256, .edDSA] {
                let key = try? TokenSigningKey.privateKey(pem: pem, algorithm: algorithm)
                expectEqual((key != nil), (name == algorithm.rawValue), "\(name) as \(algorithm)")
            }
            #expect(throws: TokenKeyError.secretIsNoPEM) {
                try TokenSigningKey.privateKey(pem: pem, algorithm: .hs256)
            }
        }
    }

    @Test func keysAreNotShownByAccident() throws {
        let secret = "SECRET-SECRET-SECRET-SECRET-SECRET"
        let key = try TokenKey.secret(Array(secret.utf8), id: "one")
        let signing = try TokenSigningKey.secret(Array(secret.utf8))
        var dumped = ""
        dump([key], to: &dumped)
        dump([signing], to: &dumped)
        dump(TokenVerifier(keys: TokenKeySet(configured: [key])), to: &dumped)
        expect(dumped.contains("HS256 key"))
        for shown in [dumped, "\(key)", String(reflecting: key), "\(signing)", "\([signing])"] {
            expect(!shown.contains("SECRET"))
            expect(!shown.contains("83, 69"), "the bytes")
            expect(!shown.contains("Symmetric"))
        }
    }

    @Test func errorsSayWhatIsWrongAndNothingElse() {
        expectEqual("\(TokenKeyError.shortSecret(6))", "secret has 6 bytes, HS256 needs 32")
        expectEqual(
            "\(TokenKeyError.notAPublicKey)",
            "not a public key in PEM for RS256 (2048 bits or more), ES256 (P-256) or EdDSA (Ed25519)"
        )
        expectEqual("\(TokenKeyError.notAPrivateKey(.es256))", "not a private key in PEM for ES256")
    }
}
