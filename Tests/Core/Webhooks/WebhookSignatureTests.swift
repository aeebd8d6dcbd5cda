import Core
import Expectations

@Suite("Webhook signatures", .timeLimit(.minutes(10)))
struct WebhookSignatureTests {
    private let vectors = SignatureVectors.shared

    @Test(arguments: SignatureVectors.shared.valid)
    func messageIsSignedAsInTheVectors(vector: SignatureVectors.Valid) throws {
        let signature = try WebhookSecret(vector.secret).signature(
            id: vector.id,
            timestamp: vector.timestamp,
            body: Array(vector.body.utf8)
        )
        expectEqual(signature, vector.signature)
    }

    @Test func twoSecretsMakeTwoSignatures() throws {
        let vector = vectors.rotation
        let secrets = try vector.secrets.map { try WebhookSecret($0) }
        let body = Array(vector.body.utf8)
        let signatures = webhookSignatures(
            secrets,
            id: vector.id,
            timestamp: vector.timestamp,
            body: body
        )
        expectEqual(signatures, vector.signatures)
        for secret in secrets {
            #expect(throws: Never.self, "a receiver that knows one of them is content") {
                try verifyWebhook(
                    id: vector.id,
                    timestamp: String(vector.timestamp),
                    signatures: signatures,
                    body: body,
                    secrets: [secret],
                    now: Timestamp(milliseconds: vector.timestamp * 1000)
                )
            }
        }
    }

    @Test func receiverMayKnowTwoSecretsToo() throws {
        let vector = vectors.valid[0]
        let other = WebhookSecret(key: [UInt8](repeating: 1, count: 24))
        let secrets = [other, try WebhookSecret(vector.secret)]
        #expect(throws: Never.self) {
            try verifyWebhook(
                id: vector.id,
                timestamp: String(vector.timestamp),
                signatures: vector.signature,
                body: Array(vector.body.utf8),
                secrets: secrets,
                now: Timestamp(milliseconds: vector.timestamp * 1000)
            )
        }
    }

    @Test(arguments: SignatureVectors.shared.accepted)
    func requestIsAccepted(vector: SignatureVectors.Request) {
        #expect(throws: Never.self) { try vector.verify() }
    }

    @Test(arguments: SignatureVectors.shared.refused)
    func requestIsRefused(vector: SignatureVectors.Request) throws {
        let error = #expect(throws: WebhookVerificationError.self) { try vector.verify() }
        expectEqual(error.map { CaseName($0).description }, vector.error)
    }

    @Test func signaturesAreLimited() throws {
        let vector = vectors.valid[0]
        let secret = try WebhookSecret(vector.secret)
        func verify(_ count: Int) throws(WebhookVerificationError) {
            try verifyWebhook(
                id: vector.id,
                timestamp: String(vector.timestamp),
                signatures: Array(repeating: vector.signature, count: count)
                    .joined(separator: " "),
                body: Array(vector.body.utf8),
                secrets: [secret],
                now: Timestamp(milliseconds: vector.timestamp * 1000)
            )
        }
        let limit = WebhookVerificationError.signaturesMax
        #expect(throws: Never.self) { try verify(limit) }
        #expect(throws: WebhookVerificationError.tooManySignatures(limit + 1)) {
            try verify(limit + 1)
        }
    }

    @Test func everyFlippedBitOfTheBodyIsNoticed() throws {
        let secret = WebhookSecret(key: [UInt8](repeating: 9, count: 32))
        let body = Array(#"{"a":1}"#.utf8)
        let signature = secret.signature(id: "m", timestamp: 100, body: body)
        for index in body.indices {
            for bit in 0..<8 {
                var changed = body
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: WebhookVerificationError.noMatchingSignature) {
                    try verifyWebhook(
                        id: "m",
                        timestamp: "100",
                        signatures: signature,
                        body: changed,
                        secrets: [secret],
                        now: Timestamp(milliseconds: 100_000)
                    )
                }
            }
        }
    }

    @Test func errorsSayHowFarTheClocksAreApart() {
        expectEqual(
            "\(WebhookVerificationError.tooOld(.seconds(301)))",
            "webhook-timestamp is 301.0 seconds old"
        )
        expectEqual(
            "\(WebhookVerificationError.fromTheFuture(.seconds(301)))",
            "webhook-timestamp is 301.0 seconds in the future"
        )
    }

    @Test(arguments: [
        ("msg_1", true), ("019b4241-0a80-7000-8000-000000000001", true), ("", false),
        ("a.b", false), ("a b", false), ("é", false), ("a\n", false),
        (String(repeating: "i", count: 255), true), (String(repeating: "i", count: 256), false),
    ])
    func idIsVisibleWithoutFullStops(id: String, expected: Bool) {
        expectEqual(isWebhookID(id), expected)
    }

    @Test func idWithAFullStopIsNeverSigned() async {
        await #expect(processExitsWith: .failure) {
            let secret = WebhookSecret(key: [UInt8](repeating: 9, count: 32))
            _ = secret.signature(id: "a.b", timestamp: 0, body: [])
        }
    }
}

@Suite("Headers of a delivery", .timeLimit(.minutes(10)))
struct DeliveryHeadersTests {
    private let secret = WebhookSecret(key: [UInt8](repeating: 9, count: 32))
    private let body = Array(#"{"a":1}"#.utf8)

    private func headers(now: Timestamp) -> [(name: String, value: String)] {
        deliveryHeaders(id: "m", body: body, secrets: [secret], now: now, userAgent: "varde/1.0")
    }

    @Test func receiverCanVerifyWhatIsSent() {
        let now = evening + .milliseconds(999)
        let headers = headers(now: now)
        expectEqual(
            headers.map(\.name),
            [
                "webhook-id", "webhook-timestamp", "webhook-signature", "content-type",
                "user-agent",
            ]
        )
        expectEqual(headers[0].value, "m")
        expectEqual(headers[1].value, "1766340000")
        expectEqual(headers[3].value, "application/cloudevents+json")
        expectEqual(headers[4].value, "varde/1.0")
        #expect(throws: Never.self) {
            try verifyWebhook(
                id: headers[0].value,
                timestamp: headers[1].value,
                signatures: headers[2].value,
                body: body,
                secrets: [secret],
                now: now
            )
        }
    }

    @Test func eachAttemptIsSignedAnewUnderTheSameID() {
        let first = headers(now: evening)
        let second = headers(now: after(5))
        expect(first[0] == second[0])
        expect(first[1] != second[1])
        expect(first[2] != second[2])
    }
}
