/// A family of subjects of `AlertBoards`, with the names of their rows. Rows are part of the file
/// format.
///
/// The id of a subject names it: a place, a radar, or a topic.
package protocol AlertSubjects: Sendable {
    /// The prefix of the id in `AlertRow.subject`, so that no two families have the same rows. It
    /// ends with a colon; empty for ids without a colon.
    var rowPrefix: String { get }

    /// The domain of the rows with the newest values of the subjects' fields; nil if each
    /// evaluation gets all values, so that none are stored.
    var fieldsDomain: String? { get }

    /// Returns the subject of an id; nil for an invalid id.
    func subject(_ id: String) -> AlertSubject?

    /// Returns the key of the row with a subject's values.
    func fieldsKey(of id: String) -> String

    /// Returns the fields to store of a subject that these rules look at; nil for all.
    func fieldNames(of rules: [AlertRule], _ topic: Topic) -> AlertFieldNames?

    /// The feeds among the subjects whose publications can be erased.
    var quotedFeeds: any QuotedFeeds { get }
}

extension AlertSubjects {
    package func fieldsKey(of id: String) -> String { id }

    package func fieldNames(of rules: [AlertRule], _ topic: Topic) -> AlertFieldNames? { nil }

    package var quotedFeeds: any QuotedFeeds { NoQuotedFeeds() }

    /// Returns the id in `AlertRow.subject`; nil for rows of another family.
    package func id(ofRow subject: String) -> String? {
        guard !rowPrefix.isEmpty else { return subject.contains(":") ? nil : subject }
        return subject.hasPrefix(rowPrefix) ? String(subject.dropFirst(rowPrefix.count)) : nil
    }
}
