/// The limits of the app's requests.
package enum ActivityLimits {
    /// Whole stars.
    package static let stars = 1...5
    /// Characters of a person's text about a film.
    package static let commentLengthMax = 4000
    /// Characters of a person's name.
    package static let nameLengthMax = 100
    package static let biographyLengthMax = 1000
    /// Bytes; browsers and proxies take no longer ones either.
    package static let urlBytesMax = 2048
    /// Characters of a search text, and of a genre's name.
    package static let searchLengthMax = 200
    package static let genreLengthMax = 64
    /// Genres that a search may name.
    package static let genresMax = 20
    /// From the oldest films that exist to the latest that can be announced.
    package static let years = 1870...2200
    /// Films that one user does not want to have recommended.
    package static let notInterestedMax = 5000
    /// Entries of one answer.
    package static let pageLength = 1...100
    package static let pageLengthDefault = 20
    /// The maximum offset, beyond the end of any list that is paged through.
    package static let offsetMax = 1_000_000_000
    package static let progressPercent = 0...100
    /// Bytes of a request's body: room for every field at its limit, all of it escaped.
    package static let bodyBytesMax = 128 << 10
}
