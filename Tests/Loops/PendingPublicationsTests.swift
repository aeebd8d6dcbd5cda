import ClientWire
import Expectations
import Reactor
import Service
import Store

@testable import Loops

@Suite("Loop: publications of clients until their commit", .timeLimit(.minutes(10)))
struct PendingPublicationsTests {
    private func publication(_ topic: String, bytes: Int = 1) -> ClientPublication {
        ClientPublication(topic: Topic(trusted: topic), data: [UInt8](repeating: 7, count: bytes))
    }

    private func ticket(_ commandID: UInt32) -> PublishTicket {
        PublishTicket(
            connection: ConnectionID(index: commandID, generation: 1),
            commandID: commandID
        )
    }

    /// The ids of the commands that each reply answers, and whether it is a success.
    private func summary(_ replies: [LoopMessage]) -> [[UInt32]: Bool] {
        var summary: [[UInt32]: Bool] = [:]
        for case .published(let tickets, let error) in replies {
            summary[tickets.map(\.commandID)] = error == nil
        }
        return summary
    }

    @Test func publicationsAreTakenTogetherAndOnce() throws {
        var pending = PendingPublications()
        expect(pending.take() == nil)
        pending.add(publication("a:1"), ticket(1))
        pending.add(publication("a:2"), ticket(2))
        let part = try require(pending.take())
        expectEqual(part.publications.map(\.topic.name), ["a:1", "a:2"])
        expect(pending.take() == nil)
    }

    @Test func partHasRoomUntilItExceeds256KiB() {
        var pending = PendingPublications()
        pending.add(publication("a:1", bytes: 256 << 10), ticket(1))
        expect(pending.hasRoom)
        pending.add(publication("a:1"), ticket(2))
        expect(!pending.hasRoom)
        expect(pending.take() != nil)
        expect(pending.hasRoom)
    }

    @Test func eachPublicationIsAnsweredByTheResultOfItsPart() throws {
        var pending = PendingPublications()
        for id in 1...3 as ClosedRange<UInt32> { pending.add(publication("a:\(id)"), ticket(id)) }
        let part = try require(pending.take())
        expectEqual(summary(part.replies(.success([:]))), [[1, 2, 3]: true])
        expectEqual(
            summary(part.replies(.failure(ProtocolError.notAvailable))),
            [[1, 2, 3]: false]
        )
    }

    @Test func refusedPublicationsAreAnsweredApart() throws {
        var pending = PendingPublications()
        for id in 1...3 as ClosedRange<UInt32> { pending.add(publication("a:\(id)"), ticket(id)) }
        let part = try require(pending.take())
        let refusal = TopicRefusal(.namespace, limit: 1)
        expectEqual(summary(part.replies(.success([1: refusal]))), [[1, 3]: true, [2]: false])
    }
}
