import ClientWire
import Expectations
import Wire

@testable import Loops
@testable import Reactor

/// A class, because Swift Testing's macros take no noncopyable values.
@Suite("Loop: fan-out", .timeLimit(.minutes(10)))
final class FanOutTests {
    private var fanOut = FanOut(deflate: DeflateSettings(), queueBytesMax: 4000)
    private var turn = Turn(now: MonotonicInstant(nanoseconds: 0))
    private var hub = LoopTopics(
        epoch: "e1",
        cursorBase: 0,
        namespaces: NamespaceTable(histories: ["news": HistoryLimit(count: 10, age: nil)])
    )

    private func topic(_ name: String) -> Topic { Topic(trusted: name) }

    private func publications(_ payloads: [String]) -> ArraySlice<Publication> {
        let publications = payloads.enumerated().map { index, payload in
            Publication(
                topic: topic("news:a"),
                offset: UInt64(index + 1),
                cursor: UInt64(index + 1),
                time: Timestamp(milliseconds: 0),
                payload: Array(payload.utf8)
            )
        }
        return publications[...]
    }

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    @Test func publicationsWithoutSubscribersAreNotEncoded() throws {
        var connections = Connections(
            loop: try EventLoop(name: "test"),
            limits: ConnectionLimits(connectionsMax: 1, queueBytesMax: 4000)
        )
        let run = publications(["1", "2"])
        for publication in run { _ = hub.publish(publication) }
        fanOut.send(run, &hub, through: &connections, to: [], &turn)
        expectEqual(turn.counters, LoopCounters())
        expect(turn.output.isEmpty)
        expectEqual(turn.output.capacity, 0)
    }

    @Test func joinIsSentToNobodyWhenItsListenersHaveLeft() throws {
        var connections = Connections(
            loop: try EventLoop(name: "test"),
            limits: ConnectionLimits(connectionsMax: 1, queueBytesMax: 4000)
        )
        fanOut.addListener(0, to: topic("news:a"))
        fanOut.removeListener(0, of: topic("news:a"))
        // Of a place that has not listened.
        fanOut.removeListener(7, of: topic("news:a"))
        let info = ClientInfo(user: "42", client: "c1", connectionInfo: nil)
        fanOut.announce(
            topic("news:a"),
            info,
            isJoin: true,
            through: &connections,
            to: [],
            &turn
        )
        expectEqual(turn.workBytes, 0)
    }

    /// A quarter of a queue, or one publication.
    @Test func runForSlowReadersIsShort() {
        let long = publications((0..<4).map { _ in String(repeating: "x", count: 400) })
        let wireLength = long[0].wireLength
        expectEqual(fanOut.runForSlowReaders(long).count, 1000 / wireLength)
        let tooLong = publications((0..<2).map { _ in String(repeating: "x", count: 2000) })
        expectEqual(fanOut.runForSlowReaders(tooLong).count, 1)
        expect(fanOut.runForSlowReaders(long[..<0]).isEmpty)
    }

    @Test func readersThatCatchUpAreTakenOnce() {
        fanOut.addCatchingUp(id(1))
        fanOut.addCatchingUp(id(2))
        expectEqual(fanOut.takeCatchingUp(), [id(1), id(2)])
        expectEqual(fanOut.takeCatchingUp(), [])
    }

    @Test func topicsAreCountedWhileTheyAreWatched() {
        let run = publications(["123", "45"])
        fanOut.noteBusy(topic("news:a"), run, now: 0)
        _ = fanOut.watchBusyTopics(now: 0)
        fanOut.noteBusy(topic("news:a"), run, now: 500)
        var counts = fanOut.watchBusyTopics(now: 1000)
        let (seconds, topics) = counts.rates(now: 1000)
        expectEqual(topics.map { ($0.publications * seconds).rounded() }, [2])
        expectEqual(topics.map { ($0.bytes * seconds).rounded() }, [5])
        // Nobody has asked since.
        let later = 1000 + BusyTopics.watchMilliseconds
        fanOut.noteBusy(topic("news:a"), run, now: later)
        counts = fanOut.watchBusyTopics(now: later)
        expect(counts.rates(now: later + 1000).topics.isEmpty)
    }
}
