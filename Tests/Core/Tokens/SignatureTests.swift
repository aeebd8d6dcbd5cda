import Expectations
import SeededRandom

@testable import Core

@Suite("RFC 7518 §3, RFC 8037 §3.1: signatures", .timeLimit(.minutes(10)))
struct SignatureTests {
    private let vectors = TokenVectors.shared
    /// The order of P-256's group (SEC 2 §2.4.2).
    private let order: [UInt8]

    init() throws {
        order = try bytes(
            hexadecimal: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        )
    }

    private func signingKey(_ algorithm: TokenAlgorithm) throws -> TokenSigningKey {
        guard algorithm != .hs256 else { return try .secret(Array(vectors.secrets[0].utf8)) }
        let pem = try require(vectors.privateKeys[algorithm.rawValue])
        return try .privateKey(pem: pem, algorithm: algorithm)
    }

    private func key(_ algorithm: TokenAlgorithm) throws -> TokenKey {
        guard algorithm != .hs256 else { return try .secret(Array(vectors.secrets[0].utf8)) }
        return try vectors.publicKey(algorithm)
    }

    /// Of the same kind, and of somebody else.
    private func otherKey(_ algorithm: TokenAlgorithm) throws -> TokenKey {
        switch algorithm {
        case .hs256: try .secret(Array(vectors.secrets[1].utf8))
        case .rs256: try .publicKey(pem: try GeneratedKey.generate("RSA").publicPEM)
        case .es256: try .publicKey(pem: try GeneratedKey.p256().publicPEM)
        case .edDSA: try .publicKey(pem: try GeneratedKey.generate("ED25519").publicPEM)
        }
    }

    @Test(arguments: TokenAlgorithm.allCases)
    func whatIsSignedIsBelieved(algorithm: TokenAlgorithm) throws {
        let signer = try signingKey(algorithm)
        let key = try key(algorithm)
        let other = try otherKey(algorithm)
        for length in [0, 1, 63, 64, 65, 1000, 100_000] {
            // Surrounded, so that a slice is read from its begin to its end.
            let message = [UInt8](repeating: UInt8(length & 0xFF), count: length)
            let around = [7] + message + [7]
            let signature = try signer.sign(message)
            expect(key.isSignature(signature, of: around[1..<1 + length]), "\(length) bytes")
            expect(!key.isSignature(signature, of: around[..<(1 + length)]))
            expect(!other.isSignature(signature, of: around[1..<1 + length]))
        }
    }

    @Test(arguments: TokenAlgorithm.allCases)
    func signatureHasTheLengthOfItsAlgorithm(algorithm: TokenAlgorithm) throws {
        let key = try key(algorithm)
        let message: [UInt8] = [1, 2, 3]
        let signature = try signingKey(algorithm).sign(message)
        let lengths: [TokenAlgorithm: Int] = [.hs256: 32, .rs256: 256, .es256: 64, .edDSA: 64]
        expectEqual(signature.count, lengths[algorithm])
        for length in 0..<signature.count {
            expect(!key.isSignature(Array(signature.prefix(length)), of: message[...]))
        }
        for other in [signature + [0], [0] + signature, signature + signature] {
            expect(!key.isSignature(other, of: message[...]))
        }
    }

    /// Ed25519, HMAC and PKCS#1 v1.5 have one signature of a message: those of the vectors, which another
    /// library made.
    @Test(arguments: [TokenAlgorithm.hs256, .rs256, .edDSA])
    func signatureIsThatOfTheVector(algorithm: TokenAlgorithm) throws {
        let token = try CompactToken(vectors[algorithm.rawValue].token)
        try expectEqual(signingKey(algorithm).sign(Array(token.signed)), token.signature)
    }

    @Test func privateKeyIsNeededToSign() throws {
        for algorithm in [TokenAlgorithm.rs256, .es256, .edDSA] {
            let pem = try require(vectors.publicKeys[algorithm.rawValue])
            let material = try require(PEM.publicKey(pem))
            let key = try require(AsymmetricKey(publicKey: material))
            expectNil(key.signature(of: [1]))
        }
    }

