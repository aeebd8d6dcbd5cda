/// The keys that tokens may be signed with: the configured ones, and those of a published set.
package struct TokenKeySet: Sendable {
    package let configured: [TokenKey]
    /// The keys last read from a JWKS.
    package var published: [TokenKey]
    /// Whether there is a JWKS at all. Its algorithms are accepted before it has been read, so that
    /// the token of an early client results in `unknownKey`, and the set is fetched.
    package let hasPublishedKeys: Bool

    package init(configured: [TokenKey], published: [TokenKey]? = nil) {
        self.configured = configured
        self.published = published ?? []
        hasPublishedKeys = published != nil
    }

    /// Whether no token could ever be good.
    package var isEmpty: Bool { configured.isEmpty && !hasPublishedKeys }

    /// Throws unless a key of the token's algorithm made its signature.
    ///
    /// A token with a `kid` is tried against the keys of that name and those without a name; one
    /// without, against all of its algorithm.
    func verify(_ token: CompactToken) throws(TokenError) {
        guard let algorithm = TokenAlgorithm(rawValue: token.algorithm), accepts(algorithm) else {
            throw .algorithm(TokenAlgorithm.publicName(token.algorithm))
        }
        var hasTried = false
        var hasNamed = false
        for key in [configured, published].joined() where key.algorithm == algorithm {
            if let id = token.keyID, let name = key.id {
                guard id == name else { continue }
                hasNamed = true
            }
            hasTried = true
            if key.isSignature(token.signature, of: token.signed) { return }
        }
        // The published set may have got a key since it was read.
        let mayBeNew =
            token.keyID != nil && !hasNamed && hasPublishedKeys && algorithm.hasPublicKeys
        throw hasTried && !mayBeNew ? .signature : .unknownKey
    }

    private func accepts(_ algorithm: TokenAlgorithm) -> Bool {
        hasPublishedKeys && algorithm.hasPublicKeys
            || configured.contains { $0.algorithm == algorithm }
    }
}
