/// What a 401 asks for. RFC 9110 §11.6.1: a 401 "MUST" carry one.
enum Challenge {
    static let token = "Bearer"
    /// A key of the operators, in the header X-API-Key.
    static let apiKey = #"apikey realm="server API""#
    /// A key of the aurora app's, in the same header.
    static let auroraKey = #"apikey realm="aurora""#
}
