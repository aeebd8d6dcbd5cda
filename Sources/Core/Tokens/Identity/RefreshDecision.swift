/// The decision on a refresh token that a client presents.
///
/// **Rules.** A token is valid once: another of its family replaces it. If a token is presented a
/// second time, either the first or the second client has a copy, and the two cannot be
/// distinguished: the whole family is revoked, and its user signs in again (RFC 9700 §4.14.2; RFC
/// 6819 §5.2.2.3).
///
/// **A lost answer.** An app whose network failed never received the new token and presents the old
/// one again. So for `grace` a used token yields another one, unless a token of the family was used
/// after it: then the answer did arrive. The other one replaces the one before, which no client has
/// used: a family has one valid token at any time. A later use of a replaced token shows that two
/// clients have received successors, and revokes the family. So a copied token is not detected when
/// it is presented a second time, but as soon as both clients go on; revoking a family at every lost
/// packet would be worse.
///
/// **Not here.** No clock, no randomness and no store: `decide` takes the family's records and
/// returns those to insert, to mark and to delete. Its caller does so in the transaction in which
/// it read them.
package enum RefreshDecision: Sendable, Equatable {
    case rotate(Rotation)
    /// Delete all records of the family.
    case revoke(family: String, user: String)
    case refuse(RefreshRefusal)

    package struct Rotation: Sendable, Equatable {
        package let successor: RefreshRecord
        /// The shown one, as it is from here on; then those that the successor replaces, which
        /// count as used before it.
        package let used: [RefreshRecord]
        /// Hashes of records to delete: expired, or used so many tokens ago that they are unlikely
        /// to be presented again.
        package let forgotten: [[UInt8]]
    }

    /// The time in which an app may present a token again whose answer it never received.
    package static let grace = Duration.seconds(30)
    /// Used tokens that one family is known by. An app that refreshes at every start of a day is watched
    /// for four months back.
    package static let usedMax = 128

    /// - Parameters:
    ///   - hash: of the token that is shown.
    ///   - successor: hash of the token that may take its place.
    ///   - family: all records of the family that has a token of this hash; empty when none has.
    ///   - lifetime: of the successor.
    package static func decide(
        _ hash: [UInt8],
        successor: [UInt8],
        family: [RefreshRecord],
        lifetime: Duration,
        now: Timestamp
    ) -> RefreshDecision {
        guard let shown = family.first(where: { $0.hash == hash }) else {
            return .refuse(.unknown)
        }
        precondition(family.allSatisfy { $0.family == shown.family }, "records of two families")
        if let usedAt = shown.usedAt {
            let wasFollowed = family.contains { ($0.usedAt ?? usedAt) > usedAt }
            let isRepeated = now < usedAt + grace && !wasFollowed
            guard isRepeated else {
                return .revoke(family: shown.family, user: shown.user)
            }
        }
        guard now < shown.expiresAt else { return .refuse(.expired) }
        var used = [shown]
        used[0].usedAt = shown.usedAt ?? now
        used += replaced(in: family, by: used[0], now: now)
        return .rotate(
            Rotation(
                successor: RefreshRecord(
                    hash: successor,
                    user: shown.user,
                    family: shown.family,
                    expiresAt: now + lifetime
                ),
                used: used,
                forgotten: forgotten(of: family, but: hash, now: now)
            )
        )
    }

    /// The valid tokens of a family other than the shown one: its unused successors.
    private static func replaced(
        in family: [RefreshRecord],
        by shown: RefreshRecord,
        now: Timestamp
    ) -> [RefreshRecord] {
        family.filter { other in
            other.hash != shown.hash && other.usedAt == nil && other.expiresAt > now
        }.map { record in
            var record = record
            // Before the shown one, whose use follows it, so no repetition of it is accepted.
            record.usedAt = shown.usedAt.map { $0 - .milliseconds(1) }
            return record
        }
    }

    private static func forgotten(
        of family: [RefreshRecord],
        but shown: [UInt8],
        now: Timestamp
    ) -> [[UInt8]] {
        let others = family.filter { $0.hash != shown }
        let expired = others.filter { $0.expiresAt <= now }
        let used = others.filter { $0.expiresAt > now && $0.usedAt != nil }
        let lastFirst = used.sorted { ($0.usedAt ?? now) > ($1.usedAt ?? now) }
        return (expired + lastFirst.dropFirst(usedMax - 1)).map(\.hash)
    }
}

/// Why a refresh token makes no access token.
package enum RefreshRefusal: String, Error, Sendable, CaseIterable {
    /// Never issued, ended by a logout, deleted, or of a family that was revoked.
    case unknown
    case expired
    /// Shown a second time; its family is revoked with it.
    case reused
}
