import Glibc
import Loops

/// Whether fixtures read histories as from a store: `make test-one-thread` does.
package let historiesAreStored = getenv("STORED_HISTORIES") != nil

/// The publications of a fixture, for loops that read histories as if they were in a store.
final class FixtureHistories: Sendable {
    private struct Row {
        var beginning: UInt64
        var evictedOffset: UInt64 = 0
        var evictedCursor: UInt64
        var topOffset: UInt64 = 0
        var topCursor: UInt64
        var publications: [Publication] = []
    }

    private struct State {
        var rows: [Topic: Row] = [:]
        var forgotten = ForgottenCursors()
        var isReading = false
    }

    private let state = Locked(State())

    func publish(_ publications: [Publication]) {
        state.withLock { state in
            for publication in publications where publication.offset > 0 {
                let topic = publication.topic
                let beginning = state.forgotten.beginning(of: topic, after: publication.cursor - 1)
                var row =
                    state.rows[topic]
                    ?? Row(
                        beginning: beginning,
                        evictedCursor: state.forgotten[topic],
                        topCursor: 0
                    )
                (row.topOffset, row.topCursor) = (publication.offset, publication.cursor)
                row.publications.append(publication)
                state.rows[topic] = row
            }
        }
    }

    func forget(_ topic: ForgottenTopic) {
        state.withLock { state in
            state.rows[topic.topic] = nil
            state.forgotten.add(topic)
        }
    }

    func erase(_ erasure: Erasure) {
        state.withLock { state in
            state.rows[erasure.topic]?.publications.removeAll { erasure.covers($0.tags) }
        }
    }

    func removeHistory(of topic: Topic, through offset: UInt64) {
        state.withLock { state in
            guard var row = state.rows[topic] else { return }
            while let oldest = row.publications.first, oldest.offset <= offset {
                row.publications.removeFirst()
                (row.evictedOffset, row.evictedCursor) = (oldest.offset, oldest.cursor)
            }
            state.rows[topic] = row
        }
    }

    /// Serves the loops.
    func connect(_ histories: HistoryTable, _ transport: Transport) {
        histories.setWhenRequested { [self] in
            Task { read(histories, transport) }
        }
    }

    private func read(_ histories: HistoryTable, _ transport: Transport) {
        while true {
            let reads = histories.takeReads(countMax: 4)
            guard !reads.isEmpty else { return }
            for read in reads {
                let stored = history(read)
                guard let end = try? histories.finish(read, stored) else { continue }
                transport.endRead(end)
            }
        }
    }

    private func history(_ read: HistoryRead) -> FoundHistory {
        let (found, forgotten) = state.withLock { ($0.rows[read.topic], $0.forgotten[read.topic]) }
        guard let row = found else { return .nothing(forgottenThrough: forgotten) }
        var stored = StoredHistory(
            beginning: row.beginning,
            topOffset: row.topOffset,
            evictedOffset: row.evictedOffset,
            evictedCursor: row.evictedCursor,
            throughCursor: row.topCursor,
            publications: [],
            isCut: false
        )
        for publication in row.publications.reversed() {
            guard row.topOffset - publication.offset < UInt64(read.limit.count) else {
                (stored.evictedOffset, stored.evictedCursor) =
                    (publication.offset, publication.cursor)
                break
            }
            stored.publications.insert(publication, at: 0)
        }
        return .history(stored)
    }
}
