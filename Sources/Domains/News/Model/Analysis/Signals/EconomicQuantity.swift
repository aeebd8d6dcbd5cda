import CTables

/// Quantities of an economy.
enum EconomicQuantity {
    private static let table = WordTable(
        varde_economy(),
        sections: ["good", "bad", "troubles", "up", "down", "certain"]
    )

    /// Good when they grow.
    static let good = table.words("good")
    /// Bad when they grow.
    static let bad = table.words("bad")
    /// Bad also by their mention.
    static let troubles = table.words("troubles")
    /// More, of an economy.
    static let up = table.words("up")
    /// Less, of an economy.
    static let down = table.words("down")
    /// Those of the lists that are of no other matter, also where they neither rise nor fall.
    static let certain = table.words("certain")

    /// Whether a title states that a quantity of the economy rises, falls or ends.
    static func isStated(in title: some StringProtocol) -> Bool {
        !SentimentReading.statements(of: TextWord.words(of: title), .economy).isEmpty
    }
}
