import DomainKit

/// The owners of radars and which radars are public. The loops check it before they admit a reader.
///
/// It is closed while the hub does not lead: it then has no radars, and its users must not conclude
/// that there are none.
///
/// May be used from any thread; every call is short. To delete a radar, remove it here first and
/// end its topics then, so that no reader is admitted in between.
package final class RadarDirectory: Sendable {
    package struct Entry: Sendable, Equatable {
        package var owner: String
        package var isPublic: Bool

        package init(owner: String, isPublic: Bool) {
            self.owner = owner
            self.isPublic = isPublic
        }

        /// - Parameter isGranted: whether a token of the reader names the radar's topic.
        package func isReadable(by identity: Identity, isGranted: Bool) -> Bool {
            isPublic || isGranted || isOwned(by: identity)
        }

        package func isOwned(by identity: Identity) -> Bool {
            !identity.isAnonymous && hasSameBytes(identity.user, owner)
        }
    }

    /// Nil while the directory is closed.
    private let radars: Locked<[String: Entry]?>

    /// - Parameter radars: by id; nil for a directory that is closed.
    package init(_ radars: [String: Entry]? = [:]) {
        self.radars = Locked(radars)
    }

    package var isOpen: Bool { radars.withLock { $0 != nil } }

    package var count: Int { radars.withLock { $0?.count ?? 0 } }

    /// Nil for a radar that there is not.
    package subscript(id: String) -> Entry? { radars.withLock { $0?[id] } }

    /// Opens the directory with all radars, by id.
    package func open(with all: [String: Entry]) { radars.withLock { $0 = all } }

    package func close() { radars.withLock { $0 = nil } }

    /// Adds or replaces a radar.
    package func put(_ entry: Entry, id: String) { radars.withLock { $0?[id] = entry } }

    package func remove(_ id: String) { _ = radars.withLock { $0?.removeValue(forKey: id) } }
}
