/// References as RFC 3986 resolves them, for addresses of the web.
enum WebURL {
    /// The absolute address of a reference; nil if it is not an address on the web, such as
    /// `javascript:` or a relative reference without a base.
    static func resolve(_ reference: String, base: String?) -> String? {
        let reference = withoutLineBreaks(trimmed(reference))
        guard !reference.isEmpty else { return nil }
        if let scheme = scheme(of: reference) {
            let isHierarchical = reference.utf8.dropFirst(scheme.utf8.count + 1).starts(
                with: "//".utf8
            )
            return isWeb(scheme) && isHierarchical ? reference : nil
        }
        guard let base, let parts = Parts(base), isWeb(parts.scheme) else { return nil }
        return resolve(relative: reference, parts)
    }

    /// Line breaks within an address are from the layout of the document.
    private static func withoutLineBreaks(_ text: String) -> String {
        let isBreak: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard text.utf8.contains(where: isBreak) else { return text }
        return String(decoding: text.utf8.filter { !isBreak($0) }, as: UTF8.self)
    }

    static func isAbsolute(_ text: String) -> Bool { scheme(of: text).map(isWeb) ?? false }

    /// RFC 3986 §5.2.2, for references without a scheme.
    private static func resolve(relative reference: String, _ base: Parts) -> String {
        let root = base.scheme + "://" + base.authority
        if reference.hasPrefix("//") { return base.scheme + ":" + reference }
        if reference.hasPrefix("#") { return root + base.path + base.query + reference }
        if reference.hasPrefix("?") { return root + base.path + reference }
        let end = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
        let path = reference[..<end]
        let directory = base.path.prefix(
            through: base.path.lastIndex(of: "/") ?? base.path.startIndex
        )
        let merged = path.hasPrefix("/") ? String(path) : String(directory + path)
        return root + withoutDots(merged) + reference[end...]
    }

    /// RFC 3986 §5.2.4.
    private static func withoutDots(_ path: String) -> String {
        var segments: [Substring] = []
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case ".": if isLast { segments.append("") }
            case "..":
                if !segments.isEmpty { segments.removeLast() }
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    private static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, isLetter(first),
            scheme.allSatisfy({
                isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "+")
                    || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            })
        else { return nil }
        return String(Substring(scheme))
    }

    private static func isWeb(_ scheme: String) -> Bool {
        if scheme == "https" || scheme == "http" { return true }
        let scheme = scheme.lowercased()
        return scheme == "https" || scheme == "http"
    }

    /// Of an absolute address.
    private struct Parts {
        var scheme: String
        var authority: String
        /// Begins with `/`.
        var path: String
        /// With its `?`.
        var query: String

        init?(_ url: String) {
            guard let scheme = WebURL.scheme(of: url) else { return nil }
            var rest = url.dropFirst(scheme.count + 1)
            guard rest.hasPrefix("//") else { return nil }
            rest = rest.dropFirst(2).prefix { $0 != "#" }
            authority = String(rest.prefix { $0 != "/" && $0 != "?" })
            rest = rest.dropFirst(authority.count)
            let path = rest.prefix { $0 != "?" }
            query = String(rest.dropFirst(path.count))
            self.path = path.isEmpty ? "/" : String(path)
            self.scheme = scheme
        }
    }
}
