import CTables

/// The properties of a text that follow from the elements around it.
struct WebPageScope {
    enum Kind {
        case paragraph, heading, mainHeading, listItem, cell, other
    }

    /// The nearest container, an index of `WebPageBlocks.containers`.
    var container = 0
    /// Of the nearest element that has one.
    var kind = Kind.other
    /// Whether it is never a part of the main text: navigation, scripts, hidden elements.
    var isIgnored = false
    /// Whether its element's class or id is one of navigation and the like. Such names can mislead.
    var isUnlikely = false
    var isLink = false

    /// Adds an element within the elements so far.
    mutating func enter(_ name: String, _ attributes: WebPageAttributes) {
        if WebPageScope.ignoredNames.contains(name) || WebPageScope.isHidden(attributes) {
            isIgnored = true
        }
        if name == "a" { isLink = true }
        guard WebPageScope.isBlock(name) else { return }
        kind = WebPageScope.kind(of: name)
        let isAbout = ["html", "body", "main", "article"].contains(name)
        if name == "header" || (!isAbout && WebPageNames(attributes).isUnlikely) {
            isUnlikely = true
        }
    }

    static func isBlock(_ name: String) -> Bool { blockNames.contains(name) }
    static func isContainer(_ name: String) -> Bool { containerNames.contains(name) }

    private static func kind(of name: String) -> Kind {
        switch name {
        case "p", "pre": .paragraph
        case "h1": .mainHeading
        case "h2", "h3", "h4", "h5", "h6": .heading
        case "li", "dd", "dt": .listItem
        case "td", "th", "caption": .cell
        default: .other
        }
    }

    private static func isHidden(_ attributes: WebPageAttributes) -> Bool {
        guard attributes.fields != nil else { return false }
        if attributes["hidden"] != nil || attributes["aria-hidden"] == "true" { return true }
        if let role = attributes["role"], ignoredRoles.contains(role) { return true }
        let style = attributes["style"]?.filter { $0 != " " }.lowercased()
        return style?.contains("display:none") ?? false
    }

    private static let ignoredRoles: Set<String> = [
        "alert", "alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu",
        "menubar", "navigation", "search", "toolbar",
    ]

    private static let ignoredNames: Set<String> = [
        "applet", "aside", "audio", "button", "canvas", "dialog", "embed", "figcaption", "footer",
        "iframe", "input", "label", "map", "menu", "nav", "noscript", "object", "script", "select",
        "style", "svg", "template", "textarea", "title", "video",
    ]

    private static let blockNames: Set<String> = containerNames.union([
        "address", "caption", "dd", "dt", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hr", "html", "li", "p", "pre", "summary", "tbody", "tfoot", "th", "thead", "tr",
    ])

    private static let containerNames: Set<String> = [
        "article", "blockquote", "body", "center", "details", "div", "dl", "fieldset", "form",
        "main", "ol", "section", "table", "td", "ul",
    ]
}

/// The words of an element's `class`, `id` and `itemprop`.
struct WebPageNames {
    private let words: [String]

    init(_ attributes: WebPageAttributes) {
        guard attributes.fields != nil else {
            words = []
            return
        }
        let lengthMax = 256
        let text = [attributes["class"], attributes["id"], attributes["itemprop"]]
            .compactMap { $0?.prefix(lengthMax).lowercased() }.joined(separator: " ")
        words = text.utf8.split { !isLetter($0) && !isDigit($0) }.map { String(Substring($0)) }
    }

    var isUnlikely: Bool { words.contains(where: WebPageNames.unlikely.contains) }

    /// 1 for a name that articles have, -1 for one of other parts of a page, else 0.
    var weight: Int {
        (words.contains(where: WebPageNames.likely.contains) ? 1 : 0)
            - (words.contains(where: WebPageNames.unlikely.contains) ? 1 : 0)
    }

    private static let table = WordTable(varde_page_parts(), sections: ["likely", "unlikely"])
    private static let likely = Set(table.words("likely"))
    private static let unlikely = Set(table.words("unlikely"))
}
