/// The subscriptions, and the publications that a returning subscriber has missed.
extension LoopTopics {
    /// The slots that get a topic's publications in one form, contiguous and in no order.
    ///
    /// A snapshot without a copy: it is copied only if subscribers come or go while it is held.
    package func subscribers(of topic: Topic, form: WireForm) -> [Int32] {
        numbers[topic].map { subscribers(ofTopicNumbered: $0, form: form) } ?? []
    }

    /// The same for many forms of one topic, which is looked up once.
    package func subscribers(ofTopicNumbered number: Int32, form: WireForm) -> [Int32] {
        subscriptions.subscribers(of: number, form: form)
    }

    /// Nil when the hub has no such topic.
    package func numberIfKnown(of topic: Topic) -> Int32? { numbers[topic] }

    /// The slots that get a topic's publications in whatever form, in no order.
    package func subscribers(of topic: Topic) -> [Int32] {
        guard let number = numbers[topic] else { return [] }
        return (0..<UInt8(WireForm.countMax)).flatMap {
            subscriptions.subscribers(of: number, form: WireForm(rawValue: $0))
        }
    }

    /// Subscribers in all forms.
    package func subscriberCount(of topic: Topic) -> Int {
        numbers[topic].map { subscriptions.subscriberCount(of: $0) } ?? 0
    }

    package func isSubscribed(_ subscriber: Int32, to topic: Topic) -> Bool {
        guard let number = numbers[topic] else { return false }
        return subscriptions.entry(of: subscriber, in: number) != nil
    }

    /// The form in which a subscriber gets a topic; nil when it is not subscribed.
    package func form(of subscriber: Int32, in topic: Topic) -> WireForm? {
        numbers[topic].flatMap { subscriptions.form(of: subscriber, in: $0) }
    }

    /// The topics of a subscriber, in no order.
    ///
    /// - Complexity: O(its subscriptions).
    package func topics(of subscriber: Int32) -> [Topic] {
        subscriptions.topics(of: subscriber).map { entries[Int($0)]!.topic }
    }

    /// The topics that have subscribers, in no order.
    ///
    /// - Parameters:
    ///   - first: the number of the topic to begin with, 0 or `next` of the last call.
    ///   - countMax: the number of topics to visit, with subscribers or without.
    /// - Returns: `next` is nil at the end. A topic created meanwhile may be missing, and the
    ///   number of a removed one may belong to another.
    /// - Complexity: O(`countMax`), with next to nothing for each topic without subscribers.
    package func subscribedTopics(
        from first: Int,
        countMax: Int
    ) -> (topics: [(topic: Topic, count: Int)], next: Int?) {
        precondition(first >= 0)
        precondition(countMax > 0)
        guard first < entries.count else { return ([], nil) }
        let end = first + min(countMax, entries.count - first)
        let topics = (first..<end).compactMap { number -> (topic: Topic, count: Int)? in
            let count = subscriptions.subscriberCount(of: Int32(number))
            return count > 0 ? (entries[number]!.topic, count) : nil
        }
        return (topics, end < entries.count ? end : nil)
    }

    /// Changes the form of a subscriber's publications. Returns false if it is not subscribed.
    @discardableResult
    package mutating func move(
        _ subscriber: Int32,
        of topic: Topic,
        to form: WireForm
    ) -> Bool {
        guard let number = numbers[topic] else { return false }
        return subscriptions.move(subscriber, of: number, to: form)
    }

    /// Moves all subscribers of one form to another.
    ///
    /// - Complexity: O(subscribers of that form).
    package mutating func moveAll(of topic: Topic, from form: WireForm, to other: WireForm) {
        guard let number = numbers[topic] else { return }
        subscriptions.moveAll(of: number, from: form, to: other)
    }

    /// Adds a subscriber and returns the publications that it has missed.
    ///
    /// If the history is only in the store, request it before, unless `knowsPosition`, or the subscriber
    /// needs neither publications nor a position.
    ///
    /// - Parameters:
    ///   - since: the subscriber's last position; nil for one that needs only new publications.
    ///   - mustRecover: do not subscribe unless everything after `since` is available.
    ///   - recoveryBytesMax: if less than the limit: the remaining bytes for one of several topics
    ///     that are answered together.
    /// - Complexity: O(publications to recover).
    package mutating func subscribe(
        _ subscriber: Int32,
        form: WireForm,
        to topic: Topic,
        since: Position?,
        mustRecover: Bool = false,
        recoveryBytesMax: Int = .max
    ) throws(SubscribeError) -> Subscribed {
        if isElsewhere(topic) {
            return try subscribeWithoutHistory(
                subscriber,
                form: form,
                to: topic,
                since,
                mustRecover
            )
        }
        let known = history(of: topic)
        if known == nil, !hasRoom(for: topic) {
            throw .tooManyTopics(limit: limits.unpublishedTopicsMax)
        }
        guard let settings = namespaces[topic] else { throw .unknownTopic }
        guard !isSubscribed(subscriber, to: topic) else { throw .alreadySubscribed }
        let history = known ?? emptyHistory(of: topic, settings)
        let recovery = since.map {
            // Publications outside of histories have no offset: no position shows whether any were
            // missed.
            history.limit.count == 0
                ? .otherEpoch
                : history.recover(
                    since: renamed($0, of: topic, history),
                    bytesMax: min(recoveryBytesMax, limits.recoveryBytesMax)
                )
        }
        if mustRecover, let recovery, !recovery.isComplete { throw .unrecoverablePosition }
        add(subscriber, toTopicNumbered: number(of: topic, history), form)
        return Subscribed(
            position: history.position,
            isRecoverable: history.limit.count > 0,
            recovery: recovery,
            since: since
        )
    }

