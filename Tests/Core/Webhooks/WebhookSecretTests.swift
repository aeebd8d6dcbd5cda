import Core
import Expectations

@Suite("Webhook secrets", .timeLimit(.minutes(10)))
struct WebhookSecretTests {
    @Test(arguments: [24, 32, 64])
    func secretReadsBackWhatItReveals(length: Int) throws {
        let secret = WebhookSecret(key: (0..<UInt8(length)).map { $0 ^ 0xA5 })
        expect(secret.revealed.hasPrefix("whsec_"))
        try expectEqual(WebhookSecret(secret.revealed), secret)
    }

    @Test func secretsAreEqualWhenTheirKeysAre() {
        let key = [UInt8](repeating: 7, count: 32)
        expectEqual(WebhookSecret(key: key), WebhookSecret(key: key))
        expect(WebhookSecret(key: key) != WebhookSecret(key: key.dropLast() + [8]))
        expect(WebhookSecret(key: key) != WebhookSecret(key: key + [7]))
    }

    @Test(arguments: SignatureVectors.shared.refusedSecrets)
    func badSecretIsRefused(vector: SignatureVectors.RefusedSecret) {
        let error = #expect(throws: WebhookSecretError.self) { try WebhookSecret(vector.secret) }
        expectEqual(error.map { String(describing: CaseName($0)) }, vector.error)
    }

    @Test func errorsSayWhatIsWrongAndNothingElse() {
        expectEqual(
            "\(WebhookSecretError.missingPrefix)",
            "webhook secret does not begin with 'whsec_'"
        )
        expectEqual(
            "\(WebhookSecretError.notBase64)",
            "webhook secret is not base64 with padding after 'whsec_'"
        )
        expectEqual(
            "\(WebhookSecretError.badLength(23))",
            "webhook secret has 23 bytes, not 24 to 64"
        )
    }

    @Test func secretIsNotShownByAccident() {
        let secret = WebhookSecret(key: [UInt8](repeating: 0x55, count: 32))
        var dumped = ""
        dump([secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            expect(text.contains("whsec_…"))
            expect(!text.contains("VVVV"))
            expect(!text.contains("85"))
        }
    }

    @Test func keyOfAForbiddenLengthTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = WebhookSecret(key: [UInt8](repeating: 0, count: 23))
        }
        await #expect(processExitsWith: .failure) {
            _ = WebhookSecret(key: [UInt8](repeating: 0, count: 65))
        }
    }
}

/// The name of an error's case, as the vectors write it.
struct CaseName: CustomStringConvertible {
    let description: String

    init(_ error: WebhookSecretError) {
        switch error {
        case .missingPrefix: description = "missingPrefix"
        case .notBase64: description = "notBase64"
        case .badLength: description = "badLength"
        }
    }

    init(_ error: WebhookVerificationError) {
        switch error {
        case .badID: description = "badID"
        case .badTimestamp: description = "badTimestamp"
        case .tooOld: description = "tooOld"
        case .fromTheFuture: description = "fromTheFuture"
        case .tooManySignatures: description = "tooManySignatures"
        case .noMatchingSignature: description = "noMatchingSignature"
        }
    }
}
