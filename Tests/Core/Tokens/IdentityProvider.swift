import Expectations

@testable import Core

/// An identity provider with keys of its own: signs whatever a test wants to see claimed.
struct IdentityProvider {
    static let issuer = "https://id.example.org"
    static let clientID = "org.example.app"
    static let now = Timestamp(milliseconds: 1_780_000_000_000)

    /// By algorithm, each under the name that tokens call it by.
    private let keys: [TokenAlgorithm: TokenSigningKey]
    /// The JWKS document.
    let document: [UInt8]
    let published: [TokenKey]
    /// Of the key for ES256.
    let publicKeyPEM: String

    init() throws {
        let elliptic = try GeneratedKey.p256()
        let pem = TokenVectors.shared.privateKeys
        keys = [
            .es256: try .privateKey(pem: elliptic.privatePEM, algorithm: .es256, id: "es"),
            .rs256: try .privateKey(pem: try require(pem["RS256"]), algorithm: .rs256, id: "rs"),
            .edDSA: try .privateKey(pem: try require(pem["EdDSA"]), algorithm: .edDSA, id: "ed"),
        ]
        publicKeyPEM = elliptic.publicPEM
        let rsaPEM = try require(TokenVectors.shared.publicKeys["RS256"])
        guard case .p256(let point) = PEM.publicKey(publicKeyPEM),
            case .rsa(let modulus, let exponent) = PEM.publicKey(rsaPEM)
        else { throw Failure(description: "the keys are not of their kinds") }
        document = Array(
            """
            {"keys":[
            {"kty":"EC","crv":"P-256","kid":"es","use":"sig",
             "x":"\(Base64URL.encode(Array(point[1...32])))",
             "y":"\(Base64URL.encode(Array(point[33...])))"},
            {"kty":"RSA","kid":"rs","use":"sig","alg":"RS256",
             "n":"\(Base64URL.encode(modulus))","e":"\(Base64URL.encode(exponent))"}]}
            """.utf8
        )
        published = TokenKey.published(try JSONWebKeySet(document: document).keys)
    }

    func verifier(
        _ published: [TokenKey]? = nil,
        clientIDs: [String] = [clientID]
    ) -> IdentityTokenVerifier {
        IdentityTokenVerifier(
            keys: TokenKeySet(configured: [], published: published ?? self.published),
            issuer: Self.issuer,
            clientIDs: clientIDs
        )
    }

    /// JSON texts by claim: what a good token says.
    static let claims = [
        "iss": "\"\(issuer)\"", "aud": "\"\(clientID)\"", "sub": "\"001.kari\"",
        "iat": "1779999990", "exp": "1780000600",
    ]

    /// A token that is good but for what is said here.
    ///
    /// - Parameters:
    ///   - changes: JSON texts by claim; an empty one leaves the claim out.
    ///   - header: what stands there instead of the key's own names.
    func token(
        _ changes: [String: String] = [:],
        by algorithm: TokenAlgorithm = .es256,
        header: String? = nil
    ) throws -> String {
        let key = try require(keys[algorithm])
        return try Self.token(changes, header: header, by: key)
    }

    static func token(
        _ changes: [String: String],
        header: String? = nil,
        by key: TokenSigningKey
    ) throws -> String {
        let members = claims.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        let json = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let header =
            header ?? #"{"alg":"\#(key.algorithm.rawValue)","kid":"\#(key.id ?? "")"}"#
        let text = [header, json].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8)))
    }
}
