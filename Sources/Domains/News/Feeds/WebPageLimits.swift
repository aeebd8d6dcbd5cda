/// The limits of a web page. Content beyond a limit is ignored.
package struct WebPageLimits: Equatable, Sendable {
    /// Of the document, in bytes.
    package var lengthMax: Int
    /// Of the main text, in bytes.
    package var textLengthMax: Int
    /// Of the title, the site's name and the description, each in bytes.
    package var lineLengthMax: Int
    /// A longer URL is left out: one that is cut refers to something else.
    package var urlLengthMax: Int
    /// Elements within elements; the document is read no further behind a deeper one.
    package var depthMax: Int
    /// Elements that hold paragraphs, and paragraphs. Articles have hundreds of them.
    package var blockCountMax: Int

    /// Of an element; further ones are ignored.
    static let attributeCountMax = 128
    /// Of the documents with JSON-LD in a page, and the length of each in bytes.
    static let linkedDataCountMax = 8
    static let linkedDataLengthMax = 64 << 10

    package init(
        lengthMax: Int = 1 << 20,
        textLengthMax: Int = 128 << 10,
        lineLengthMax: Int = 2048,
        urlLengthMax: Int = 2048,
        depthMax: Int = 256,
        blockCountMax: Int = 10_000
    ) {
        // The lengths of libxml2 are of the C type int.
        precondition((1...(1 << 30)).contains(lengthMax))
        precondition(textLengthMax > 0)
        precondition(lineLengthMax > 0)
        precondition(urlLengthMax > 0)
        precondition(depthMax > 2)
        precondition(blockCountMax > 0)
        self.lengthMax = lengthMax
        self.textLengthMax = textLengthMax
        self.lineLengthMax = lineLengthMax
        self.urlLengthMax = urlLengthMax
        self.depthMax = depthMax
        self.blockCountMax = blockCountMax
    }
}
