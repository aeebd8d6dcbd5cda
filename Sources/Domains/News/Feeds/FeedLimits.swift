/// The limits of a feed. A longer document is refused; everything else is cut to its limit.
package struct FeedLimits: Equatable, Sendable {
    /// Of the document, in bytes. The largest feeds of newspapers, with all texts in full, have
    /// half of it.
    package var lengthMax: Int
    /// The newest items by date count. Those without a date come last, in the order of the document.
    package var itemCountMax: Int
    /// Of the summary and of the content of an item, each in bytes.
    package var textLengthMax: Int
    /// Of titles, names, categories and dates, each in bytes.
    package var lineLengthMax: Int
    /// A longer URL is left out: one that is cut refers to something else.
    package var urlLengthMax: Int
    package var categoryCountMax: Int
    /// Elements within elements; behind a deeper one the document counts as damaged and is read no
    /// further. XHTML of articles is nested about twenty deep.
    package var depthMax: Int

    /// Of an element, namespaces included; a document with more is refused. The root of a feed has
    /// about ten.
    static let attributeCountMax = 256

    package init(
        lengthMax: Int = 2 << 20,
        itemCountMax: Int = 500,
        textLengthMax: Int = 256 << 10,
        lineLengthMax: Int = 4096,
        urlLengthMax: Int = 4096,
        categoryCountMax: Int = 64,
        depthMax: Int = 128
    ) {
        // The lengths of libxml2 are of the C type int.
        precondition((1...(1 << 30)).contains(lengthMax))
        precondition(itemCountMax > 0)
        precondition(lineLengthMax > 0)
        precondition(textLengthMax >= lineLengthMax)
        precondition(depthMax > 8)
        self.lengthMax = lengthMax
        self.itemCountMax = itemCountMax
        self.textLengthMax = textLengthMax
        self.lineLengthMax = lineLengthMax
        self.urlLengthMax = urlLengthMax
        self.categoryCountMax = categoryCountMax
        self.depthMax = depthMax
    }
}
