/// Makes a `WebPage` of the elements and texts of an HTML document, in the order of the document.
///
/// The statements of the head and JSON-LD go to `WebPageStatements`, the text of the body to
/// `WebPageBlocks`. The stack has an entry for each open element, which begins as a copy of its
/// parent's.
struct WebPageBuilder {
    private let limits: WebPageLimits
    private var statements: WebPageStatements
    private var blocks: WebPageBlocks
    private var stack: [WebPageScope] = []
    /// The text of `<title>` or of a JSON-LD document while it is read.
    private var capture: Capture?

    private enum Capture {
        case title([UInt8])
        case linkedData([UInt8])
    }

    init(limits: WebPageLimits) {
        self.limits = limits
        statements = WebPageStatements(limits: limits)
        blocks = WebPageBlocks(countMax: limits.blockCountMax, textLengthMax: limits.textLengthMax)
    }

    /// The part read so far as a page.
    var page: WebPage {
        var builder = self
        builder.endCapture()
        builder.blocks.breakBlock()
        var page = builder.statements.page
        page.text = WebPageArticle(builder.blocks).text(lengthMax: limits.textLengthMax)
        return page
    }

    /// False to stop reading.
    mutating func start(_ name: String, _ attributes: WebPageAttributes) -> Bool {
        guard stack.count < limits.depthMax else { return false }
        var scope = stack.last ?? WebPageScope()
        if !scope.isIgnored { read(name, attributes, &scope) }
        stack.append(scope)
        return true
    }

    mutating func end(_ name: String) {
        if name == "title" || name == "script" { endCapture() }
        guard stack.popLast() != nil else { return }
        if WebPageScope.isBlock(name) { blocks.breakBlock() }
    }

    mutating func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
        switch capture {
        case .title(var text):
            capture = nil
            text.append(contentsOf: bytes.prefix(limits.lineLengthMax - text.count))
            capture = .title(text)
        case .linkedData(var text):
            capture = nil
            // One byte more than allowed shows that the document is too long.
            text.append(
                contentsOf: bytes.prefix(WebPageLimits.linkedDataLengthMax + 1 - text.count)
            )
            capture = .linkedData(text)
        case nil:
            guard let scope = stack.last, !scope.isIgnored else { return }
            blocks.append(bytes, scope)
        }
    }

    private mutating func read(
        _ name: String,
        _ attributes: WebPageAttributes,
        _ scope: inout WebPageScope
    ) {
        switch name {
        case "html":
            statements.take(language: attributes["lang"] ?? attributes["xml:lang"])
        case "meta": statements.takeMeta(attributes)
        case "link": statements.takeLink(attributes)
        case "time": statements.takeTime(attributes)
        case "title": capture = statements.hasTitle ? nil : .title([])
        case "br": blocks.breakLine()
        case "script":
            let type = attributes["type"].map { trimmed($0).lowercased() }
            if type == "application/ld+json" { capture = .linkedData([]) }
        default: break
        }
        scope.enter(name, attributes)
        if WebPageScope.isBlock(name) { blocks.breakBlock() }
        if WebPageScope.isContainer(name) {
            scope.container = blocks.addContainer(name, scope, attributes)
        }
    }

    private mutating func endCapture() {
        switch capture {
        case .title(let text): statements.take(title: String(decoding: text, as: UTF8.self))
        case .linkedData(let text): statements.take(linkedData: text)
        case nil: break
        }
        capture = nil
    }
}
