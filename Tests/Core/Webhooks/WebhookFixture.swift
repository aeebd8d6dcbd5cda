import Core
import Expectations
import Foundation
import Repository

/// protocol/vectors/webhook-signature.json
struct SignatureVectors: Decodable {
    struct Valid: Decodable, CustomTestStringConvertible {
        var name: String
        var secret: String
        var id: String
        var timestamp: Int64
        var body: String
        var signature: String
        var testDescription: String { name }
    }

    struct Rotation: Decodable {
        var secrets: [String]
        var id: String
        var timestamp: Int64
        var body: String
        var signatures: String
    }

    struct Request: Decodable, CustomTestStringConvertible {
        var name: String
        var secret: String
        var id: String
        var timestamp: String
        var body: String
        var signatures: String
        var now: Int64
        var error: String?
        var testDescription: String { name }
    }

    struct RefusedSecret: Decodable, CustomTestStringConvertible {
        var secret: String
        var error: String
        var testDescription: String { "\(secret) \(error)" }
    }

    var valid: [Valid]
    var rotation: Rotation
    var accepted: [Request]
    var refused: [Request]
    var refusedSecrets: [RefusedSecret]

    static let shared = load()

    private static func load() -> SignatureVectors {
        let root = URL(filePath: repositoryRoot)
        let file = root.appending(path: "protocol/vectors/webhook-signature.json")
        do {
            return try JSONDecoder().decode(SignatureVectors.self, from: Data(contentsOf: file))
        } catch {
            preconditionFailure("\(file.path()): \(error)")
        }
    }
}

extension SignatureVectors.Request {
    func verify() throws(WebhookVerificationError) {
        guard let secret = try? WebhookSecret(secret) else {
            preconditionFailure("vector '\(name)' has a bad secret")
        }
        try verifyWebhook(
            id: id,
            timestamp: timestamp,
            signatures: signatures,
            body: Array(body.utf8),
            secrets: [secret],
            now: Timestamp(milliseconds: now * 1000)
        )
    }
}
