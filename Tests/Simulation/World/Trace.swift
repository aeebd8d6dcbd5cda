/// What happened in a world, step by step: hashed as a whole, its end kept as text.
///
/// The first broken invariant is kept too. Whoever finds one goes on; the world looks and stops.
final class Trace {
    private static let keptMax = 80

    /// Keeps every line, for one who looks at one seed.
    var keepsAll = false
    private(set) var step = 0
    private(set) var violation: String?
    private var last: [String] = []
    /// FNV-1a, 64 bits.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// How often the things happened that a simulation has to bring about.
    private(set) var happened: [Happening: Int] = [:]

    func beginStep() { step += 1 }

    func count(_ happening: Happening) { happened[happening, default: 0] += 1 }

    func note(_ text: String) {
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        if last.count >= Trace.keptMax, !keepsAll { last.removeFirst(Trace.keptMax / 4) }
        last.append("\(step) \(text)")
    }

    func fail(_ text: String) {
        note("VIOLATION \(text)")
        if violation == nil { violation = text }
    }

    /// Fails unless `condition` holds.
    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { fail(text()) }
    }

    /// The newest lines, oldest first.
    var lines: [String] { last }
}

/// What the faults of a world are to lead to. A run that has none of it proves nothing.
package enum Happening: String, CaseIterable, Sendable {
    case publicationsRead = "publications read by clients"
    case publishesAcknowledged = "publishes acknowledged"
    case publishesRefused = "publishes refused"
    case recoveries = "recoveries of something missed"
    case gapsTold = "gaps told"
    case historiesRead = "histories read from the store"
    case holesPassed = "holes of erased publications passed over"
    case topicsForgotten = "topics forgotten"
    case kills = "kills"
    case killsBetweenCommitAndAnnouncement = "kills between a commit and its announcement"
    case powerLosses = "losses of power"
    case drains = "orderly ends"
    case diskFailures = "failed commits"
    case cuts = "connections cut"
    case closesByCode = "connections closed by the hub with a code"
    case slowReadersDropped = "slow readers dropped"
    case feedChanges = "changes of feeds"
    case feedFailures = "failed polls"
    case webhooksDelivered = "webhooks delivered"
    case webhooksRepeated = "webhooks delivered again"
    case webhooksGivenUp = "webhooks given up"
    case answersLost = "commits that were not answered"
    case unknownCommitsFoundLate = "unknown commits found after their publishers gave up"
    case unknownCommitsLostLate = "unknown commits lost after their publishers gave up"
    case writesRefusedBehindUnknown = "writes refused behind an unknown commit"
    case hubsEndedWithUnknown = "hubs that ended because an outcome stayed unknown"
    case questionsAllowed = "questions that the application allowed"
    case questionsRefused = "questions that the application refused"
    case questionsUnanswered = "questions that the application did not answer"
    case arrivals = "arrivals in the logs of clients and topics"
    case departures = "departures in the logs of clients and topics"

    // Of worlds with several nodes.
    case batchesFollowed = "batches applied of other nodes"
    case snapshotsRefused = "snapshots refused that a node could not read or that lacked its place"
    case positionWaits = "waits for a position"
    case keysRepeated = "keys refused of what another node has published"
    case engineCuts = "cuts between a node and PostgreSQL"
    case nodesPartitioned = "nodes partitioned from PostgreSQL"
    case suspensions = "nodes suspended"
    case idleTransactionsEnded = "transactions ended while they waited for a node"
    case unknownCommitsFound = "unknown commits found"
    case unknownCommitsLost = "unknown commits lost"
    case unknownCommitsGivenUp = "unknown commits given up"
    case nodesStartedAnew = "nodes that had to start anew"
    case nodesLeftBehind = "nodes that were too far behind the log"
    case termsBegun = "terms taken over from another node"
    case commitsFenced = "commits of a former term refused"
    case workCommitted = "versions published by leaders"
    case booksBegun = "leaders that began to note arrivals and departures"
    case processesMissed = "nodes whose clients were missed"
    case changesCommittedAgain = "arrivals and departures whose commit failed"
    case trims = "trims of the log"
    case promotions = "promotions"
    case marksTakenBack = "marks of unreplicated commits taken back"
    case epochsKept = "epochs kept over a promotion"
    case epochsTakenBack = "epochs kept and then ended by a node that knows of a loss"
    case epochsBegun = "epochs begun after a promotion"

    /// What comes about with one hub.
    package static let ofOneHub = Array(allCases.prefix { $0 != .batchesFollowed })

    /// What comes about with several nodes.
    package static let ofCluster =
        [
            .publicationsRead, .publishesAcknowledged, .publishesRefused, .recoveries, .gapsTold,
            .historiesRead, .kills, .cuts, .closesByCode, .slowReadersDropped, .answersLost,
            .unknownCommitsFoundLate, .unknownCommitsLostLate, .writesRefusedBehindUnknown,
            .questionsAllowed, .questionsRefused, .questionsUnanswered, .arrivals, .departures,
        ] + allCases.drop { $0 != .batchesFollowed }
}
