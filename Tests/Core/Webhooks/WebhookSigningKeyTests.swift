import Expectations

@testable import Core

@Suite("Webhook signing keys: Standard Webhooks, asymmetric", .timeLimit(.minutes(10)))
struct WebhookSigningKeyTests {
    private let key = WebhookSigningKey(seed: [UInt8](repeating: 7, count: 32))

    @Test func signatureIsOfIdTimestampAndBody() throws {
        let body = Array(#"{"a":1}"#.utf8)
        let text = key.signature(id: "msg_1", timestamp: 1_614_265_330, body: body)
        expect(text.hasPrefix("v1a,"))
        let signature = try require(bytes(base64: text.dropFirst(4)))
        let publicKey = try require(bytes(base64: key.publicText.dropFirst(5)))
        let message = Array("msg_1.1614265330.".utf8) + body
        expect(isEd25519Signature(signature, of: message, publicKey: publicKey))
        expect(!isEd25519Signature(signature, of: message + [0x20], publicKey: publicKey))
    }

    @Test func keyIsWrittenAndReadAgain() throws {
        expect(key.publicText.hasPrefix("whpk_"))
        let read = try require(WebhookSigningKey(key.revealed))
        expectEqual(read.publicText, key.publicText)
        expect(WebhookSigningKey.random().publicText != key.publicText)
    }

    @Test(arguments: ["", "whsk_", "whsk_AAAA", "whsec_AAAA", "whsk_!"])
    func textThatIsNoKeyIsRefused(text: String) {
        expectNil(WebhookSigningKey(text))
    }

    @Test func secretHalfIsNotShown() {
        var dumped = ""
        dump(key, to: &dumped)
        for shown in ["\(key)", String(reflecting: key), dumped] {
            expect(!shown.contains(key.revealed.dropFirst(5)))
        }
    }

    @Test func headersHaveTheSignaturesOfSecretsAndKeys() throws {
        let secret = WebhookSecret(key: [UInt8](repeating: 1, count: 24))
        let now = Timestamp(milliseconds: 1_766_314_800_000)
        let headers = deliveryHeaders(
            id: "m",
            body: [],
            secrets: [secret],
            signingKeys: [key],
            now: now,
            userAgent: "a"
        )
        let given = try require(headers.first { $0.name == "webhook-signature" }?.value)
        let expected = [
            secret.signature(id: "m", timestamp: now.wholeSeconds, body: []),
            key.signature(id: "m", timestamp: now.wholeSeconds, body: []),
        ]
        expectEqual(given, expected.joined(separator: " "))
        // Whoever knows the secret alone passes over the other one.
        try verifyWebhook(
            id: "m",
            timestamp: "\(now.wholeSeconds)",
            signatures: given,
            body: [],
            secrets: [secret],
            now: now
        )
    }
}
