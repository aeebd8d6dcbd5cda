import Tokens

/// The secrets of a hub that `varde dev` or `varde init` makes.
struct GeneratedSecrets {
    /// Lets back ends use the server API.
    let apiKey: String
    /// Signs tokens of clients with HS256.
    let tokenSecret: String

    /// - Parameter random: returns so many random bytes.
    init(random: (_ count: Int) -> [UInt8]) {
        apiKey = APIKeys.newKey(random: random(APIKeys.newKeyLength))
        tokenSecret = APIKeys.newKey(random: random(APIKeys.newKeyLength))
    }
}
