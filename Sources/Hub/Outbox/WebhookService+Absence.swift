import Logging
import Store
import Timekeeping

/// Endpoints that left the configuration, and what waits for them: it is kept as long as for one that is paused,
/// so that whoever comments an endpoint out for an hour loses nothing; then it is given up like theirs.
extension WebhookService {
    /// Names of endpoints for which messages wait and that are not there.
    package func absentWithMessages() async -> [String] {
        do {
            return try await store.waitingEndpoints().filter { directory[$0] == nil }
        } catch is CancellationError {
            // The hub stops.
            return []
        } catch {
            logger.error("webhooks: outbox not readable", metadata: ["err": "\(error)"])
            return []
        }
    }

    /// Notes which endpoints are away from this start on, and tells how much waits for those.
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
                metadata: ["endpoints": "\(names.joined(separator: ", "))", "messages": "\(count)"]
            )
        }
    }
}

extension WebhookStanding {
    package func isAway(longerThan duration: Duration, wall: Timestamp) -> Bool {
        absentSince.map { wall - $0 > duration } ?? false
    }

    /// What is to be written of an endpoint at the start, unless it stands otherwise by then; nil when all is as it was.
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
