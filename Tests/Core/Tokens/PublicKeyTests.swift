import Expectations

@testable import Core

/// Which numbers are a key: of RS256, ES256 and EdDSA, as a JWK and in PEM.
@Suite("RFC 7518 §6, RFC 8037 §2: public keys", .timeLimit(.minutes(10)))
struct PublicKeyTests {
    private let modulus: [UInt8]
    private let x: [UInt8]
    private let y: [UInt8]
    private let edwards: [UInt8]

    init() throws {
        let pem = TokenVectors.shared.publicKeys
        guard case .rsa(let modulus, [1, 0, 1]) = PEM.publicKey(try require(pem["RS256"])),
            case .p256(let point) = PEM.publicKey(try require(pem["ES256"])),
            case .ed25519(let edwards) = PEM.publicKey(try require(pem["EdDSA"]))
        else { throw Failure(description: "the vectors' keys are not of their kinds") }
        self.modulus = modulus
        (x, y) = (Array(point[1...32]), Array(point[33...]))
        self.edwards = edwards
    }

    private func isKey(_ material: JSONWebKey.Material) -> Bool {
        (try? TokenKey.published(JSONWebKey(id: nil, material: material))) != nil
    }

    private func isRSA(_ modulus: [UInt8], _ exponent: [UInt8]) -> Bool {
        let (n, e) = (Base64URL.encode(modulus), Base64URL.encode(exponent))
        return isKey(.rsa(modulus: n, exponent: e))
    }

    private func isRSAInPEM(_ modulus: [UInt8], _ exponent: [UInt8]) -> Bool {
        let pem = PEMText.rsaPublicKey(modulus, exponent)
        return (try? TokenKey.publicKey(pem: pem)) != nil
    }

    private func isP256(_ x: [UInt8], _ y: [UInt8]) -> Bool {
        isKey(.p256(x: Base64URL.encode(x), y: Base64URL.encode(y)))
    }

    private func isEd25519(_ x: [UInt8]) -> Bool { isKey(.ed25519(x: Base64URL.encode(x))) }

