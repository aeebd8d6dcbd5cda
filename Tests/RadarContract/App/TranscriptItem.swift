import Foundation

/// One text that the hub has sent to the app, as a line of JSON: `{"kind":"radar","text":"{…}"}`.
package struct TranscriptItem: Decodable, Equatable, Sendable {
    /// What the app takes the text for.
    package enum Kind: String, Decodable, CaseIterable, Sendable {
        case radar
        case radars
        case opinion
        case opinions
        case trend
        case interpretation
        case error
        case empty
        /// A message of the socket; all others are answers.
        case update
    }

    package let kind: Kind
    package let text: String

    package init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }

    /// Reads a line of a transcript.
    package init(line: String) throws(AppDrop) {
        do {
            self = try JSONDecoder().decode(TranscriptItem.self, from: Data(line.utf8))
        } catch {
            throw AppDrop(error)
        }
    }
}
