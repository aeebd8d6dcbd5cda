import Expectations

@testable import Core

@Suite("Wycheproof: signatures", .timeLimit(.minutes(10)))
struct WycheproofTests {
    @Test(arguments: [
        "rsa_signature_2048_sha256", "rsa_signature_3072_sha256", "rsa_signature_4096_sha256",
        "ecdsa_secp256r1_sha256_p1363", "ed25519",
    ])
    func signatureIsBelievedWhenItIsValid(name: String) throws {
        for group in try Wycheproof(name).groups {
            let pem = try require(group.fields["pem"] as? String)
            let key = try TokenKey.publicKey(pem: pem)
            for test in group.tests {
                let message = try test.bytes("msg")
                let signature = try test.bytes("sig")
                // "Acceptable" ones are refused, too: RSA without the NULL of its hash's parameters.
                let isBelieved = key.isSignature(signature, of: message[...])
                expectEqual(isBelieved, test.isValid, "\(test)")
            }
        }
    }

    @Test(arguments: [
        "rsa_signature_2048_sha256", "rsa_signature_3072_sha256", "rsa_signature_4096_sha256",
        "ecdsa_secp256r1_sha256_p1363", "ed25519",
    ])
    func keyIsTheSameInPEMAndAsJWK(name: String) throws {
        var count = 0
        for group in try Wycheproof(name).groups {
            guard let fields = group.fields["jwk"] as? [String: Any] else { continue }
            let pem = try require(group.fields["pem"] as? String)
            let key = try require(VectorKey.set([fields]).keys.first)
            expectEqual(PublicKeyMaterial(key.material), PEM.publicKey(pem))
            count += 1
        }
        expect(count > 0)
    }

    // MARK: JSON Web Signatures

    /// Wycheproof calls them valid, since a decoder may skip foreign characters. RFC 7515 §2 knows no such
    /// base64url.
    private static let foreignCharacters: Set = [372, 373]
    /// Wycheproof calls them invalid for their padding, which the file has lost: they are its valid
    /// token 357.
    private static let lostPadding: Set = [367, 370]

    @Test func tokenIsBelievedWhenItIsValid() throws {
        for group in try Wycheproof("json_web_signature").groups {
            let fields = group.fields["public"] ?? group.fields["private"]
            let jwk = try require(fields as? [String: Any])
            let key = try VectorKey(fields: jwk).tokenKey()
            let isOurs = TokenAlgorithm(rawValue: jwk["alg"] as? String ?? "") != nil
            expectEqual((key != nil), isOurs, "\(group.comment)")
            for test in group.tests {
                let isValid =
                    test.isValid && !Self.foreignCharacters.contains(test.id)
                    || Self.lostPadding.contains(test.id)
                let expected = isValid && isOurs
                let jws = try test.text("jws")
                expectEqual(isBelieved(jws, by: [key].compactMap(\.self)), expected, "\(test)")
            }
        }
    }

    /// A set with a private part in it is no public one.
    @Test func privateKeyIsNotTakenOutOfASet() throws {
        for group in try Wycheproof("json_web_signature").groups {
            guard let jwk = group.fields["private"] as? [String: Any] else { continue }
            #expect(throws: JSONWebKeySetError.noUsableKey, "\(group.comment)") {
                try VectorKey.set([jwk])
            }
        }
    }

    // MARK: JSON Web Keys

    /// A modulus that an old chip chose badly (ROCA). Whether a modulus was chosen well is not looked at.
    private static let weakModulus: Set = [7]

    @Test func keyOfASetIsTakenWhenItIsValid() throws {
        for group in try Wycheproof("json_web_key").groups {
            let document = group.fields["public"] ?? group.fields["private"]
            let list = try require((document as? [String: Any])?["keys"] as? [[String: Any]])
            let keys = (try? VectorKey.set(list)).map { TokenKey.published($0.keys) } ?? []
            let secrets = try list.compactMap { fields in
                fields["kty"] as? String == "oct"
                    ? try VectorKey(fields: fields).tokenKey() : nil
            }
            for test in group.tests {
                let jws = try test.text("jws")
                let isSecret = list.allSatisfy { $0["kty"] as? String == "oct" }
                let isOtherHash = ["HS384", "HS512"].contains(list[0]["alg"] as? String)
                let expected =
                    test.isValid && !isSecret || Self.weakModulus.contains(test.id)
                expectEqual(isBelieved(jws, by: keys), expected, "\(test)")
                // A set of keys has no secrets; the configuration has, and only for HS256. There, two
                // keys of one name are two keys to try.
                guard isSecret else { continue }
                let isDuplicate = test.id == 4
                let isGood = (test.isValid || isDuplicate) && !isOtherHash
                expectEqual(isBelieved(jws, by: secrets), isGood, "\(test)")
            }
        }
    }

    private func isBelieved(_ jws: String, by keys: [TokenKey]) -> Bool {
        do {
            try TokenKeySet(configured: keys).verify(try CompactToken(jws))
            return true
        } catch {
            return false
        }
    }
}
