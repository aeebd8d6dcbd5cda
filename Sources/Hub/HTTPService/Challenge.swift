/// What a 401 asks for. RFC 9110 §11.6.1: a 401 "MUST" carry one.
package enum Challenge {
    package static let token = "Bearer"
    /// A key of the operators, in the header X-API-Key.
    package static let apiKey = #"apikey realm="server API""#
}
