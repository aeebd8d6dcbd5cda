/// The challenge of a 401 response. RFC 9110 §11.6.1: a 401 "MUST" have one.
package enum Challenge {
    package static let token = "Bearer"
    /// An operator's key, in the header X-API-Key.
    package static let apiKey = #"apikey realm="server API""#
}
