/// A film's poster in the sizes that the app's document names: full URLs.
///
/// TMDB has every poster in all of them, and the size is a part of the URL's path. A poster of another
/// host has one size, which stands for all.
package struct Poster: Sendable, Equatable {
    /// 200 pixels wide.
    package let w200: String
    /// 500 pixels wide, as `poster_url` shows it.
    package let w500: String
    package let original: String

    /// - Parameter url: a full URL, of any size.
    package init(_ url: String) {
        guard let path = Poster.pathAtTMDB(url) else {
            w200 = url
            w500 = url
            original = url
            return
        }
        w200 = Poster.tmdb + "w200" + path
        w500 = Poster.tmdb + "w500" + path
        original = Poster.tmdb + "original" + path
    }

    private static let tmdb = "https://image.tmdb.org/t/p/"

    /// The part after the size, with its slash; nil for a URL of another form.
    private static func pathAtTMDB(_ url: String) -> Substring? {
        guard url.hasPrefix(tmdb) else { return nil }
        let rest = url.dropFirst(tmdb.count)
        guard let slash = rest.firstIndex(of: "/"), rest.index(after: slash) < rest.endIndex else {
            return nil
        }
        let size = rest[..<slash]
        let isWidth =
            size.utf8.first == UInt8(ascii: "w") && size.utf8.count > 1
            && size.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
        return size == "original" || isWidth ? rest[slash...] : nil
    }
}

extension Film {
    package var poster: Poster? { posterURL.map { Poster($0) } }
}
