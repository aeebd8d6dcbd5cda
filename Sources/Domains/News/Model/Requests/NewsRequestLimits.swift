/// The limits of requests of both apps.
package enum NewsRequestLimits {
    /// Of every list.
    package static let pageLength = 1...100
    package static let feedLengthDefault = 20
    package static let personalFeedLengthDefault = 50
    package static let globalGroupsDefault = 5
    package static let tickerGroupsDefault = 3
    package static let searchLengthDefault = 20
    /// Characters of a search.
    package static let searchLengthMax = 500
    /// Characters of `textOrUrl`.
    package static let interpretLengthMax = 20_000
    /// Bytes of any URL.
    package static let urlBytesMax = 2048
    package static let labelLengthMax = 100
    package static let notesLengthMax = 500
    /// Characters of a user's note on a signal.
    package static let feedbackNoteLengthMax = 500
    /// As NewsAPI.
    package static let sourcesMax = 20
    package static let sourceNameLengthMax = 100
    /// A page past the end is empty. A greater number than this would only exercise arithmetic.
    package static let pageMax = 1_000_000
    package static let pushedArticlesMax = 100
    package static let titleLengthMax = 500
    package static let descriptionLengthMax = 4000
    /// Characters. The body of a request has at most 128 KiB.
    package static let contentLengthMax = 60_000
    package static let authorLengthMax = 200
    package static let pushedTickersMax = 20
    /// The time by which the date of a pushed article may be ahead of the hub's clock.
    package static let futureMax = Duration.seconds(86_400)
}

extension TextRule {
    static let newsSearch = TextRule(lengthMax: NewsRequestLimits.searchLengthMax)
    static let newsURL = TextRule(lengthMax: NewsRequestLimits.urlBytesMax, unit: .bytes)
    static let holdingLabel = TextRule(lengthMax: NewsRequestLimits.labelLengthMax, isName: true)
    static let holdingNotes = TextRule(lengthMax: NewsRequestLimits.notesLengthMax, isProse: true)
    static let feedbackNote = TextRule(
        lengthMax: NewsRequestLimits.feedbackNoteLengthMax,
        isProse: true
    )
    static let articleTitle = TextRule(lengthMax: NewsRequestLimits.titleLengthMax, isName: true)
    static let articleDescription = TextRule(
        lengthMax: NewsRequestLimits.descriptionLengthMax,
        isProse: true
    )
    static let articleContent = TextRule(
        lengthMax: NewsRequestLimits.contentLengthMax,
        isProse: true
    )
    static let articleAuthor = TextRule(lengthMax: NewsRequestLimits.authorLengthMax, isName: true)
    static let articleSource = TextRule(
        lengthMax: NewsRequestLimits.sourceNameLengthMax,
        isName: true
    )
}
