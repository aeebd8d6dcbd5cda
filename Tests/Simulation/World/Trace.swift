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
}
