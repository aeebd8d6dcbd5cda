/// Other forms of an article's page: for telephones, as AMP, and from a cache of AMP pages.
enum MobileForms {
    /// Removes one such form; false if there is none. Each removal makes the URL shorter or its
    /// host plainer, so repeating it ends.
    static func remove(from parts: inout URLParts) -> Bool {
        unwrapCache(&parts) || removeHostLabel(&parts) || removePathMark(&parts)
            || removeParameter(&parts)
    }

    /// `www.google.com/amp/s/HOST/PATH` and `HOST.cdn.ampproject.org/c/s/HOST/PATH` are copies of
    /// the page at HOST.
    private static func unwrapCache(_ parts: inout URLParts) -> Bool {
        var segments = parts.path.split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst()
        if ["google.com", "www.google.com"].contains(parts.host), segments.first == "amp" {
            segments = segments.dropFirst()
        } else if parts.host.hasSuffix(".cdn.ampproject.org"),
            let kind = segments.first, ["a", "c", "v"].contains(kind)
        {
            segments = segments.dropFirst()
        } else {
            return false
        }
        if segments.first == "s" { segments = segments.dropFirst() }
        guard let name = segments.first, name.contains("."),
            let host = URLParts.canonicalHost(name)
        else { return false }
        parts.host = host
        parts.port = nil
        parts.path = "/" + segments.dropFirst().joined(separator: "/")
        return true
    }

    private static let hostLabels: Set<Substring> = ["m", "mobile", "amp"]
    /// The labels before a country's domain that are no publisher's name: `co.uk`.
    private static let secondLevelLabels = Set(
        URLWords.table.words("second-level domains").map { Substring($0) }
    )

    /// `m.example.com` becomes `www.example.com`, `en.m.example.org` becomes `en.example.org`.
    private static func removeHostLabel(_ parts: inout URLParts) -> Bool {
        var labels = parts.host.split(separator: ".")
        let publisherLength = isCountryDomain(labels) ? 3 : 2
        guard let index = labels.firstIndex(where: hostLabels.contains),
            labels.count - publisherLength > index
        else { return false }
        labels.remove(at: index)
        if index == 0, labels.count == publisherLength { labels.insert("www", at: 0) }
        parts.host = labels.joined(separator: ".")
        return true
    }

    private static func isCountryDomain(_ labels: [Substring]) -> Bool {
        guard labels.count >= 2, let country = labels.last else { return false }
        return country.utf8.count == 2 && secondLevelLabels.contains(labels[labels.count - 2])
    }

    /// `/amp/a`, `/a/amp`, `/a/amp/`, `/a.amp` and `/a.amp.html` are AMP forms of `/a`.
    private static func removePathMark(_ parts: inout URLParts) -> Bool {
        var segments = parts.path.split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst()
        let hasSlash = segments.count > 1 && segments.last?.isEmpty == true
        if hasSlash { segments.removeLast() }
        guard let first = segments.first, let last = segments.last else { return false }
        if segments.count > 1, last == "amp" {
            segments.removeLast()
        } else if segments.count > 1, first == "amp" {
            segments.removeFirst()
        } else if let name = plainName(last) {
            segments[segments.endIndex - 1] = name
        } else {
            return false
        }
        parts.path = "/" + segments.joined(separator: "/") + (hasSlash ? "/" : "")
        return true
    }

    /// The name of a page without the mark of its AMP form. Names of dots only are left as they
    /// are: `..amp` would become a dot segment.
    private static func plainName(_ name: Substring) -> Substring? {
        for (mark, plain) in [(".amp.html", ".html"), (".amp.htm", ".htm"), (".amp", "")]
        where name.hasSuffix(mark) {
            let stem = name.dropLast(mark.utf8.count)
            return stem.contains { $0 != "." } ? stem + plain : nil
        }
        return nil
    }

    private static let parameters: Set<String> = [
        "amp", "amp=", "amp=1", "amp=true", "output=amp", "outputtype=amp",
    ]

    private static func removeParameter(_ parts: inout URLParts) -> Bool {
        guard let index = parts.query.firstIndex(where: { parameters.contains($0.lowercased()) })
        else { return false }
        parts.query.remove(at: index)
        return true
    }
}
