extension FeedText {
    /// The text without markup, one line for each paragraph.
    package var plain: String {
        if isHTML { return HTMLText.plain(text) }
        var plain = PlainText(lengthMax: HTMLText.inputLengthMax)
        for line in text.split(whereSeparator: \.isNewline) {
            plain.breakLine()
            plain.append(line.utf8)
        }
        return plain.string
    }

    /// The text without markup, in one line: for titles.
    package var line: String {
        plain.replacing("\n", with: " ")
    }
}
