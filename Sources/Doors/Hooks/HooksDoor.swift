// Hooks: asks an application before a client may connect, subscribe, publish or call, over HTTP.

/// The door to applications that decide about clients.
///
/// - An answer decides before anything happens: a refused publication is in no history, alert or webhook. An
///   allowed one is a transaction like every other.
/// - Each hook has limits: `concurrency` calls, `queue` questions that wait, a time for each call, 10,000 kept
///   answers, 1 MiB for an answer. No loop waits for it.
/// - A question without an answer is an error for the client, 100 and temporary, and a log entry.
package struct HooksDoor: Door {
    package static let manifest = DomainManifest(name: HooksSection.key)

    private let hooks: [HooksSection.Hook]

    package init(
        _ section: HooksSection,
        environment: [String: String],
        report: (_ path: String, _ message: String) -> Void
    ) {
        hooks = section.items
    }

    package func open(on node: NodeContext) async throws -> any DoorService {
        let callers = hooks.map {
            HookCaller(
                $0,
                userAgent: node.userAgent,
                isSampled: node.configuration.tracing.sampled,
                logger: node.logger,
                answersLevel: node.configuration.development ? .notice : .debug
            )
        }
        node.metrics.add { $0.write(hooks: callers.map(\.state)) }
        return OpenHooks(callers)
    }
}

/// The hooks of a node that runs.
struct OpenHooks: DoorService, ClientHooks {
    let headers: Set<String>
    private let callers: [String: HookCaller]

    init(_ callers: [HookCaller]) {
        self.callers = Dictionary(uniqueKeysWithValues: callers.map { ($0.name, $0) })
        headers = Set(callers.flatMap { $0.hook.headers.map { $0.lowercased() } })
    }

    var hooks: (any ClientHooks)? { self }

    func run() async {
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        for caller in callers.values { caller.shutDown() }
    }

    // MARK: Questions

    func grace(of hook: String) -> Duration { callers[hook]?.hook.grace ?? .zero }

    func limit(of hook: String) -> Duration { callers[hook]?.limit ?? .zero }

    func ask(
        _ question: HookQuestion,
        of hook: String,
        completion: @escaping @Sendable (HookOutcome) -> Void
    ) {
        guard let caller = callers[hook] else {
            // The configuration names only hooks that it has.
            return completion(.failure(.connection("there is no hook \(hook)")))
        }
        caller.ask(question, completion: completion)
    }

    // MARK: The console

    func tables() async -> [StateTable] {
        let states = callers.values.map(\.state).sorted { $0.name < $1.name }
        return [
            StateTable(
                "Hooks",
                columns: [
                    .init("Hook"), .init("Host"), .init("State"), .init("Calls now", .count),
                    .init("Waiting", .count), .init("Answers kept", .count),
                ],
                rows: states.map { state in
                    [
                        .text(state.name), .text(state.host),
                        .text(state.isBreakerOpen ? "breaker open" : "ok"),
                        .count(state.callCount), .count(state.waitingCount),
                        .count(state.keptCount),
                    ]
                }
            ),
            StateTable(
                "Questions",
                columns: [
                    .init("Hook"), .init("Event"), .init("Result"), .init("Number", .count),
                ],
                rows: states.flatMap { state in
                    state.sortedCounts.map { key, count in
                        [
                            .text(state.name), .text(key.event.rawValue), .text(key.result),
                            .count(count),
                        ]
                    }
                }
            ),
        ]
    }
}
