import Expectations
import Foundation
import Store
import StoreTesting

/// One run of a scenario, in which at most one commit is not answered.
package struct UnansweredCommits: Sendable {
    /// For the scenario's store.
    package let commits = FailingCommits()
    fileprivate var number: Int?
    fileprivate var isStored = false

    /// Call it when everything is prepared: the commits from here on are counted.
    package func begin() {
        commits.resetCount()
        guard let number else { return }
        commits.fail(.unknownFate(isStored: isStored), times: 1, after: number)
    }

    /// Repeats a call once that has failed and has stored nothing, as its caller would.
    package func attempt<Value>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as StoreError where error.code == .cannotOpen {
            return try await call()
        }
    }
}

/// Runs a scenario once without a fault, and twice for each of its commits with this commit unanswered:
/// found later, and lost. All runs have to end alike.
///
/// - Parameter scenario: returns what has to be the same: what is stored, what is in memory and what was
///   announced.
package func expectSameEndWithUnansweredCommits<End: Equatable>(
    _ scenario: (UnansweredCommits) async throws -> End
) async throws {
    let faultless = UnansweredCommits()
    let expected = try await scenario(faultless)
    let count = faultless.commits.count
    expect(count > 0, "the scenario commits something")
    for isStored in [true, false] {
        for number in 0..<count {
            var run = UnansweredCommits()
            (run.number, run.isStored) = (number, isStored)
            let end = try await scenario(run)
            expectEqual(run.commits.failed, 1)
            expectEqual(
                end,
                expected,
                "commit \(number) of \(count), \(isStored ? "found" : "lost")"
            )
        }
    }
}

/// The publications that a store has announced.
package struct Announcements: Sendable {
    private let publications = Locked<[Publication]>([])

    package init() {}

    package var all: [Publication] { publications.withLock { $0 } }

    /// For `StoreObserver.committed`.
    package func add(_ more: [Publication]) { publications.withLock { $0 += more } }
}

/// The type of a CloudEvent; nil if the payload is none.
package func eventType(_ publication: Publication) -> String? {
    let json = try? JSONSerialization.jsonObject(with: Data(publication.payload))
    return (json as? [String: Any])?["type"] as? String
}

/// Publications as a scenario compares them: without ids and times.
package struct AnnouncedTexts: Equatable {
    package let texts: [String]

    /// - Parameter text: of one publication; nil leaves it out.
    package init(_ publications: [Publication], _ text: (Publication) -> String?) {
        texts = publications.compactMap { publication in
            text(publication).map { "\(publication.topic) \(publication.offset) \($0)" }
        }
    }
}

extension HubStore {
    /// The publications that are stored, in the order of their cursors.
    package func storedPublications() async throws -> [Publication] {
        try await loadAll().flatMap(\.publications).sorted { $0.cursor < $1.cursor }
    }
}
