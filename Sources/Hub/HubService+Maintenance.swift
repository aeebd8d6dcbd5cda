import API

/// The maintenance that runs once a minute, so that the data of a long-running hub do not grow
/// without limit.
extension HubService {
    private static let pause = Duration.seconds(60)
    private static let deliveriesKept = Duration.seconds(7 * 86_400)
    private static let alertsKept = Duration.seconds(90 * 86_400)

    /// Runs until the task is cancelled.
    static func maintain(
        _ store: HubStore,
        _ clock: HubClock,
        _ namespaces: Locked<NamespaceTable>,
        _ transport: Transport,
        _ domains: [any Domain.Type],
        _ logger: Logger,
        _ surveys: ClusterSurveys? = nil,
        _ deleted: DeletedAccounts? = nil
    ) async {
        var trusted = TrustedTime()
        let start = ContinuousClock.now
        func look() -> Timestamp {
            trusted.now(wall: HubClock.wall, monotonic: ContinuousClock.now - start)
        }
        _ = look()
        while (try? await Task.sleep(for: pause)) != nil {
            let wall = look()
            do {
                try await maintainOnce(
                    store,
                    now: clock.isRecording ? clock.now : wall,
                    wall: wall,
                    namespaces,
                    transport,
                    domains,
                    surveys,
                    deleted
                )
            } catch let error as StepFailures {
                for failure in error.failures {
                    logger.error(
                        "trimming failed",
                        metadata: ["step": "\(failure.step)", "err": "\(failure.error)"]
                    )
                }
            } catch {
                // Cancelled: the hub stops, or leads no longer.
            }
        }
    }

    /// Deletes publications beyond the namespaces' limits, unused topics, and old lines of the
    /// delivery log. Each step runs whatever became of the others.
    ///
    /// - Parameters:
    ///   - now: the time of the data.
    ///   - wall: the wall-clock time. Neither may be ahead, because deletions cannot be undone.
    ///   - surveys: asks the other nodes of a cluster which topics they use. If one does not
    ///     answer, this round deletes no further topics.
    /// - Throws: `StepFailures`, `CancellationError`.
    static func maintainOnce(
        _ store: HubStore,
        now: Timestamp,
        wall: Timestamp,
        _ namespaces: Locked<NamespaceTable>,
        _ transport: Transport,
        _ domains: [any Domain.Type],
        _ surveys: ClusterSurveys? = nil,
        _ deleted: DeletedAccounts? = nil
    ) async throws {
        var steps = IndependentSteps()
        var forgotten: [DeletedAccount] = []
        await steps.run("deleted_accounts") {
            guard let pass = try await deleted?.forgetAll() else { return }
            forgotten = pass.done
            try pass.end()
        }
        await steps.run("publications") {
            let evicted = transport.takeEvictions()
            do {
                try await store.trimPublications(
                    now: now,
                    evicted: evicted,
                    limit: { topic in namespaces.withLock { $0.historyLimit(of: topic) } }
                )
            } catch {
                transport.putBack(evicted)
                throw error
            }
        }
        await steps.run("keys") { try await store.trimKeys(now: now) }
        await steps.run("topics") {
            try await forgetTopics(store, now: now, namespaces, transport, surveys, deleted)
        }
        // After the step above: it deletes the names of their topics.
        await steps.run("deleted_account_notes") { try await deleted?.end(forgotten, wall: wall) }
        await steps.run("deliveries") {
            try await store.trimDeliveries(finishedBefore: wall - deliveriesKept)
        }
        await steps.run("attempts") { try await store.trimAttempts(before: wall - deliveriesKept) }
        await steps.run("alerts") {
            try await store.trimAlertRecords(endedBefore: now - alertsKept)
        }
        for domain in domains where store.hasTables(of: domain.manifest.migrations) {
            await steps.run(domain.manifest.name) { try await domain.manifest.trim(store, now) }
        }
        try steps.end()
    }

    private static func forgetTopics(
        _ store: HubStore,
        now: Timestamp,
        _ namespaces: Locked<NamespaceTable>,
        _ transport: Transport,
        _ surveys: ClusterSurveys?,
        _ deleted: DeletedAccounts?
    ) async throws {
        var isEachNodeAsked = true
        // One after the other: both identify topics by numbers that are reused.
        try await store.forgetTopics(
            now: now,
            quietTime: { topic in
                if deleted?.isOwn(topic) ?? false { return .zero }
                return namespaces.withLock { $0[topic]?.quietTimeMin }
            },
            unused: { topics in
                guard isEachNodeAsked else { return [] }
                let unused = await transport.unused(topics)
                guard let surveys else { return unused }
                let found = await surveys.unused(unused)
                isEachNodeAsked = found != nil
                return found ?? []
            }
        )
    }
}