    /// An odd number of as many bits; whether it is a product of two primes nobody can see.
    private func number(bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0x55, count: (bits + 7) / 8)
        bytes[0] = 1 << ((bits - 1) % 8)
        return bytes
    }

    // MARK: RSA

    @Test(
        arguments: [
            ([], false), ([0], false), ([1], false), ([2], false), ([3], true), ([4], false),
            ([1, 0, 0], false), ([1, 0, 1], true), ([0, 0, 1, 0, 1], true),
            ([1, 0, 0, 0, 1], true), ([1, 0xFF, 0xFF, 0xFF, 0xFF], true), ([2, 0, 0, 0, 1], false),
            ([1, 0, 0, 0, 0, 0, 0, 0, 1], false),
        ] as [([UInt8], Bool)]
    )
    func exponentIsOddAndHasTwoTo33Bits(exponent: [UInt8], isKey: Bool) {
        expectEqual(isRSA(modulus, exponent), isKey)
        expectEqual(isRSAInPEM(modulus, exponent), isKey)
    }

    @Test(arguments: [
        (1024, false), (2047, false), (2048, true), (2049, true), (3072, true), (4096, true),
        (8192, true), (8193, false), (16_384, false),
    ])
    func modulusHas2048To8192Bits(bits: Int, isKey: Bool) {
        let number = number(bits: bits)
        expectEqual(isRSA(number, [1, 0, 1]), isKey)
        expectEqual(isRSA([0, 0, 0] + number, [1, 0, 1]), isKey, "zeros are no bits")
        expectEqual(isRSAInPEM(number, [1, 0, 1]), isKey)
    }

    @Test func evenModulusIsRefused() throws {
        var even = modulus
        even[even.count - 1] &= 0xFE
        expect(!isRSA(even, [1, 0, 1]))
        expect(!isRSA([], [1, 0, 1]))
        expect(!isRSA([UInt8](repeating: 0, count: 256), [1, 0, 1]))
        expect(!isRSA(modulus, modulus), "an exponent as large as the modulus")
    }

    /// The signature of PKCS#1 to the power of 1 is its own padding: anyone can make it.
    @Test func exponentOneWouldBelieveEverybody() throws {
        let groups = try Wycheproof("json_web_key").groups
        let forged = try require(groups.first { $0.comment == "exponentOne" })
        let set = try require(forged.fields["public"] as? [String: Any])
        let keys = try require(set["keys"] as? [[String: Any]])
        expect(TokenKey.published(try VectorKey.set(keys).keys).isEmpty)
    }

    @Test func signatureOfRSAHasTheLengthOfItsModulus() throws {
        let token = try CompactToken(TokenVectors.shared["RS256"].token)
        let key = try TokenVectors.shared.publicKey(.rs256)
        expect(key.isSignature(token.signature, of: token.signed))
        for other in [
            [], [0], [0] + token.signature, token.signature + [0],
            Array(token.signature.dropLast()),
            [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xFF, count: 256), modulus,
        ] {
            expect(!key.isSignature(other, of: token.signed), "\(other.count) bytes")
        }
    }

    // MARK: P-256

    @Test func pointIsOnTheCurve() {
        expect(isP256(x, y))
        expect(!isP256(y, x))
        expect(!isP256(x, Array(y.dropLast()) + [y[31] ^ 1]))
        let zeros = [UInt8](repeating: 0, count: 32)
        expect(!isP256(zeros, zeros), "not the point at infinity, and not on the curve")
        expect(!isP256(zeros, y))
        let ones = [UInt8](repeating: 0xFF, count: 32)
        expect(!isP256(ones, ones), "over the field's prime")
    }

    /// x + p is x on the curve, and would be another text for the same key. The prime p is
    /// 2^256 - 2^224 + 2^192 + 2^96 - 1; the point with x = 5 is one whose x + p has 32 bytes.
    @Test func coordinateIsSmallerThanTheFieldsPrime() throws {
        let five = [UInt8](repeating: 0, count: 31) + [5]
        let root = try bytes(
            hexadecimal: "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc"
        )
        expect(isP256(five, root))
        let more = try bytes(
            hexadecimal: "ffffffff00000001000000000000000000000001000000000000000000000004"
        )
        expect(!isP256(more, root))
        let prime = try bytes(
            hexadecimal: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
        )
        expect(!isP256(prime, y))
        expect(!isP256(x, prime))
    }

    @Test func coordinateHas32Bytes() {
        expect(!isP256(Array(x.dropLast()), y))
        expect(!isP256([0] + x, y))
        expect(!isP256(x + [0], y))
        expect(!isP256(Array(x.dropLast()), [x[31]] + y), "64 bytes, divided elsewhere")
        expect(!isP256(x + y, []))
        expect(!isP256([], x + y))
        expect(!isP256([], []))
        expect(!isP256([4] + x, y))
    }

    // MARK: Ed25519

    @Test func keyOfEd25519Has32Bytes() {
        expect(isEd25519(edwards))
        expect(!isEd25519([]))
        expect(!isEd25519(Array(edwards.dropLast())))
        expect(!isEd25519(edwards + [0]))
    }

    /// Such a key is seen only when it is used.
    @Test func keyOfEd25519ThatIsNoPointBelievesNothing() throws {
        let token = try CompactToken(TokenVectors.shared["EdDSA"].token)
        for first in [0, 2, 0xFF] as [UInt8] {
            let rest = [UInt8](repeating: first == 0xFF ? 0xFF : 0, count: 31)
            let x = Base64URL.encode([first] + rest)
            let key = try TokenKey.published(JSONWebKey(id: nil, material: .ed25519(x: x)))
            expect(!key.isSignature(token.signature, of: token.signed))
        }
    }

    // MARK: base64url

    /// What publishers make of it does no harm; anything else is no number.
    @Test func numberMayHavePaddingOrTheOtherAlphabet() {
        let text = Base64URL.encode(x)
        let other = text.replacing("-", with: "+").replacing("_", with: "/")
        let last = Character(UnicodeScalar(text.utf8.last! + 1))
        for same in [text, text + "=", text + "====", other, other + "="] {
            expectEqual(Base64URL.decodeNumber(same), x, "\(same)")
            expect(isKey(.p256(x: same, y: Base64URL.encode(y))))
        }
        expectEqual(
            Base64URL.decodeNumber(text.dropLast() + String(last)),
            x,
            "unused bits are set"
        )
        for bad in [
            text + " ", " " + text, text + "\n", "=" + text, text.dropLast() + "=" + text.suffix(1),
            text + "AA", text.dropLast(2) + "?A", text.dropLast(3) + "é", "A", "AAAAA", "\0",
        ] {
            expect(!isKey(.p256(x: String(bad), y: Base64URL.encode(y))), "\(bad)")
        }
        expectEqual(Base64URL.decodeNumber(""), [])
    }
}
