extension WebhookSecret {
    /// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
    ///
    /// - Parameters:
    ///   - id: of the message; without a `.`, which would let two messages share a signature.
    ///   - timestamp: of the attempt, in seconds since 1970.
    ///
    /// Source: Standard Webhooks, "Signature scheme"; protocol/webhooks.md, Verify.
    package func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        precondition(isWebhookID(id))
        return signature(signedID: id, signedTimestamp: String(timestamp), body: body)
    }

    /// Signs the texts of the headers exactly as they are.
    fileprivate func signature(
        signedID: String,
        signedTimestamp: String,
        body: [UInt8]
    ) -> String {
        let digest = hmacSHA256(
            key: key,
            message: Array("\(signedID).\(signedTimestamp).".utf8) + body
        )
        return "v1," + base64(digest)
    }
}

/// Whether a text can identify a message: 1 to 255 bytes of visible ASCII without `.`.
package func isWebhookID(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
        && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ".") }
}

/// The signatures of one attempt, one for each secret and key, separated by spaces.
///
/// While a secret is being replaced the endpoint has two, and a receiver needs only one of them.
package func webhookSignatures(
    _ secrets: [WebhookSecret],
    signingKeys: [WebhookSigningKey] = [],
    id: String,
    timestamp: Int64,
    body: [UInt8]
) -> String {
    precondition(!secrets.isEmpty)
    let symmetric = secrets.map { $0.signature(id: id, timestamp: timestamp, body: body) }
    let asymmetric = signingKeys.map { $0.signature(id: id, timestamp: timestamp, body: body) }
    return (symmetric + asymmetric).joined(separator: " ")
}

/// The headers of one attempt; `now` is the wall clock's.
package func deliveryHeaders(
    id: String,
    body: [UInt8],
    secrets: [WebhookSecret],
    signingKeys: [WebhookSigningKey] = [],
    now: Timestamp,
    userAgent: String,
    trace: TraceParent? = nil
) -> [(name: String, value: String)] {
    let timestamp = now.wholeSeconds
    let headers = [
        (name: "webhook-id", value: id),
        (name: "webhook-timestamp", value: String(timestamp)),
        (
            name: "webhook-signature",
            value: webhookSignatures(
                secrets,
                signingKeys: signingKeys,
                id: id,
                timestamp: timestamp,
                body: body
            )
        ),
        (name: "content-type", value: "application/cloudevents+json"),
        (name: "user-agent", value: userAgent),
    ]
    guard let trace else { return headers }
    return headers + [(name: TraceParent.name, value: trace.description)]
}

/// Verifies a request as a receiver does: checks the three header texts and the body against its
/// secrets.
///
/// Signatures of other versions than `v1` are skipped. The time that it takes does not reveal how
/// much of a signature was right.
///
/// - Parameter tolerance: the maximum difference between `timestamp` and `now`, either way, so that
///   a recorded request cannot be replayed later.
package func verifyWebhook(
    id: String,
    timestamp: String,
    signatures: String,
    body: [UInt8],
    secrets: [WebhookSecret],
    now: Timestamp,
    tolerance: Duration = .seconds(5 * 60)
) throws(WebhookVerificationError) {
    guard isWebhookID(id) else { throw .badID }
    guard let seconds = decimalSeconds(timestamp) else { throw .badTimestamp }
    let age = Duration.seconds(now.wholeSeconds - seconds)
    guard age <= tolerance else { throw .tooOld(age) }
    guard age >= .zero - tolerance else { throw .fromTheFuture(.zero - age) }
    let given = signatures.split(separator: " ", omittingEmptySubsequences: true)
    guard given.count <= WebhookVerificationError.signaturesMax else {
        throw .tooManySignatures(given.count)
    }
    for secret in secrets {
        let expected = Array(
            secret.signature(signedID: id, signedTimestamp: timestamp, body: body).utf8
        )
        if given.contains(where: { isEqualInConstantTime(Array($0.utf8), expected) }) { return }
    }
    throw .noMatchingSignature
}

/// The reason why a request is not authentic.
package enum WebhookVerificationError: Error, Equatable, CustomStringConvertible {
    case badID
    case badTimestamp
    case tooOld(Duration)
    case fromTheFuture(Duration)
    case tooManySignatures(Int)
    case noMatchingSignature

    package static let signaturesMax = 16

    package var description: String {
        switch self {
        case .badID: "webhook-id is not 1 to 255 visible characters without '.'"
        case .badTimestamp: "webhook-timestamp is not a number of seconds"
        case .tooOld(let age): "webhook-timestamp is \(age) old"
        case .fromTheFuture(let lead): "webhook-timestamp is \(lead) in the future"
        case .tooManySignatures(let count):
            "webhook-signature has \(count) signatures over limit \(Self.signaturesMax)"
        case .noMatchingSignature: "no signature in webhook-signature matches"
        }
    }
}

/// Reads only digits; nil for anything else and for more than 12 of them, which is 31,000 years.
private func decimalSeconds(_ text: String) -> Int64? {
    let digits = text.utf8
    guard (1...12).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
}
