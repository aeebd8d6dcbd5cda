import COpenSSL
import Expectations

@testable import Core

@Suite("RFC 7468: keys in PEM", .timeLimit(.minutes(10)))
struct PEMTests {
    private let vectors = TokenVectors.shared

    /// The algorithm of a public key; nil when it is refused.
    private func algorithm(_ pem: String) -> TokenAlgorithm? {
        try? TokenKey.publicKey(pem: pem).algorithm
    }

    private static let algorithms: [TokenAlgorithm] = [.rs256, .es256, .edDSA]

    @Test(arguments: algorithms)
    func layoutDoesNotMatter(algorithm: TokenAlgorithm) throws {
        let pem = try require(vectors.publicKeys[algorithm.rawValue])
        let content = PEMText.content(pem)
        for same in [
            pem.replacing("\n", with: "\r\n"), String(pem.dropLast()), "# of 2026\n" + pem,
            pem + "\nof 2026\n", pem.replacing("\n", with: " \n"),
            PEMText.block("PUBLIC KEY", content, width: 76),
            PEMText.block("PUBLIC KEY", content, width: 32),
        ] {
            expectEqual(self.algorithm(same), algorithm, "\(same)")
        }
    }

    /// With two keys their order would decide.
    @Test(arguments: algorithms)
    func textHasOneKey(algorithm: TokenAlgorithm) throws {
        let pem = try require(vectors.publicKeys[algorithm.rawValue])
        let other = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        for two in [pem + pem, other + pem, pem + other] {
            expectNil(self.algorithm(two))
        }
    }

    @Test(arguments: algorithms)
    func textCutAnywhereIsRefused(algorithm: TokenAlgorithm) throws {
        let pem = try require(vectors.publicKeys[algorithm.rawValue])
        let whole = pem.utf8.count - 1
        for length in 0..<whole {
            expectNil(self.algorithm(String(pem.prefix(length))), "\(length) bytes")
        }
    }

    @Test(arguments: algorithms)
    func contentCutOrLengthenedIsRefused(algorithm: TokenAlgorithm) throws {
        let content = PEMText.content(try require(vectors.publicKeys[algorithm.rawValue]))
        expectEqual(self.algorithm(PEMText.block("PUBLIC KEY", content)), algorithm)
        for length in 0..<content.count {
            let cut = PEMText.block("PUBLIC KEY", Array(content.prefix(length)))
            expectNil(self.algorithm(cut), "\(length) bytes")
        }
        expectNil(self.algorithm(PEMText.block("PUBLIC KEY", content + [0])))
        expectNil(self.algorithm(PEMText.block("PUBLIC KEY", content + content)))
    }

