/// Whom a provider vouches for.
package struct ProvidedIdentity: Sendable, Equatable {
    package let provider: LoginProvider
    /// The same for one user of the provider for ever. Compared by bytes.
    package let subject: String
    /// That the provider has verified.
    package var email: String?
}

/// Who can vouch for a user, by the name that apps send.
package enum LoginProvider: String, Sendable, CaseIterable {
    case apple
    /// For trying out: anybody is who they say they are.
    case development
}
