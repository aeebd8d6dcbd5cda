/// Distinguishes one history of a topic from another of the same name.
///
/// As long as no topic of a namespace has been removed, it is only the store's epoch: a topic can
/// have had only one history. From then on it also has the beginning of the history: the cursor
/// right before that of its first publication, or for a topic without publications the newest of
/// all.
package struct TopicEpoch: Hashable, Sendable {
    /// The store's epoch, or that of topics that are kept only in memory.
    package let store: String
    /// The history has nothing up to this cursor. 0 if the store's epoch suffices.
    package let beginning: UInt64

    package init(store: String, beginning: UInt64) {
        self.store = store
        self.beginning = beginning
    }

    /// Reads the form of `text`; nil if it is not an epoch of this store.
    package init?(_ text: String, of store: String) {
        if text == store {
            self.init(store: store, beginning: 0)
        } else {
            let prefix = store + "-"
            guard text.utf8.starts(with: prefix.utf8) else { return nil }
            let digits = Substring(text.utf8.dropFirst(prefix.utf8.count))
            guard let beginning = UInt64(digits), beginning > 0 else { return nil }
            self.init(store: store, beginning: beginning)
            // One history has one text: no sign, no zeros before the number.
            guard self.text == text else { return nil }
        }
    }

    package var text: String { beginning == 0 ? store : "\(store)-\(beginning)" }
}

/// The cursors of removed topics, one number for each namespace.
///
/// The store and every loop have the same, at the same place among the commits, so that they give a
/// topic that is created again the same epoch.
package struct ForgottenCursors: Sendable, Equatable {
    /// By the name of the namespace.
    private var cursors: [String: UInt64]

    package init(_ cursors: [String: UInt64] = [:]) {
        self.cursors = cursors
    }

    /// An upper bound of the cursors of the topics removed from the topic's namespace; 0 if none
    /// was removed.
    package subscript(topic: Topic) -> UInt64 {
        cursors.isEmpty ? 0 : cursors[String(topic.namespace)] ?? 0
    }

    /// The greatest of all namespaces.
    package var newest: UInt64 { cursors.values.max() ?? 0 }

    package mutating func add(_ topic: ForgottenTopic) {
        let namespace = String(topic.topic.namespace)
        cursors[namespace] = max(cursors[namespace] ?? 0, topic.throughCursor)
    }

    /// `TopicEpoch.beginning` of a history that has nothing up to a cursor.
    package func beginning(of topic: Topic, after cursor: UInt64) -> UInt64 {
        self[topic] == 0 ? 0 : cursor
    }
}

/// A removed topic: its history was empty, and it had no subscribers.
package struct ForgottenTopic: Sendable, Equatable {
    package var topic: Topic
    /// Its publications had no cursor above it.
    package var throughCursor: UInt64

    package init(_ topic: Topic, throughCursor: UInt64) {
        self.topic = topic
        self.throughCursor = throughCursor
    }
}
