import Expectations

@testable import Core

/// The examples of RFC 7515 (JWS), RFC 7520 (JOSE cookbook) and RFC 8037 (Ed25519).
@Suite("RFC 7515 §A, RFC 7520 §4, RFC 8037 §A: examples", .timeLimit(.minutes(10)))
struct RFCExampleTests {
    private struct Example {
        let section: String
        let key: TokenKey
        let token: CompactToken
        let seed: String?
    }

    private func examples() throws -> [Example] {
        let json = try VectorFile.json("rfc/jws_examples.json")
        let list = try require(json as? [[String: Any]])
        return try list.map { fields in
            let jwk = try require(fields["key"] as? [String: Any])
            let key = try VectorKey(fields: jwk).tokenKey()
            return Example(
                section: try require(fields["section"] as? String),
                key: try require(key),
                token: try CompactToken(try require(fields["jws"] as? String)),
                seed: fields["seed"] as? String
            )
        }
    }

    @Test func exampleIsBelieved() throws {
        let examples = try examples()
        expectEqual(examples.count, 8)
        expectEqual(Set(examples.map(\.key.algorithm)), Set(TokenAlgorithm.allCases))
        for example in examples {
            try TokenKeySet(configured: [example.key]).verify(example.token)
        }
    }

    @Test func exampleWithAnyBitChangedIsRefused() throws {
        for example in try examples() {
            let token = example.token
            for index in token.signature.indices {
                var signature = token.signature
                signature[index] ^= 1 << (index % 8)
                expect(
                    !example.key.isSignature(signature, of: token.signed),
                    "\(example.section), byte \(index)"
                )
            }
            for index in token.signed.indices {
                var signed = token.signed
                signed[index] ^= 1
                expect(
                    !example.key.isSignature(token.signature, of: signed),
                    "\(example.section), byte \(index)"
                )
            }
        }
    }

    /// RFC 8037 §A.1 and §A.4: Ed25519 makes the same signature each time.
    @Test func ed25519ExampleIsSignedAgain() throws {
        let list = try examples()
        let example = try require(list.first { $0.seed != nil })
        let seed = try require(example.seed.flatMap(Base64URL.decodeNumber))
        // RFC 8410 §7: version 0, the algorithm, and the seed in two octet strings.
        let prefix = try bytes(hexadecimal: "302e020100300506032b657004220420")
        let pem = PEMText.block("PRIVATE KEY", prefix + seed)
        let key = try TokenSigningKey.privateKey(pem: pem, algorithm: .edDSA)
        try expectEqual(key.sign(Array(example.token.signed)), example.token.signature)
    }
}
