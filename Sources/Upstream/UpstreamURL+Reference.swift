extension UpstreamURL {
    /// Returns the URL of a Location (RFC 3986 §5.2, RFC 9110 §10.2.2).
    ///
    /// Servers write names of files with spaces into it. As in browsers, spaces at its ends do not
    /// count, and those in a path or a query are percent-encoded. Control characters are refused.
    ///
    /// `.` and `..` segments are removed from a path in the reference; escaped ones (`%2e`) are
    /// left to the server. The algorithm is the strict one: `http:path` is not a relative
    /// reference.
    package func resolving(_ reference: String) throws(UpstreamURLError) -> UpstreamURL {
        // Of the bytes: a combining mark makes one Character with the space before it.
        let space = UInt8(ascii: " ")
        let trimmed = reference.utf8.drop { $0 == space }
        let end = trimmed.lastIndex { $0 != space }.map { trimmed.index(after: $0) }
        let reference = try URIReference(
            String(Substring(trimmed[..<(end ?? trimmed.startIndex)])),
            allowsSpaces: true
        )
        let named = try reference.scheme.map(Self.scheme)
        guard named == nil || reference.authority != nil else { throw .authorityMissing }
        if let authority = reference.authority {
            return try UpstreamURL(
                named ?? scheme,
                authority,
                path: Self.removingDotSegments(reference.path),
                query: reference.query
            )
        }
        let base = targetParts
        let path =
            if reference.path.isEmpty {
                base.path
            } else if reference.path.first == UInt8(ascii: "/") {
                Self.removingDotSegments(reference.path)
            } else {
                Self.removingDotSegments(Self.merge(base.path, reference.path))
            }
        let isSameQuery = reference.path.isEmpty && reference.query == nil
        return try UpstreamURL(
            at: self,
            path: path,
            query: isSameQuery ? base.query : reference.query
        )
    }

    private var targetParts: (path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) {
        let bytes = Array(target.utf8)
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return (bytes[...], nil) }
        return (bytes[..<mark], bytes[(mark + 1)...])
    }

    /// RFC 3986 §5.2.3: the base's path up to its last `/`, and the reference's path.
    private static func merge(
        _ base: ArraySlice<UInt8>,
        _ path: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8> {
        let end = base.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? base.startIndex
        return base[..<end] + path
    }

    /// RFC 3986 §5.2.4, segment by segment. An empty path becomes `/`, which is equivalent (RFC
    /// 9110 §4.2.3).
    private static func removingDotSegments(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        let dot = UInt8(ascii: ".")
        var kept: [ArraySlice<UInt8>] = []
        var isDirectory = false
        for segment in path.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
            isDirectory = segment.elementsEqual([dot]) || segment.elementsEqual([dot, dot])
            if !isDirectory {
                kept.append(segment)
            } else if segment.count == 2 {
                _ = kept.popLast()
            }
        }
        // A last segment of dots names a directory, so a slash ends the path: "/a/b/.." is "/a/".
        if isDirectory { kept.append([]) }
        return kept.reduce(into: []) { path, segment in
            path.append(slash)
            path.append(contentsOf: segment)
        }
    }
}
