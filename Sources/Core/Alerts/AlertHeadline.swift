/// One line for people about an alert, in every language that its domain has.
package struct AlertHeadline: Sendable, Equatable {
    package struct Text: Sendable, Equatable {
        /// As in `Content-Language`: `nb`.
        package let language: String
        package let line: String

        package init(language: String, line: String) {
            self.language = language
            self.line = line
        }
    }

    private let texts: [Text]
    private let plain: String

    /// A line without words of any language, such as names and numbers.
    package init(plain: String) {
        self.plain = plain
        texts = []
    }

    /// - Parameter texts: at least one; the first is for rules that choose no language.
    package init(_ texts: [Text]) {
        precondition(!texts.isEmpty, "a headline without a text")
        self.texts = texts
        plain = texts[0].line
    }

    /// Returns the line in the language of a rule.
    func text(in language: String?) -> String {
        texts.first { $0.language == language }?.line ?? plain
    }

    /// Writes `headline` in the language of a rule, and `headlines` with all of them.
    func write(to json: inout JSONWriter, language: String?) {
        json.field("headline", text(in: language))
        guard !texts.isEmpty else { return }
        json.object("headlines") { json in
            for text in texts { json.field(text.language, text.line) }
        }
    }
}
