/// Whom a provider vouches for.
struct ProvidedIdentity: Sendable, Equatable {
    let provider: LoginProvider
    /// The same for one user of the provider for ever. Compared by bytes.
    let subject: String
    /// That the provider has verified.
    var email: String?
}

/// Who can vouch for a user, by the name that apps send.
enum LoginProvider: String, Sendable, CaseIterable {
    case apple
    /// For trying out: anybody is who they say they are.
    case development
}
