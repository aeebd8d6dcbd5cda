import Expectations
import SeededRandom
import Topics

/// Random publications, subscribers, returns, removals and forgotten topics, on two loops that are told of
/// commits at different times. The model is the log of all that was ever published.
///
/// What must hold: who was told that nothing is missing has every publication, live or recovered; where
/// loops and writer have publications, they agree on the epoch; and no gap is told without a reason.
@Suite("Hub: forgetting topics, against a log of everything", .timeLimit(.minutes(10)))
struct LoopTopicsForgettingModelTests {
    @Test(arguments: UInt64(1)...20)
    func nothingIsMissedUntold(seed: UInt64) {
        let run = ForgettingRun(seed: seed)
        run.run()
        expect(run.problems.isEmpty, "seed \(seed): \(run.problems.prefix(3))")
    }

    /// A run in which nothing happens proves nothing.
    @Test func everythingThatCanHappenDoes() {
        var sums = (forgotten: 0, returns: 0, complete: 0, races: 0)
        for seed in UInt64(101)...105 {
            let run = ForgettingRun(seed: seed)
            run.run()
            sums.forgotten += run.forgottenCount
            sums.returns += run.returnCount
            sums.complete += run.completeCount
            sums.races += run.raceCount
        }
        expect(sums.forgotten > 20)
        expect(sums.returns > 500)
        expect(sums.complete > 50)
        expect(sums.races > 0)
    }
}

private final class ForgettingRun {
    private enum Told {
        case publication(Publication)
        case removal(Topic, through: UInt64)
        case forgotten(Topic, throughCursor: UInt64)
    }

    /// What the writer knows of a topic.
    private struct Row {
        var topOffset: UInt64 = 0
        var removedThrough: UInt64 = 0
        var topCursor: UInt64 = 0
        var beginning: UInt64 = 0
    }

    private struct Client {
        var loop: Int?
        var position: Position?
        /// Of the topic's publications it has seen, or was told to have lost, all up to this cursor.
        var cursor: UInt64 = 0
    }

    private static let topics = (0..<3).map { Topic(trusted: "aurora:\($0)") }
    private static let clientCount = 3
    private static let cursorBase: UInt64 = 100
    private static let form = WireForm(rawValue: 0)