    /// A key or a refusal, nothing else; and a key is of the kind that it was, or of none.
    @Test(arguments: algorithms)
    func contentWithAnotherByteIsAKeyOfItsKindOrNone(algorithm: TokenAlgorithm) throws {
        let content = PEMText.content(try require(vectors.publicKeys[algorithm.rawValue]))
        for index in content.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var altered = content
                altered[index] ^= change
                let found = self.algorithm(PEMText.block("PUBLIC KEY", altered))
                expect(found == nil || found == algorithm, "byte \(index)")
            }
        }
    }

    @Test func labelSaysWhatTheContentIs() throws {
        let pem = try require(vectors.publicKeys["RS256"])
        let content = PEMText.content(pem)
        // The BIT STRING begins after the algorithm, and the key after the number of its unused bits.
        let key = Array(content.dropFirst(24))
        expectEqual(algorithm(PEMText.block("RSA PUBLIC KEY", key)), .rs256)
        expectNil(algorithm(PEMText.block("RSA PUBLIC KEY", content)))
        expectNil(algorithm(PEMText.block("PUBLIC KEY", key)))
        expectNil(algorithm(PEMText.block("RSA PUBLIC KEY", key + [0])))
        for label in ["CERTIFICATE", "EC PUBLIC KEY", "PUBLIC KEYS", "", "public key"] {
            expectNil(algorithm(PEMText.block(label, content)), "\(label)")
        }
    }

    /// OpenSSL would ask for the passphrase at the terminal.
    @Test func encryptedKeyIsRefused() throws {
        let header =
            "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,\(String(repeating: "0", count: 32))\n\n"
        for algorithm in Self.algorithms {
            let pem = try require(vectors.publicKeys[algorithm.rawValue])
            let start = "-----BEGIN PUBLIC KEY-----\n"
            expectNil(self.algorithm(pem.replacing(start, with: start + header)))
            expectNil(self.algorithm(pem.replacing(start, with: start + "Comment: x\n\n")))
        }
        // An empty passphrase is one, too.
        for passphrase in ["secret", ""] {
            let key = try GeneratedKey.generate("EC", encryptedBy: passphrase) {
                EVP_PKEY_CTX_set_group_name($0, "P-256")
            }
            for pem in [key.privatePEM, try require(key.traditionalPEM)] {
                expect(pem.contains("ENCRYPTED"))
                #expect(throws: TokenKeyError.notAPrivateKey(.es256)) {
                    try TokenSigningKey.privateKey(pem: pem, algorithm: .es256)
                }
            }
        }
        let plain = try GeneratedKey.p256()
        for pem in [plain.privatePEM, try require(plain.traditionalPEM)] {
            let key = try TokenSigningKey.privateKey(pem: pem, algorithm: .es256)
            expectEqual(key.algorithm, .es256)
        }
    }

    @Test(arguments: [
        ("EC", "P-384"), ("EC", "secp256k1"), ("EC", "brainpoolP256r1"), ("X25519", nil),
        ("ED448", nil), ("RSA-PSS", nil),
    ])
    func keyOfAnotherKindIsRefused(name: String, curve: String?) throws {
        let key = try GeneratedKey.generate(name) { context in
            curve.map { EVP_PKEY_CTX_set_group_name(context, $0) } ?? 1
        }
        #expect(throws: TokenKeyError.notAPublicKey) {
            try TokenKey.publicKey(pem: key.publicPEM)
        }
        for algorithm in Self.algorithms {
            #expect(throws: TokenKeyError.notAPrivateKey(algorithm)) {
                try TokenSigningKey.privateKey(pem: key.privatePEM, algorithm: algorithm)
            }
        }
    }

    /// RFC 5480 §2.1.1: no other form than a named curve and, here, an uncompressed point.
    @Test func keyOfP256HasANamedCurveAndAnUncompressedPoint() throws {
        let isNamed = try GeneratedKey.p256(
            setting: OSSL_PKEY_PARAM_EC_ENCODING,
            to: "named_curve"
        )
        expectEqual(algorithm(isNamed.publicPEM), .es256)
        for (parameter, value) in [
            (OSSL_PKEY_PARAM_EC_ENCODING, "explicit"),
            (OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "compressed"),
            (OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "hybrid"),
        ] {
            let key = try GeneratedKey.p256(setting: parameter, to: value)
            expect(PEMText.content(key.publicPEM) != PEMText.content(isNamed.publicPEM))
            expectNil(algorithm(key.publicPEM), "\(value)")
        }
    }

    // MARK: Private keys

    /// Else it would make tokens that its public key does not believe.
    @Test func privateKeyBelongsToItsPublicPart() throws {
        let content = PEMText.content(try require(vectors.privateKeys["ES256"]))
        let other = PEMText.content(try GeneratedKey.p256().privatePEM)
        // Both are as long, and end with the point.
        expectEqual(content.count, other.count)
        let mixed = PEMText.block("PRIVATE KEY", content.dropLast(64) + other.suffix(64))
        #expect(throws: TokenKeyError.notAPrivateKey(.es256)) {
            try TokenSigningKey.privateKey(pem: mixed, algorithm: .es256)
        }
    }

    @Test func privateKeyOfRSAHas2048Bits() throws {
        let short = try GeneratedKey.generate("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, 1024) }
        #expect(throws: TokenKeyError.notAPrivateKey(.rs256)) {
            try TokenSigningKey.privateKey(pem: short.privatePEM, algorithm: .rs256)
        }
    }

    @Test(arguments: algorithms)
    func textHasOnePrivateKey(algorithm: TokenAlgorithm) throws {
        let pem = try require(vectors.privateKeys[algorithm.rawValue])
        let publicPEM = try require(vectors.publicKeys[algorithm.rawValue])
        for text in [pem + pem, publicPEM, "", "key"] {
            #expect(throws: TokenKeyError.notAPrivateKey(algorithm)) {
                try TokenSigningKey.privateKey(pem: text, algorithm: algorithm)
            }
        }
    }

    /// Errors that stay in the thread's queue are taken for those of a later call, for instance of TLS.
    @Test(arguments: algorithms)
    func nothingIsLeftInOpenSSLsQueue(algorithm: TokenAlgorithm) throws {
        let pem = try require(vectors.publicKeys[algorithm.rawValue])
        let content = PEMText.content(pem)
        ERR_clear_error()
        for text in [
            "", "-----BEGIN PUBLIC KEY-----\n", pem, PEMText.block("PUBLIC KEY", [1]),
            PEMText.block("PUBLIC KEY", content.dropLast()),
            PEMText.block("RSA PUBLIC KEY", content),
        ] {
            _ = try? TokenKey.publicKey(pem: text)
            expectEqual(ERR_peek_error(), 0)
            _ = try? TokenSigningKey.privateKey(pem: text, algorithm: algorithm)
            expectEqual(ERR_peek_error(), 0)
        }
        let offCurve = [UInt8](repeating: 1, count: 32)
        let text = Base64URL.encode(offCurve)
        _ = try? TokenKey.published(JSONWebKey(id: nil, material: .p256(x: text, y: text)))
        expectEqual(ERR_peek_error(), 0)
        let key = try TokenKey.publicKey(pem: pem)
        expect(!key.isSignature([UInt8](repeating: 0x7F, count: 64), of: [1]))
        expect(!key.isSignature([], of: []))
        expectEqual(ERR_peek_error(), 0)
    }
}
