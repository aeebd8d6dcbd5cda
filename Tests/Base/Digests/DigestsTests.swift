import Base
import Expectations

@Suite("Digests", .timeLimit(.minutes(10)))
struct DigestsTests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test
    func digestsOfTheStandardsExamples() {
        // FIPS 180-4 examples for "abc".
        expectEqual(hexadecimal(sha1("abc".utf8)), "a9993e364706816aba3e25717850c26c9cd0d89d")
        let sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        expectEqual(hexadecimal(sha256("abc".utf8)), sha)
        // RFC 4231 §4.3.
        let mac = hmacSHA256(
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8)
        )
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        expectEqual(hexadecimal(mac), expected)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func base64OfTheRFC(text: String, encoded: String) {
        expectEqual(base64(Array(text.utf8)), encoded)
        expectEqual(bytes(base64: encoded), Array(text.utf8))
    }

    @Test(arguments: ["Zg", "Zg=", "Z===", "Zg==\n", " Zg==", "Zm9v!A==", "====", "Zm=v"])
    func foreignTextIsNotBase64(text: String) {
        expectNil(bytes(base64: text))
    }

    @Test
    func equalityNeedsEqualLengths() {
        expect(isEqualInConstantTime([1, 2], [1, 2]))
        expect(!isEqualInConstantTime([1, 2], [1, 3]))
        expect(!isEqualInConstantTime([1, 2], [1, 2, 3]))
        expectEqual(randomBytes(16).count, 16)
        expect(randomBytes(16) != randomBytes(16))
    }
}
