import Core
import Expectations

@Suite("Tokens: published keys", .timeLimit(.minutes(10)))
struct JSONWebKeySetTests {
    private let vectors = TokenVectors.shared

    private func keys(_ document: String) throws(JSONWebKeySetError) -> [JSONWebKey] {
        try JSONWebKeySet(document: Array(document.utf8)).keys
    }

    @Test func keysOfOurAlgorithmsAreTakenAndOthersPassedOver() throws {
        let set = try JSONWebKeySet(document: vectors.jwks.bytes)
        expectEqual(set.keys.map(\.id), ["rs-2", "es-2"])
        expectEqual(set.keys.map(\.algorithm), [.rs256, .es256])
        expectEqual(TokenKey.published(set.keys).map(\.id), ["rs-2", "es-2"])
    }

    /// RFC 8037, appendix A.2.
    @Test func ed25519KeyIsRead() throws {
        let keys = try keys(
            """
            {"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
            """
        )
        expectEqual(keys.map(\.algorithm), [.edDSA])
        expectEqual(TokenKey.published(keys).count, 1)
    }

    /// What stands beside `kty`, `crv` and `x` of a key that would be good.
    @Test(
        arguments: [
            ("", true), (#","use":"sig","alg":"EdDSA","kid":"a","key_ops":["verify"]"#, true),
            (#","x5c":["…"],"unknown":{}"#, true), (#","use":"enc""#, false), (#","use":1"#, false),
            (#","alg":"ES256""#, false), (#","key_ops":["sign"]"#, false),
            (#","key_ops":"verify""#, false),
            (#","kid":7"#, false), (#","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A""#, false),
            (#","k":"AAAA""#, false), (#","kty":"OKP""#, false),
        ]
    )
    func keyIsTakenOnlyForVerifyingByItsAlgorithm(more: String, isTaken: Bool) throws {
        let key = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#
        let document = #"{"keys":["# + key + more + "}]}"
        if isTaken {
            try expectEqual(keys(document).count, 1)
        } else {
            #expect(throws: JSONWebKeySetError.noUsableKey) { try keys(document) }
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[}"#, #"{"keys":[],"keys":[]}"#,
    ])
    func otherDocumentsAreRefused(document: String) {
        #expect(throws: JSONWebKeySetError.notAKeySet) { try keys(document) }
    }

    @Test func setWithoutUsableKeyIsRefused() {
        #expect(throws: JSONWebKeySetError.noUsableKey) { try keys(#"{"keys":[]}"#) }
        #expect(throws: JSONWebKeySetError.noUsableKey) { try keys(#"{"keys":[1,{"kty":"RSA"}]}"#) }
    }

    @Test func longDocumentIsRefused() throws {
        let key = #"{"kty":"EC","crv":"P-256","x":"x","y":"y"}"#
        let short = #"{"keys":["# + key + "]}"
        let padding = String(repeating: " ", count: JSONWebKeySet.lengthMax - short.utf8.count)
        try expectEqual(keys(short + padding).count, 1)
        #expect(throws: JSONWebKeySetError.tooLong(JSONWebKeySet.lengthMax + 1)) {
            try keys(short + padding + " ")
        }
    }

    @Test func manyKeysAreRefused() throws {
        func set(_ count: Int) -> String {
            let key = #"{"kty":"EC","crv":"P-256","x":"x","y":"y"}"#
            return #"{"keys":["# + Array(repeating: key, count: count).joined(separator: ",") + "]}"
        }
        try expectEqual(keys(set(JSONWebKeySet.keyCountMax)).count, JSONWebKeySet.keyCountMax)
        #expect(throws: JSONWebKeySetError.tooManyKeys(JSONWebKeySet.keyCountMax + 1)) {
            try keys(set(JSONWebKeySet.keyCountMax + 1))
        }
    }

    @Test func keyThatIsNoneDoesNotCostTheOthers() throws {
        let bad = [
            JSONWebKey(id: "point", material: .p256(x: "AAAA", y: "AAAA")),
            JSONWebKey(id: "short", material: .rsa(modulus: "AQAB", exponent: "AQAB")),
            JSONWebKey(id: "text", material: .ed25519(x: "?")),
        ]
        for key in bad {
            #expect(throws: TokenKeyError.notAPublicKey) { try TokenKey.published(key) }
        }
        let good = try JSONWebKeySet(document: vectors.jwks.bytes).keys
        expectEqual(TokenKey.published(bad + good).map(\.id), ["rs-2", "es-2"])
    }
}
