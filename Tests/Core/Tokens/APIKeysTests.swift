import Core
import Expectations

@Suite("API keys", .timeLimit(.minutes(10)))
struct APIKeysTests {
    private let key = "correct-horse-battery-staple"

    @Test func keyOpensAndOthersDoNot() throws {
        let keys = APIKeys([try APIKeyHash(key: key)])
        expect(keys.accepts(key))
        for other in [
            "", "correct", key + "r", key.uppercased(), String(key.dropLast()), " " + key,
        ] {
            expect(!keys.accepts(other))
        }
    }

    @Test func everyConfiguredKeyOpens() throws {
        let all = [
            "first key of three keys", "second key of three keys", "third key of three keys",
        ]
        let keys = APIKeys(try all.map { try APIKeyHash(key: $0) })
        for key in all { expect(keys.accepts(key)) }
        expect(!keys.accepts("fourth key of three keys"))
    }

    @Test func withoutKeysNothingOpens() {
        expect(APIKeys([]).isEmpty)
        expect(!APIKeys([]).accepts(""))
        expect(!APIKeys([]).accepts(key))
    }

    /// NIST's example for SHA-256, 56 letters.
    @Test func hashIsTheSHA256OfTheKey() throws {
        let key = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        let text = "sha256:248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        try expectEqual(APIKeyHash(key: key).text, text)
        let upper = "sha256:" + text.dropFirst(7).uppercased()
        for hash in [text, upper] {
            expect(APIKeys([try APIKeyHash(hash)]).accepts(key))
            try expectEqual(APIKeyHash(hash).text, text)
        }
        expect(!APIKeys([try APIKeyHash(text)]).accepts(text), "the hash itself opens nothing")
    }

    @Test(arguments: [
        "", "sha256:", "sha1:" + String(repeating: "0", count: 64),
        String(repeating: "0", count: 64), "sha256:" + String(repeating: "0", count: 63),
        "sha256:" + String(repeating: "0", count: 65),
        "SHA256:" + String(repeating: "0", count: 64),
        "sha256:" + String(repeating: "0", count: 63) + "g",
        "sha256:" + String(repeating: "é", count: 32),
    ])
    func otherTextIsNoHash(text: String) {
        #expect(throws: APIKeyError.notAHash) { try APIKeyHash(text) }
    }

    @Test func shortKeyIsRefused() throws {
        let short = String(repeating: "k", count: APIKeys.keyLengthMin - 1)
        #expect(throws: APIKeyError.shortKey(15)) { try APIKeyHash(key: short) }
        expect(APIKeys([try APIKeyHash(key: short + "k")]).accepts(short + "k"))
        expectEqual("\(APIKeyError.shortKey(15))", "API key has 15 bytes, less than 16")
    }

    @Test func newKeyIsItsBytesInBase64URL() {
        let key = APIKeys.newKey(random: [UInt8](repeating: 0xFB, count: 32))
        expectEqual(key, "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s")
    }

    @Test func hashIsNotShownByAccident() throws {
        let hash = try APIKeyHash(key: key)
        var dumped = ""
        dump(APIKeys([hash]), to: &dumped)
        for shown in ["\(hash)", String(reflecting: hash), dumped] {
            expect(shown.contains("sha256:…"))
            expect(!shown.contains(hash.text.suffix(8)))
        }
    }
}
