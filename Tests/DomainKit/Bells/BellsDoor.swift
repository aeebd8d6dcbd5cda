import DomainKit

/// Bells that an application rings: a door as small as one can be that has everything.
/// CONTRIBUTING.md walks through its files.
///
/// - A ring is one transaction with the event that reports it. An answer other than 200 means that the
///   bell has not rung.
/// - The door keeps nothing of a ring except a count and a time for each bell.
struct BellsDoor: Door {
    static let manifest = DomainManifest(
        name: BellsSection.key,
        eventTypes: ["bells.rung"]
    )

    private let bells: [BellsSection.Bell]

    init(
        _ section: BellsSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        bells = section.items
    }

    func open(on node: NodeContext) async throws -> any DoorService {
        let ringer = BellRinger(bells, node)
        node.metrics.add { $0.write(rings: ringer.count) }
        return OpenBells(ringer: ringer)
    }
}

/// The bells of a node that runs.
struct OpenBells: DoorService {
    let ringer: BellRinger

    func add(to routes: inout Routes, _ context: RouteContext) {
        BellsRoutes(ringer: ringer).add(to: &routes)
    }

    func tables() async -> [StateTable] { [ringer.table] }

    func connect(_ topics: (any TopicControl)?) { ringer.connect(topics) }

    /// A bell rings only while the node runs.
    func run() async {
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        ringer.close()
    }
}
