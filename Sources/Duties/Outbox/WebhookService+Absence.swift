import Logging

/// Endpoints that were removed from the configuration, and their waiting messages. The messages are
/// kept as long as those of a paused endpoint, so that an operator who comments an endpoint out for
/// an hour loses nothing. After that they are dropped, as for a paused endpoint.
extension WebhookService {
    /// Returns the names of endpoints that do not exist but have waiting messages.
    package func absentWithMessages() async -> [String] {
        do {
            return try await store.waitingEndpoints().filter { directory[$0] == nil }
        } catch is CancellationError {
            // The hub is stopping.
            return []
        } catch {
            logger.error("webhooks: outbox not readable", metadata: ["err": "\(error)"])
            return []
        }
    }

    /// Stores which endpoints are absent from this start on, and logs how many messages wait for
    /// them.
    package func tellAbsent() async {
        await unlessTheStoreFails { [self] in
            let away = absence.filter { directory[$0.key] == nil }
            if !away.isEmpty { _ = try await store.commit(Change(state: away)) }
            for row in absence where directory[row.key] != nil { await saveStanding(of: row.key) }
            let names = await absentWithMessages()
            var count = 0
            for name in names { count += try await store.pendingCount(of: name) }
            guard count > 0 else { return }
            logger.notice(
                "webhooks wait for endpoints that are not there",
                metadata: [
                    "endpoints": "\(names.joined(separator: ", "))",
                    "messages": .stringConvertible(count),
                ]
            )
        }
    }
}

extension WebhookStanding {
    package func isAway(longerThan duration: Duration, wall: Timestamp) -> Bool {
        absentSince.map { wall - $0 > duration } ?? false
    }

    /// Returns the row to be stored for an endpoint at the start, unless its state changes by then;
    /// nil if nothing has changed.
    package func row(_ name: String, isThere: Bool, ageMax: Duration, wall: Timestamp) -> StateRow?
    {
        var next: WebhookStanding? = self
        switch (isThere, absentSince) {
        case (true, nil): return nil
        case (_, _?) where isAway(longerThan: ageMax, wall: wall): next = nil
        case (true, _?): next?.absentSince = nil
        case (false, nil): next?.absentSince = wall
        case (false, _?): return nil
        }
        return StateRow(domain: WebhookStanding.domain, key: name, value: next?.bytes)
    }
}
