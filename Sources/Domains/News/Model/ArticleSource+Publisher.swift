extension ArticleSource {
    private static let ownerLengthMax = 100

    /// The source of one article in a feed with articles of many publishers: its title and owner
    /// are those of the publisher, its name and weight stay.
    package func publishing(as publisher: String) -> ArticleSource {
        ArticleSource(
            name: name,
            title: publisher,
            owner: ArticleSource.owner(ofPublisher: publisher) ?? owner,
            weight: weight
        )
    }

    /// `sample-daily` of `Sample Daily`: the form in which the configuration names owners, so that
    /// a publisher counts once, whichever way its articles come. Nil for a name without letters
    /// and digits.
    static func owner(ofPublisher publisher: String) -> String? {
        let words = publisher.lowercased().split { !$0.isLetter && !$0.isNumber }
        let owner = String.UnicodeScalarView(
            words.joined(separator: "-").unicodeScalars.prefix(ownerLengthMax)
        )
        return owner.isEmpty ? nil : String(owner)
    }
}