    // MARK: r and s

    /// The numbers around the limits of what r and s may be, in every combination with each other and
    /// with those of a good signature.
    @Test func numbersOfES256AreBetweenZeroAndTheOrder() throws {
        let message: [UInt8] = [1, 2, 3]
        let signature = try signingKey(.es256).sign(message)
        let key = try key(.es256)
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        expect(key.isSignature(r + s, of: message[...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let one = zero.dropLast() + [1]
        let largest = order.dropLast() + [order[31] - 1]
        let more = order.dropLast() + [order[31] + 1]
        let all = [UInt8](repeating: 0xFF, count: 32)
        let numbers = [zero, Array(one), Array(largest), order, Array(more), all]
        for number in numbers {
            expect(!key.isSignature(number + s, of: message[...]))
            expect(!key.isSignature(r + number, of: message[...]))
            for other in numbers {
                expect(!key.isSignature(number + other, of: message[...]))
            }
        }
        expect(!key.isSignature(s + r, of: message[...]))
    }

    /// r + n is r modulo n, and fits into 32 bytes when r is small: another text for the same signature.
    /// RFC 7518 §3.4 has none, and neither has the standard.
    @Test func numberOfES256IsNotReduced() throws {
        let file = try Wycheproof("ecdsa_secp256r1_sha256_p1363")
        let cases = file.groups.flatMap(\.tests).filter { "\($0)".contains("not reduced") }
        expect(!cases.isEmpty)
        expect(cases.allSatisfy { !$0.isValid })
    }

    @Test func signatureOfES256InDERIsRefused() throws {
        let message: [UInt8] = [1, 2, 3]
        let signature = try signingKey(.es256).sign(message)
        let encoded = try require(ECDSASignature.encoded(signature))
        expect(!(try key(.es256)).isSignature(encoded, of: message[...]))
        expectEqual(ECDSASignature.raw(encoded), signature)
    }

    @Test func bothFormsOfASignatureAreTheSameNumbers() throws {
        var random = SeededGenerator(seed: 20_261_123)
        for round in 0..<500 {
            // Leading zeros and high bits are what DER writes in another length.
            var raw = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
            for index in 0..<(round % 33) { raw[index] = 0 }
            for index in 0..<(round % 17) { raw[32 + index] = 0 }
            let encoded = try require(ECDSASignature.encoded(raw))
            expectEqual(ECDSASignature.raw(encoded), raw)
            expectEqual(encoded[0], 0x30)
            expectEqual(Int(encoded[1]), encoded.count - 2)
        }
    }

    @Test func otherDERIsNoSignatureOfP256() throws {
        for other in [
            "", "30", "3000", "3003020101", "30060201010201", "3106020101020101",
            // 33 bytes of r.
            "3026022101" + String(repeating: "00", count: 32) + "020101",
        ] {
            expectNil(ECDSASignature.raw(try bytes(hexadecimal: other)), "\(other)")
        }
        for length in [0, 1, 63, 65, 72, 128] {
            expectNil(ECDSASignature.encoded([UInt8](repeating: 1, count: length)))
        }
    }

    // MARK: Threads

    /// Under ThreadSanitizer, too: `make test-tsan`.
    @Test(arguments: TokenAlgorithm.allCases)
    func keyIsUsedByManyThreadsAtOnce(algorithm: TokenAlgorithm) async throws {
        let key = try key(algorithm)
        let signer = try signingKey(algorithm)
        let good = try signer.sign([1])
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<50 {
                        let message = [UInt8(task), UInt8(round)]
                        let signature = try signer.sign(message)
                        guard key.isSignature(signature, of: message[...]),
                            key.isSignature(good, of: [1]), !key.isSignature(good, of: [2])
                        else { return false }
                    }
                    return true
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        expect(results.allSatisfy(\.self) && results.count == 8)
    }
}
