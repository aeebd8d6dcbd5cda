import DomainKit
import Radar

/// Lets the app's sockets in, and gives each of them the radar before its updates.
///
/// The loops have it before the service exists, and keep it when the service is gone. May be used from any thread.
package final class RadarSocketDoor: Sendable {
    private let radars: RadarDirectory
    private let service = Locked<RadarService?>(nil)
    /// Readers take turns: after a restart all sockets come at once.
    private let places: FairPlaces<[UInt8]>

    /// - Parameter radars: which radars there are.
    package init(
        _ radars: RadarDirectory,
        atOnce: Int = FairReads.atOnceHere
    ) {
        self.radars = radars
        places = FairPlaces(atOnce)
    }

    /// - Parameter service: nil when it ends.
    package func connect(_ service: RadarService?) {
        self.service.withLock { $0 = service }
    }

    /// Returns the claims of a socket token; nil for a text that is not a token, or while no
    /// service runs.
    package func claims(
        _ id: Substring,
        _ token: String,
        _ now: Timestamp
    ) throws(TokenError) -> ConnectionClaims? {
        guard token.hasPrefix(RadarSocketTokens.prefix),
            let service = service.withLock({ $0 })
        else { return nil }
        // As if it were another radar's: whether there is one is private.
        guard let radar = radars[String(id)] else { throw .signature }
        let grant = try service.socketTokens.grant(
            of: token,
            radarID: String(id),
            owner: radar.owner,
            now: now
        )
        return ConnectionClaims(
            user: radar.owner,
            login: grant.login,
            issuedAt: grant.issuedAt,
            expiresAt: grant.endsAt
        )
    }

    /// Delivers the first messages of a socket.
    ///
    /// - Throws: `TopicSocketRefusal`, `StoreError`.
    package func open(
        _ request: TopicSocketOpening.Request,
        _ deliver: @escaping TopicSocketOpening.Delivery
    ) async throws {
        guard let service = service.withLock({ $0 }) else { throw TopicSocketRefusal(.shutdown) }
        let result = try await places.with(request.reader) {
            await Result {
                try await service.open(request.name, since: request.since, deliver)
            }
        }
        do { try result.get() } catch RadarError.notFound {
            throw TopicSocketRefusal(.topicRemoved)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
