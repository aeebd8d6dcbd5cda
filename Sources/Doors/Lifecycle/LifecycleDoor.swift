// Lifecycle: events about connections, users, topics and members that come and go.

/// The door that reports who is there.
///
/// - An event, its number and its webhooks are one transaction. A log of events alternates between
///   arrivals and departures, and converges to the actual state, also over kills.
/// - A node has an entry for each subject on it, and for at most 65,536 that have left. The leader has one for each
///   subject of all nodes, and for those that left within `leave_after`. The store keeps a million logs of subjects
///   that are away.
/// - While the store takes nothing, at most two changes of each subject wait, and at most 65,536 visits. Further
///   visits are counted in `hub_lifecycle_left_out_total`, and logged.
package struct LifecycleDoor: Door {
    package static let manifest = DomainManifest(
        name: "lifecycle",
        migrations: LifecycleTables.migrations,
        topics: [
            TopicDescription(
                "hub:life",
                "Connections and users that come and go, for holders of API keys.",
                "lifecycle-event"
            ),
            TopicDescription(
                "hub:life:{namespace}",
                "Topics and members that come and go, for holders of API keys.",
                "lifecycle-event"
            ),
        ],
        forget: { try await LifecycleTables.forget($1, in: $0) }
    )

    /// Without events in the configuration, there is no door.
    package static func section(of configuration: Configuration) -> LifecycleSection? {
        guard configuration.hasLifecycle else { return nil }
        return configuration[LifecycleSection.self] ?? LifecycleSection()
    }

    private let section: LifecycleSection
    /// That has opened the door.
    private let node = Locked<LifecycleNode?>(nil)

    package init(
        _ section: LifecycleSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        self.section = section
    }

    package func open(on node: NodeContext) async throws -> any DoorService {
        let opened = LifecycleNode(node)
        self.node.withLock { $0 = opened }
        node.metrics.add { $0.write(lifecycle: opened.counts.withLock { $0 }) }
        return OpenLifecycle(node: opened)
    }

    package func open(_ hub: HubContext) async throws -> any DomainService {
        guard let node = node.withLock({ $0 }) else {
            preconditionFailure("a node opens its doors before it leads")
        }
        return LifecycleLeader(node, hub, lastSeen: section.lastSeen)
    }
}

/// The door of a node that runs.
struct OpenLifecycle: DoorService, UserStatuses {
    let node: LifecycleNode

    /// The rows of each table in the console.
    private static let rowsMax = 1000

    var attendance: (any AttendanceObserver)? { node }

    var userStatuses: (any UserStatuses)? { node.kinds.contains(.user) ? self : nil }

    func take(_ note: ClusterNote) throws -> Bool { try node.take(note) }

    func run() async { await node.run() }

    // MARK: The state of users

    func statuses(of users: [String]) async throws -> [ServerAPIResult.UserStatus] {
        let now = HubClock.wall
        return try await node.store.read(LifecycleTables.self) { tables in
            try users.map { user in
                let status = try tables.status(of: user)
                return ServerAPIResult.UserStatus(
                    user: user,
                    isOnline: status?.isOnline ?? false,
                    lastSeen: status.map { $0.isOnline ? now : $0.changedAt }
                )
            }
        }
    }

    // MARK: The console

    func tables() async -> [StateTable] {
        [
            table("Users on this node", "User", "Connections", .user) { [$0.user.text] },
            table("Topics on this node", "Topic", "Subscribers", .topic) { [$0.name.text] },
            table("Members on this node", "Topic", "Connections", .member, "User") {
                [$0.name.text, $0.user.text]
            },
        ].compactMap(\.self)
    }

    /// Nil if nothing is there.
    private func table(
        _ title: String,
        _ name: String,
        _ count: String,
        _ kind: LifecycleKind,
        _ second: String? = nil,
        _ texts: (LifecycleSubject) -> [String]
    ) -> StateTable? {
        let (total, first) = node.present(kind, countMax: Self.rowsMax)
        guard total > 0 else { return nil }
        return StateTable(
            "\(title): \(total)",
            columns: ([name] + [second].compactMap(\.self)).map { .init($0) }
                + [.init(count, .count), .init("Since", .time)],
            rows: first.map { subject, count, since in
                texts(subject).map { .text($0) }
                    + [.count(count), .time(since)]
            }
        )
    }
}
