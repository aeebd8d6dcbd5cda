/// The request of a reader of an event stream, from its query and header.
///
/// `GET /events?topics=aurora:tromso,news:global&last_event_id=42`
package struct EventStreamRequest: Equatable, Sendable {
    package static let topicCountMax = 100
    /// The one value of `since`.
    package static let beginning = "beginning"

    /// 1 to 100, each once, in the order in which they were asked for.
    package var topics: [Topic]
    /// The cursor after which the reader resumes; nil if it asks only for new publications.
    package var afterCursor: UInt64?
    /// Whether the reader also asks for the history, from the oldest publication:
    /// `since=beginning`. False if there is a cursor, which takes precedence: a browser that
    /// reconnects requests the same URL again.
    package private(set) var isFromBeginning = false
    /// Whether the cursor comes from the header: a browser's `EventSource` that reconnects by
    /// itself.
    package private(set) var isReturning = false

    /// - Parameters:
    ///   - query: names and values, decoded. Items with other names are ignored.
    ///   - lastEventID: the value of the header `Last-Event-ID`, nil when there is none. It wins
    ///     over the query: a browser that comes back asks the same URL again, and only the header
    ///     has moved on. An empty one counts as none.
    package init(
        query: [(name: String, value: String)],
        lastEventID: String?
    ) throws(EventStreamRequestError) {
        let lists = query.filter { $0.name == "topics" }.map(\.value)
        guard !lists.isEmpty else { throw .missingTopics }
        topics = try Self.topics(lists)
        let queryID = query.last { $0.name == "last_event_id" }?.value
        if let lastEventID, !lastEventID.isEmpty {
            afterCursor = try Self.cursor(lastEventID, from: "header Last-Event-ID")
            isReturning = true
        } else if let queryID, !queryID.isEmpty {
            afterCursor = try Self.cursor(queryID, from: "query item last_event_id")
        }
        guard let since = query.last(where: { $0.name == "since" })?.value, !since.isEmpty else {
            return
        }
        guard since == Self.beginning else { throw .badSince }
        isFromBeginning = afterCursor == nil
    }

    private static func topics(_ lists: [String]) throws(EventStreamRequestError) -> [Topic] {
        var topics: [Topic] = []
        var seen: Set<Topic> = []
        for list in lists {
            for name in list.split(separator: ",", omittingEmptySubsequences: false) {
                let topic: Topic
                do {
                    topic = try Topic(String(name))
                } catch {
                    throw .badTopic(error)
                }
                guard seen.insert(topic).inserted else { continue }
                guard topics.count < topicCountMax else { throw .tooManyTopics }
                topics.append(topic)
            }
        }
        return topics
    }

    private static func cursor(
        _ text: String,
        from place: String
    ) throws(EventStreamRequestError) -> UInt64 {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let cursor = UInt64(text) else {
            throw .badCursor(place: place)
        }
        return cursor
    }
}

/// Why a request for an event stream can't be served; each is status 400 with the description as
/// its text.
package enum EventStreamRequestError: Error, Equatable, CustomStringConvertible {
    case missingTopics
    case tooManyTopics
    case badTopic(TopicError)
    case badCursor(place: String)
    case badSince

    package var description: String {
        switch self {
        case .missingTopics: "query item topics is missing"
        case .tooManyTopics: "more than \(EventStreamRequest.topicCountMax) topics"
        case .badTopic(let error): error.description
        case .badCursor(let place): "\(place) is not a decimal number below 2^64"
        case .badSince: "query item since is not \(EventStreamRequest.beginning)"
        }
    }
}
