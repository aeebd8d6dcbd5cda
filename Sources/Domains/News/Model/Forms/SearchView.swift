/// The answer of `GET /v1/search`: signals, the best match first.
package struct SearchView: Equatable, Sendable {
    package var query: String
    package var items: [SignalView]
    /// Nil at the end.
    package var nextCursor: String?

    package init(query: String, items: [SignalView], nextCursor: String?) {
        self.query = query
        self.items = items
        self.nextCursor = nextCursor
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.field("query", query)
            json.array("items") { json in
                for item in items { json.object { item.write(to: &$0) } }
            }
            json.field("next_cursor", nextCursor)
        }
    }
}

/// The answer of `POST /v1/signals/{id}/feedback`.
package func feedbackJSON(signalID: String, feedback: NewsFeedback) -> [UInt8] {
    newsJSON { json in
        json.field("success", true)
        json.field("signal_id", signalID)
        json.field("feedback", feedback.kind.rawValue)
    }
}

/// A user's feedback on a signal.
package struct NewsFeedback: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case useful
        case notUseful = "not_useful"
        case wrong
    }

    package var kind: Kind
    package var note: String?

    package init(kind: Kind, note: String? = nil) {
        self.kind = kind
        self.note = note
    }
}

/// The answer of `POST /api/news/articles`.
package struct PushedArticlesView: Equatable, Sendable {
    package var added: Int
    /// A title or a text that changed.
    package var revised: Int
    package var unchanged: Int

    package init(added: Int, revised: Int, unchanged: Int) {
        self.added = added
        self.revised = revised
        self.unchanged = unchanged
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.field("success", true)
            json.field("added", added)
            json.field("revised", revised)
            json.field("unchanged", unchanged)
        }
    }
}

/// The answer of `DELETE /api/news/articles`: `{"success":true}`.
package func articleWithdrawnJSON() -> [UInt8] {
    newsJSON { $0.field("success", true) }
}
