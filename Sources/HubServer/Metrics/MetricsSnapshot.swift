import Activity
import Bounds
import Metrics
import Polling
import Store
import Timekeeping

/// Everything that the hub counts, at one moment.
struct MetricsSnapshot: Sendable {
    var version = Version.text
    var logLinesDropped: UInt64 = 0
    /// One for each loop.
    var shards: [ShardCounters] = []
    /// Those that were reached outside of the loops.
    var bounds = BoundCounts()
    var memory = MemorySnapshot()
    var store = StoreSnapshot()
    var feeds: [HealthBoard.Line] = []
    var polls = PollCounts()
    var webhooks = WebhookSnapshot()
    var derivations: [DerivingDomain: Histogram] = [:]
    var alerts = AlertCounts()
    var activity = ActivitySnapshot()
    /// As the feeds count time.
    var now = Timestamp(milliseconds: 0)
    /// As webhooks count time.
    var wall = Timestamp(milliseconds: 0)

    /// What peers make the hub hold, in bytes.
    struct MemorySnapshot: Sendable {
        var limit = Int.max
        var held: [MemoryBudget.Purpose: Int] = [:]
    }

    struct StoreSnapshot: Sendable {
        var statistics = StoreStatistics()
        var losses = StoreLosses()
        var transactions = Histogram(.times)
        var fileLengths: (database: Int, log: Int) = (0, 0)
    }

    struct WebhookSnapshot: Sendable {
        var counts = WebhookCounts()
        /// Endpoints that are switched off.
        var disabled = 0
        /// Nil when the store could not be read.
        var deliveries: DeliveryCounts?
    }

    struct ActivitySnapshot: Sendable {
        /// Those that friends are told of.
        var acts: [ActivityType: UInt64] = [:]
        /// What is told page by page; nil when the store could not be read.
        var fanOut: FanOutState?
    }
}

/// Whose derivations are measured.
enum DerivingDomain: String, Hashable, CaseIterable, Sendable {
    /// The conditions of all places and their alerts, of one input.
    case aurora
    /// A radar's position, and its trend where opinions have come.
    case radar
    /// The model that recommendations are made of.
    case activity
}

/// What came of attempts to deliver webhooks.
struct WebhookCounts: Sendable {
    enum Result: String, CaseIterable, Sendable {
        case delivered
        /// There will be another attempt.
        case failed
        /// That was the last attempt.
        case exhausted
        /// The endpoint wants no more of them.
        case gone
    }

    /// Why messages were given up without an attempt that failed.
    enum DropReason: String, CaseIterable, Sendable {
        /// Too many waited for their endpoint, or for too long.
        case bounds
        /// What they tell was erased.
        case erased
    }

    var attempts: [Result: UInt64] = [:]
    var dropped: [DropReason: UInt64] = [:]
}
