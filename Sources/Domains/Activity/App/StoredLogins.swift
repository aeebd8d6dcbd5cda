import Activity
import Store
import Tasks
import Timekeeping
import Tokens

/// Logins in the film app's tables.
package struct StoredLogins: LoginStorage {
    package let store: HubStore

    package func person(for identity: ProvidedIdentity, newcomer: Newcomer) async throws -> Person {
        let new = NewPerson(
            provider: identity.provider.rawValue,
            subject: identity.subject,
            name: newcomer.name,
            email: newcomer.email,
            createdAt: newcomer.at,
            lastActiveAt: newcomer.at
        )
        return try await store.commitActivity { tables in
            (Change(), try tables.findOrInsert(new).person)
        }
    }

    package func person(_ user: String) async throws -> Person? {
        guard let id = Int(user) else { return nil }
        return try await store.readActivity { try $0.person(id) }
    }

    package func insert(
        _ record: RefreshRecord,
        familiesMax: Int,
        at time: Timestamp
    ) async throws -> [String] {
        try await store.commitActivity { tables in
            let row = RefreshTokenRow(record)
            try tables.insert(row)
            let ended = try tables.revokeFamilies(
                of: row.personID,
                butLatest: familiesMax,
                at: time
            )
            return (Change(), ended)
        }
    }

    package func refresh(
        _ hash: [UInt8],
        at time: Timestamp,
        _ decide: @escaping @Sendable ([RefreshRecord]) -> RefreshDecision
    ) async throws -> RefreshDecision {
        try await store.commitActivity { tables in
            let known = try tables.refreshToken(hash: hash)
            let family = try known.map { try tables.refreshTokens(family: $0.family) } ?? []
            let decision = decide(family.map(RefreshRecord.init))
            switch decision {
            case .refuse: break
            case .revoke(let family, _): try tables.revoke(family: family, at: time)
            case .rotate(let rotation):
                for hash in rotation.forgotten { try tables.deleteToken(hash: hash) }
                try tables.noteUse(ofToken: hash, at: rotation.used.usedAt ?? HubClock.wall)
                try tables.insert(RefreshTokenRow(rotation.successor))
            }
            return (Change(), decision)
        }
    }

    package func removeFamily(of hash: [UInt8], at time: Timestamp) async throws -> RefreshRecord? {
        try await store.commitActivity { tables in
            let row = try tables.refreshToken(hash: hash)
            if let row { try tables.revoke(family: row.family, at: time) }
            return (Change(), row.map(RefreshRecord.init))
        }
    }

    package func trimRefreshRecords(expiredBefore time: Timestamp) async throws {
        try await store.trimRefreshTokens(expiredBefore: time)
    }

    package func trimEndedFamilies(endedBefore time: Timestamp) async throws {
        try await store.trimEndedLogins(endedBefore: time)
    }
}

extension RefreshTokenRow {
    fileprivate init(_ record: RefreshRecord) {
        self.init(
            hash: record.hash,
            personID: Int(record.user) ?? 0,
            family: record.family,
            expiresAt: record.expiresAt,
            usedAt: record.usedAt
        )
    }
}

extension RefreshRecord {
    fileprivate init(_ row: RefreshTokenRow) {
        self.init(
            hash: row.hash,
            user: String(row.personID),
            family: row.family,
            expiresAt: row.expiresAt,
            usedAt: row.usedAt
        )
    }
}
