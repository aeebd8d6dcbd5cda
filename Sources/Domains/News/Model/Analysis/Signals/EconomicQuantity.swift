/// Quantities of an economy.
enum EconomicQuantity {
    /// Good when they grow.
    static let good = """
        gdp,gdp growth,economy,economic growth,economic output,industrial output,industrial production,\
        exports,payrolls,job openings,job growth,jobs growth,job gains,hiring,employment,wages,retail sales,consumer spending,\
        consumer confidence,business confidence,trade surplus,housing starts,factory orders,\
        investment
        """
    /// Bad when they grow.
    static let bad = """
        unemployment,unemployment rate,jobless rate,jobless claims,inflation,consumer prices,\
        producer prices,trade deficit,budget deficit,national debt,public debt,deficit,bankruptcies,\
        insolvencies,mortgage rates,borrowing costs,layoffs,job losses,\
        job cuts,poverty
        """
    /// More, of an economy.
    static let up = """
        beat,beats,tops,exceeds,rebound,rebounds,rebounded,recover,recovers,recovered,accelerate,\
        expand,grown,heats up,picks up
        """
    /// Less, of an economy.
    static let down = "misses,miss,contracts,contracted,cools,cooled,easing"
    /// Bad also by their mention.
    static let troubles = "recession,recession fears,recession risk,deflation"
    /// Whether a title states that a quantity of the economy rises, falls or ends.
    static func isStated(in title: some StringProtocol) -> Bool {
        !SentimentReading.statements(of: TextWord.words(of: title), .economy).isEmpty
    }

    /// Those of the lists that are of no other matter, also where they neither rise nor fall.
    static let certain = """
        retail sales,consumer spending,consumer confidence,business confidence,factory orders,\
        industrial output,industrial production,economic output,housing starts,budget deficit,\
        national debt,public debt,producer prices,mortgage rates,borrowing costs,jobless rate,\
        job openings,insolvencies
        """
}
