import DomainKit
import Radar

/// The end of users: their radars go with their accounts.
extension RadarService {
    /// Deletes the radars of a user with their webhooks, and the cached answers about their topics.
    ///
    /// A radar that is being created meanwhile is also deleted.
    package func forget(_ user: String) async throws {
        repeat {
            let radars = try await store.firstRadars(of: user)
            var steps = IndependentSteps()
            await steps.run("deliveries") { try await store.eraseDeliveries(of: radars) }
            for radar in radars {
                await steps.run("radar") { try await forget(radar.id, topic: radar.topic) }
            }
            if !radars.isEmpty { wakeOutbox() }
            try steps.end()
            // Waits for a creation that is in progress.
        } while try await execution.run(
            "user " + user,
            { [store] in
                try await store.readRadars { try $0.radarCount(of: user) > 0 }
            }
        )
    }

    private func forget(_ id: String, topic: String) async throws {
        do { try await delete(id, erasingDeliveries: true) } catch RadarError.notFound {}
        let keys = sources.flatMap { asked in
            ["stance", "interpretation"].map { questionKey(asked.source, $0, topic) }
        }
        try await store.removeAnswers(keys, about: topic)
    }
}

extension HubStore {
    private static let radarsAtOnce = 100

    fileprivate func firstRadars(
        of user: String
    ) async throws -> [(id: String, topic: String)] {
        try await readRadars { try $0.radarTopics(of: user, limit: HubStore.radarsAtOnce) }
    }

    /// Deletes cached answers about a topic, unless a radar has this topic.
    fileprivate func removeAnswers(_ keys: [[UInt8]], about topic: String) async throws {
        let isUsed = try await readRadars { tables in
            try tables.session.integer(RadarSQL.selectTopicIsUsed, [topic]) != nil
        }
        guard !isUsed else { return }
        try await commit(RadarTables.self, length: Change.rowBytes * keys.count) { tables in
            for key in keys { try tables.session.run(RadarSQL.deleteStanceCache, [key]) }
            return (Change(), ())
        }
    }

    /// Deletes the webhooks of radars.
    fileprivate func eraseDeliveries(of radars: [(id: String, topic: String)]) async throws {
        guard !radars.isEmpty else { return }
        try await eraseDeliveries(
            of: radars.flatMap { [.radar($0.id), .radarAlerts($0.id)] },
            subjects: radars.map(\.id)
        )
    }

    /// Deletes the radars of a user while the domain is off.
    func deleteRadars(of user: String) async throws {
        while true {
            let radars = try await firstRadars(of: user)
            guard !radars.isEmpty else { return }
            try await eraseDeliveries(of: radars)
            for radar in radars {
                let topics: [Topic] = [.radar(radar.id), .radarAlerts(radar.id)]
                try await commitRadars(
                    [.delete(radarID: radar.id)],
                    with: Change(removedHistories: topics)
                )
            }
        }
    }
}
