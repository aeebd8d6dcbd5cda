/// The texts of a page between the borders of block elements, and the containers they are in.
struct WebPageBlocks {
    /// An element that holds paragraphs.
    struct Container {
        /// An earlier container; of the first one, which is the document, itself.
        let parent: Int
        let isArticle: Bool
        /// Points for its name, class and id, before those for its text.
        let bonus: Double
    }

    struct Block {
        let scope: WebPageScope
        /// Plain, with a line for each `<br>`.
        let text: String
        /// Of the text, in bytes.
        let length: Int
        /// The share of its visible bytes that are in links.
        let linkDensity: Double
    }

    private(set) var containers = [Container(parent: 0, isArticle: false, bonus: 0)]
    private(set) var blocks: [Block] = []
    private let countMax: Int
    private let textLengthMax: Int

    private var text: PlainText
    /// Of the text that is being read; nil before its first visible byte.
    private var scope: WebPageScope?
    private var visibleCount = 0
    private var linkCount = 0

    init(countMax: Int, textLengthMax: Int) {
        self.countMax = countMax
        self.textLengthMax = textLengthMax
        text = PlainText(lengthMax: textLengthMax)
    }

    /// The index of a new container, or of its parent if there are too many.
    mutating func addContainer(
        _ name: String,
        _ scope: WebPageScope,
        _ attributes: WebPageAttributes
    ) -> Int {
        guard containers.count < countMax else { return scope.container }
        let weight = Double(WebPageNames(attributes).weight)
        let isArticle = name == "article" || attributes["itemprop"] == "articleBody"
        containers.append(
            Container(
                parent: scope.container,
                isArticle: isArticle,
                bonus: WebPageBlocks.bonus(of: name) + 25 * weight
            )
        )
        return containers.count - 1
    }

    /// In points, of which a paragraph has 1 and one more for each comma.
    private static func bonus(of name: String) -> Double {
        switch name {
        case "article": 15
        case "main": 10
        case "div", "section": 5
        case "td", "blockquote": 3
        case "form", "ol", "ul", "dl": -3
        default: 0
        }
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ scope: WebPageScope) {
        guard blocks.count < countMax, !text.isFull else { return }
        text.append(bytes)
        let count = bytes.reduce(0) { $1 > 0x20 ? $0 + 1 : $0 }
        guard count > 0 else { return }
        if self.scope == nil { self.scope = scope }
        visibleCount += count
        if scope.isLink { linkCount += count }
    }

    mutating func breakLine() { text.breakLine() }

    /// Ends the text of the block that is being read.
    mutating func breakBlock() {
        defer {
            scope = nil
            visibleCount = 0
            linkCount = 0
        }
        guard let scope else { return text = PlainText(lengthMax: textLengthMax) }
        let string = text.string
        text = PlainText(lengthMax: textLengthMax)
        guard !string.isEmpty else { return }
        blocks.append(
            Block(
                scope: scope,
                text: string,
                length: string.utf8.count,
                linkDensity: Double(linkCount) / Double(visibleCount)
            )
        )
    }
}
