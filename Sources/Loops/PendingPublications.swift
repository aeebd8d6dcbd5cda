import ClientWire
import Service
import Store

/// The publications of clients in the current turn, which the store commits together. Belongs to its loop.
///
/// **Function.** `add` takes publications while there is `room`; `take` returns them as a part, at the end of
/// the turn, or when there is no room for another one. Each publication has a ticket, and the part makes the
/// replies to all of them from the result of its commit.
///
/// **Not done here:** the commit, and whether a client may publish.
package struct PendingPublications {
    /// The maximum size of a transaction's part in bytes of publications; more publications make
    /// several parts.
    private static let partBytesMax = 256 << 10

    /// Publications that are committed together.
    package struct Part: Sendable {
        package fileprivate(set) var publications: [ClientPublication] = []
        /// One for each publication.
        fileprivate var tickets: [PublishTicket] = []

        /// The replies to all publications.
        package func replies(_ result: Result<[Int: TopicRefusal], any Error>) -> [LoopMessage] {
            switch result {
            case .failure(let error): [.published(tickets, ProtocolError(storing: error))]
            case .success(let refused) where refused.isEmpty: [.published(tickets, nil)]
            case .success(let refused):
                [
                    .published(
                        tickets.indices.filter { refused[$0] == nil }.map { tickets[$0] },
                        nil
                    ),
                    .published(refused.keys.sorted().map { tickets[$0] }, .limitExceeded),
                ]
            }
        }
    }

    private var part = Part()
    private var bytes = 0

    package init() {}

    /// Whether another publication belongs to the same part.
    package var hasRoom: Bool { bytes <= PendingPublications.partBytesMax }

    package mutating func add(_ publication: ClientPublication, _ ticket: PublishTicket) {
        bytes += publication.data.count
        part.publications.append(publication)
        part.tickets.append(ticket)
    }

    /// Returns the publications since the last call; nil if there are none.
    package mutating func take() -> Part? {
        guard !part.tickets.isEmpty else { return nil }
        defer { self = PendingPublications() }
        return part
    }
}

/// A publication of a client.
package struct ClientPublication: Sendable, Equatable {
    package let topic: Topic
    package var data: [UInt8]
    /// Nil for an anonymous publisher.
    package let info: ClientInfo?
    /// False if the namespace has no history.
    package var keepsHistory: Bool
    package var allowsDelta: Bool
    package let publisher: EventPublisher
    /// Those of the application, if it was asked.
    package var tags: [String: String] = [:]
    package var idempotencyKey: String?
    package var version: EventVersion?

    package init(
        topic: Topic,
        data: [UInt8],
        info: ClientInfo? = nil,
        keepsHistory: Bool = true,
        allowsDelta: Bool = false,
        publisher: EventPublisher = .network(0)
    ) {
        self.topic = topic
        self.data = data
        self.info = info
        self.keepsHistory = keepsHistory
        self.allowsDelta = allowsDelta
        self.publisher = publisher
    }
}

extension ProtocolError {
    /// The error that a client receives after a failed commit. The log has the details.
    package init(storing error: any Error) {
        switch (error as? StoreError)?.code {
        case .queueFull: self = .tooManyRequests
        case .changeTooBig, .tooManyTopics: self = .limitExceeded
        case .constraint: self = .badRequest
        default: self = .internalError
        }
    }
}
