import DomainKit

extension NewsSection {
    /// The model that writes summaries, explanations and interpretations.
    package struct Writer: Equatable, Sendable {
        package var kind = ModelProvider.anthropic
        /// Nil for the default of the kind.
        package var url: String?
        package var model = ""
        package var key: Secret?
        package var keyFile: String?
        package var keyEnvironment: String?
        /// 0 for no limit.
        package var dailyTokens = 500_000
        /// 0 for no limit.
        package var dailyRequests = 2000
        /// The share of a day's budget that one user may use.
        package var userSharePercent = 10
        package var timeout = Duration.seconds(30)

        package init() {}
    }

    package static let writerPath = "\(key).writer"
}

extension NewsSection.Writer: KeyedSection, BudgetedSection {
    package var effectiveURL: String? { url ?? kind.url }
    package var providerURL: String? { kind.url }
    package var providerKeyVariable: String? { kind.keyVariable }

    package static var fields: [ConfigurationField<NewsSection.Writer>] {
        modelFields + keyFields(meaning: keyMeaning) + budgetFields
    }

    private static let keyMeaning = """
        The hub's key at the provider. At most one of `key`, `key_file` and `key_env`. \
        `anthropic` needs one, and so does `openai` unless its host is this machine.
        """

    private static var modelFields: [ConfigurationField<NewsSection.Writer>] {
        [
            .scalar(
                "kind",
                \.kind,
                .choice(),
                isRequired: true,
                reload: .restart,
                meaning: """
                    `anthropic`: Anthropic's Messages. `openai`: chat completions, as OpenAI and \
                    many other servers have them.
                    """
            ),
            .optional(
                "url",
                \.url,
                .url(hiding: .query, example: "https://api.example.org/v1"),
                reload: .restart,
                meaning: """
                    The part before `/v1/messages` or `/chat/completions`; by default \
                    `https://api.anthropic.com` or `https://api.openai.com/v1`. Its query is not \
                    shown, as it may be a credential.
                    """
            ),
            .scalar(
                "model",
                \.model,
                .text(example: "claude-sonnet-4-5"),
                isRequired: true,
                reload: .restart,
                meaning: """
                    The model to ask. If the provider does not have it, the hub logs an error and \
                    shows the texts of publishers and its own until it starts again.
                    """
            ),
        ]
    }

    private static var budgetFields: [ConfigurationField<NewsSection.Writer>] {
        dailyFields + [
            .scalar(
                "user_share_percent",
                \.userSharePercent,
                .integer(1...100),
                reload: .restart,
                meaning: """
                    The part of `daily_tokens` and `daily_requests` that one user may take, in \
                    percent, with interpretations and with explanations that the user is the first \
                    to need. Summaries count for no user. 100 for no limit.
                    """
            ),
            attemptTimeoutField,
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        var found = contradictionsOfKeys()
        if keysGiven.isEmpty, kind.needsKey(asksThisMachine: asksThisMachine) {
            let need = "kind \(kind.rawValue) needs one"
            found.append(("key", "found nothing, expected \(waysToGiveAKey): \(need)"))
        }
        return found
    }
}