    private(set) var problems: [String] = []
    private(set) var forgottenCount = 0
    private(set) var returnCount = 0
    /// Returns that had missed something, and got all of it.
    private(set) var completeCount = 0
    /// Topics that were forgotten though somebody had come.
    private(set) var raceCount = 0
    private var random: SeededGenerator
    private let loops: [TestHub]
    private var queues: [[Told]]
    private var rows: [Topic: Row] = [:]
    private var forgotten = ForgottenCursors()
    private var log: [Publication] = []
    private var cursor = ForgettingRun.cursorBase
    private var candidate: (topic: Topic, topOffset: UInt64)?
    /// By client, then by topic.
    private var clients: [[Client]]
    private var streams: [UInt64] = [cursorBase, cursorBase]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let limit = HistoryLimit(count: 5, age: nil)
        loops = (0..<2).map { _ in TestHub(namespaces: ["aurora": limit]) }
        queues = loops.map { _ in [] }
        let none = Array(repeating: Client(), count: Self.topics.count)
        clients = Array(repeating: none, count: Self.clientCount)
    }

    func run() {
        for _ in 0..<3000 { step() }
        settle()
    }

    private func step() {
        let topic = Int.random(in: 0..<Self.topics.count, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<16: publish(Self.topics[topic])
        case 16..<26: removeHistory(of: Self.topics[topic])
        case 26..<42: ask(for: Self.topics[topic])
        case 42..<49: forgetCandidate()
        case 49..<62: takeOne(Int.random(in: 0..<loops.count, using: &random))
        case 62..<76: come(Int.random(in: 0..<Self.clientCount, using: &random), topic)
        case 76..<95: go(Int.random(in: 0..<Self.clientCount, using: &random), topic)
        default: resumeStream(Int.random(in: 0..<streams.count, using: &random))
        }
    }

    /// Everybody comes back, so that what is missing is found.
    private func settle() {
        for loop in loops.indices { catchUp(loop) }
        for client in clients.indices {
            for topic in Self.topics.indices {
                go(client, topic)
                come(client, topic)
            }
        }
    }

    private func check(_ isTrue: Bool, _ text: @autoclosure () -> String) {
        if !isTrue { problems.append(text()) }
    }

    // MARK: The writer

    private func publish(_ topic: Topic) {
        cursor += UInt64.random(in: 1...3, using: &random)
        var row = rows[topic] ?? Row()
        row.topOffset += 1
        row.topCursor = cursor
        if row.topOffset == 1 { row.beginning = forgotten.beginning(of: topic, after: cursor - 1) }
        rows[topic] = row
        let publication = Publication(topic, row.topOffset, cursor: cursor)
        log.append(publication)
        tell(.publication(publication))
    }

    private func removeHistory(of topic: Topic) {
        guard let row = rows[topic] else { return }
        rows[topic]!.removedThrough = row.topOffset
        tell(.removal(topic, through: row.topOffset))
    }

    private func ask(for topic: Topic) {
        guard let row = rows[topic], row.removedThrough == row.topOffset else { return }
        guard loops.allSatisfy({ $0.subscriberCount(of: topic) == 0 }) else { return }
        candidate = (topic, row.topOffset)
    }

    private func forgetCandidate() {
        guard let (topic, topOffset) = candidate, let row = rows[topic] else { return }
        candidate = nil
        guard row.topOffset == topOffset, row.removedThrough == topOffset else { return }
        rows[topic] = nil
        forgotten.add(ForgottenTopic(topic, throughCursor: row.topCursor))
        forgottenCount += 1
        tell(.forgotten(topic, throughCursor: row.topCursor))
    }

    private func tell(_ told: Told) {
        for loop in loops.indices { queues[loop].append(told) }
    }

    // MARK: The loops

    /// A loop takes in what was committed before it hears a client.
    private func catchUp(_ loop: Int) {
        while !queues[loop].isEmpty { takeOne(loop) }
    }

    private func takeOne(_ loop: Int) {
        guard !queues[loop].isEmpty else { return }
        switch queues[loop].removeFirst() {
        case .publication(let publication):
            loops[loop].publish(publication)
            deliver(publication, on: loop)
            checkEpoch(of: publication.topic, on: loop)
        case .removal(let topic, let offset): loops[loop].removeHistory(of: topic, through: offset)
        case .forgotten(let topic, let cursor):
            let left = loops[loop].subscribers(of: topic)
            raceCount += left.count
            for client in left { go(Int(client), Self.topics.firstIndex(of: topic)!) }
            loops[loop].forget(topic, throughCursor: cursor)
        }
    }

    private func checkEpoch(of topic: Topic, on loop: Int) {
        guard queues[loop].isEmpty, let row = rows[topic] else { return }
        let epoch = TopicEpoch(store: "e", beginning: row.beginning).text
        let position = loops[loop].position(of: topic)
        check(position.epoch == epoch, "\(topic) has epoch \(position.epoch), not \(epoch)")
    }

    private func deliver(_ publication: Publication, on loop: Int) {
        let topic = Self.topics.firstIndex(of: publication.topic)!
        for subscriber in loops[loop].subscribers(of: publication.topic) {
            let client = Int(subscriber)
            let position = clients[client][topic].position!
            check(
                publication.offset == position.offset + 1,
                "client \(client): offset \(publication.offset) after \(position.offset)"
            )
            clients[client][topic].position!.offset = publication.offset
            clients[client][topic].cursor = publication.cursor
        }
    }

    // MARK: The clients

    private func come(_ number: Int, _ index: Int) {
        let client = clients[number][index]
        guard client.loop == nil else { return }
        let loop = Int.random(in: 0..<loops.count, using: &random)
        catchUp(loop)
        let topic = Self.topics[index]
        let subscribed: Subscribed
        do {
            subscribed = try loops[loop].subscribe(
                Int32(number),
                form: Self.form,
                to: topic,
                since: client.position
            )
        } catch {
            return check(false, "client \(number): \(error)")
        }
        if let recovery = subscribed.recovery { check(recovery, of: client, topic, on: loop) }
        clients[number][index] = Client(loop: loop, position: subscribed.position, cursor: cursor)
    }

    private func check(_ recovery: Recovery, of client: Client, _ topic: Topic, on loop: Int) {
        let missed = log.filter { $0.topic == topic && $0.cursor > client.cursor }
        returnCount += 1
        if case .complete(let publications) = recovery {
            completeCount += missed.isEmpty ? 0 : 1
            return check(
                publications == missed,
                "complete since \(client.position!): \(publications.map(\.cursor)) of "
                    + "\(missed.map(\.cursor))"
            )
        }
        let isOfAnother = client.cursor < forgotten[topic]
        let given = TopicEpoch(client.position!.epoch, of: "e")!
        // A position without publications that is older than all that was forgotten might be of another history.
        let isOld = given.beginning < forgotten[topic] && rows[topic]?.beginning != given.beginning
        let isEvicted = missed.count > 5 || rows[topic].map { $0.removedThrough > 0 } ?? false
        check(isOfAnother || isOld || isEvicted, "a gap since \(client.position!) of nothing")
    }

    private func go(_ number: Int, _ topic: Int) {
        guard let loop = clients[number][topic].loop else { return }
        _ = loops[loop].unsubscribe(Int32(number), from: Self.topics[topic])
        clients[number][topic].loop = nil
    }

    private func resumeStream(_ number: Int) {
        let loop = Int.random(in: 0..<loops.count, using: &random)
        catchUp(loop)
        let since = streams[number]
        let recovery = loops[loop].publications(of: Self.topics, afterCursor: since)
        let got = Set(recovery.publications.map(\.cursor))
        for publication in log where publication.cursor > since {
            let isTold = recovery.gaps.contains {
                $0.topics.contains(publication.topic) && $0.through >= publication.cursor
            }
            check(
                got.contains(publication.cursor) || isTold,
                "stream since \(since): \(publication.topic) \(publication.cursor) untold"
            )
        }
        for gap in recovery.gaps { check(gap.through > since, "a gap of before") }
        streams[number] = loops[loop].newestCursor
    }
}
