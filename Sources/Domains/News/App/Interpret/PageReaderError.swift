import DomainKit
import NewsFeeds

/// Why the page at a URL was not read.
///
/// The descriptions are shown to users. None contains an address or a part of the URL. A host that
/// does not exist, one that refuses connections and one inside the network of the hub have the same
/// error, so users cannot scan that network.
package enum PageReaderError: Error, Equatable {
    case invalidURL(UpstreamURLError)
    case notReachable
    /// No complete answer within the total time.
    case timedOut(after: Duration)
    /// Not valid HTTP, or cut off.
    case invalidAnswer
    /// Neither a page nor a redirect.
    case status(Int)
    case tooManyRedirects(limit: Int)
    /// A redirect to a URL that is not read, with the reason.
    case redirectRefused(String)
    /// Over the limit in bytes, after decompression.
    case tooLong(limit: Int)
    case notHTML(WebPageError)
    /// All pages that may be read at the same time are being read.
    case busy(retryAfterSeconds: Int)
    /// Cancelled by the caller, or because the hub stops.
    case cancelled
}

extension PageReaderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidURL(let error): error.description
        case .notReachable: "the page is not reachable"
        case .timedOut(let time): "the page was not complete after \(time)"
        case .invalidAnswer: "the server's answer is not valid HTTP, or not complete"
        case .status(let status): "the server answered with status \(status), expected 200"
        case .tooManyRedirects(let limit): "the page has more than \(limit) redirects"
        case .redirectRefused(let reason): "the page has a redirect that is not followed: \(reason)"
        case .tooLong(let limit): "the page is over limit \(limit) bytes"
        case .notHTML(let error): error.description
        case .busy(let seconds): "too many pages are read at the moment, retry after \(seconds) s"
        case .cancelled: "reading the page was cancelled"
        }
    }
}

extension NewsError {
    /// The answer of a route if the page cannot be read.
    package init(_ error: PageReaderError) {
        self =
            switch error {
            case .busy(let seconds): .unavailable(retryAfterSeconds: seconds)
            case .cancelled: .unavailable()
            default: .urlNotReadable(details: error.description)
            }
    }
}