    private mutating func subscribeWithoutHistory(
        _ subscriber: Int32,
        form: WireForm,
        to topic: Topic,
        _ since: Position?,
        _ mustRecover: Bool
    ) throws(SubscribeError) -> Subscribed {
        guard !isSubscribed(subscriber, to: topic) else { throw .alreadySubscribed }
        let isUpToDate = knowsPosition(of: topic, enoughFor: since)
        if mustRecover, since != nil, !isUpToDate { throw .unrecoverablePosition }
        let position = position(of: topic)
        add(subscriber, toTopicNumbered: number(of: topic, nil), form)
        return Subscribed(
            position: position,
            isRecoverable: true,
            recovery: since.map { _ in isUpToDate ? .complete([]) : .otherEpoch },
            since: since
        )
    }

    private mutating func add(
        _ subscriber: Int32,
        toTopicNumbered number: Int32,
        _ form: WireForm
    ) {
        subscriptions.add(subscriber, to: number, form: form)
        note(subscriber, topicNumbered: number, isSubscribed: true)
    }

    /// Whether a subscriber at a position needs no history: others on this loop have brought the topic's
    /// position along, and the subscriber asks for no publications, or has all of them.
    package func knowsPosition(of topic: Topic, enoughFor since: Position?) -> Bool {
        guard let number = numbers[topic], let position = entries[Int(number)]!.position else {
            return false
        }
        return since.map { $0 == position } ?? true
    }

    /// False when there was no such subscription.
    @discardableResult
    package mutating func unsubscribe(_ subscriber: Int32, from topic: Topic) -> Bool {
        guard let number = numbers[topic] else { return false }
        guard subscriptions.remove(subscriber, from: number) else { return false }
        note(subscriber, topicNumbered: number, isSubscribed: false)
        forgetIfUnused(number)
        return true
    }

    /// Ends all subscriptions of a subscriber and returns how many there were.
    ///
    /// - Complexity: O(its subscriptions).
    @discardableResult
    package mutating func removeSubscriber(_ subscriber: Int32) -> Int {
        var count = 0
        while let number = subscriptions.removeFirst(of: subscriber) {
            note(subscriber, topicNumbered: number, isSubscribed: false)
            forgetIfUnused(number)
            count += 1
        }
        return count
    }
}

/// The answer to a subscriber that was added.
package struct Subscribed: Sendable, Equatable {
    /// Where the subscription begins: publications after it will come.
    package var position: Position
    /// Whether the topic keeps a history at all.
    package var isRecoverable: Bool
    /// The missed publications; nil if the subscriber gave no position.
    package var recovery: Recovery?
    /// The position that the subscriber gave.
    private let since: Position?

    package init(
        position: Position,
        isRecoverable: Bool,
        recovery: Recovery?,
        since: Position? = nil
    ) {
        self.position = position
        self.isRecoverable = isRecoverable
        self.recovery = recovery
        self.since = since
    }

    /// The position before the publications of `recovery`; the newest if there are none.
    ///
    /// Subscribers take it as their own and advance it with each publication that they process. With
    /// the newest position, a subscriber that is cut off in between would skip the rest.
    package var start: Position {
        guard let recovery, let first = recovery.publications.first else { return position }
        let before = first.offset - 1
        switch recovery {
        case .complete:
            // In a topic whose newest publication is the state, the position may be of another history.
            return Position(
                offset: min(since?.offset ?? before, before),
                epoch: position.epoch
            )
        case .gap(_, let missing):
            return Position(offset: missing.upperBound, epoch: position.epoch)
        case .otherEpoch: return position
        }
    }
}

/// Why a subscriber was not added.
package enum SubscribeError: Error, Equatable {
    /// The topic's namespace is not configured.
    case unknownTopic
    case alreadySubscribed
    /// The subscriber wanted everything or nothing, and something is missing.
    case unrecoverablePosition
    case tooManyTopics(limit: Int)
}
