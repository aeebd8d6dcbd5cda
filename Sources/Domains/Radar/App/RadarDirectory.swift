import Locking
import Tokens

/// The owners of radars and which radars are public. The loops check it before they admit a reader.
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
            isPublic || isGranted
                || !identity.isAnonymous && hasSameBytes(identity.user, owner)
        }
    }

    private let radars: Locked<[String: Entry]>

    /// - Parameter radars: by id.
    package init(_ radars: [String: Entry] = [:]) {
        self.radars = Locked(radars)
    }

    package var count: Int { radars.withLock { $0.count } }

    /// Nil for a radar that there is not.
    package subscript(id: String) -> Entry? { radars.withLock { $0[id] } }

    /// Adds or replaces a radar.
    package func put(_ entry: Entry, id: String) { radars.withLock { $0[id] = entry } }

    package func remove(_ id: String) { _ = radars.withLock { $0.removeValue(forKey: id) } }
}
