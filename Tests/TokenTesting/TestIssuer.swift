import Core
import Foundation
import Repository

/// Somebody who signs identity tokens, and publishes the key.
package struct TestIssuer: Sendable {
    package static let issuer = "https://id.example.org"
    package static let clientID = "org.example.app"

    package let keyID: String
    private let key: TokenSigningKey
    private let publicKey: Data

    package init(keyID: String = "k1") async throws {
        self.keyID = keyID
        let path = repositoryRoot + "/protocol/vectors/tokens.json"
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let vectors = try decoder.decode(
            Vectors.self,
            from: Data(contentsOf: URL(fileURLWithPath: path))
        )
        key = try .privateKey(
            pem: vectors.privateKeys["ES256", default: ""],
            algorithm: .es256,
            id: keyID
        )
        let pem = vectors.publicKeys["ES256", default: ""]
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        publicKey = Data(base64Encoded: lines.joined()) ?? Data()
    }

    private struct Vectors: Decodable {
        var privateKeys: [String: String]
        var publicKeys: [String: String]
    }

    /// The JWKS document. A public key of P-256 in DER ends with its two coordinates.
    package var document: String {
        let point = Array(publicKey.suffix(64))
        let (x, y) = (base64URL(point.prefix(32)), base64URL(point.suffix(32)))
        return #"{"keys":[{"kty":"EC","crv":"P-256","kid":"\#(keyID)","x":"\#(x)","y":"\#(y)"}]}"#
    }

    private func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
    }

    package var keys: [TokenKey] {
        get async throws {
            TokenKey.published(try JSONWebKeySet(document: Array(document.utf8)).keys)
        }
    }

    package func token(
        _ subject: String,
        lifetime: Duration = .seconds(600),
        age: Duration = .zero,
        audience: String = clientID
    ) throws -> String {
        var draft = TokenDraft(
            user: subject,
            issuedAt: HubClock.wall - age,
            lifetime: lifetime,
            kind: .connection(topics: [])
        )
        draft.issuer = Self.issuer
        draft.audience = audience
        return try draft.signed(with: key)
    }

    /// A token as it is made for an app that gave the provider a nonce.
    package func token(_ subject: String, nonce: String) throws -> String {
        let now = HubClock.wall.wholeSeconds
        let claims =
            #"{"iss":"\#(Self.issuer)","aud":"\#(Self.clientID)","sub":"\#(subject)","#
            + #""iat":\#(now),"exp":\#(now + 600),"nonce":"\#(nonce)"}"#
        let parts = [#"{"alg":"ES256","kid":"\#(keyID)"}"#, claims].map { Array($0.utf8) }
        let text = parts.map(Base64URL.encode).joined(separator: ".")
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8)))
    }
}
