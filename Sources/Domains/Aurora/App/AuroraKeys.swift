import DomainKit

/// The keys for the aurora endpoints, and their rate limits.
package struct AuroraKeys: Sendable {
    /// The decision on a request with a key.
    package enum Admission: Sendable, Equatable {
        case missing, unknown
        /// The request is counted; it may still be one too many.
        case known(RateStanding)
    }

    /// A key and the tier that it belongs to.
    package struct Key: Sendable {
        package var text: String
        /// An index into the tiers.
        package var tier = 0
    }

    /// The key in the app's documentation; it is public, so only for development.
    package static let example = "tro_app_aurora_watcher_v1"
    private static let window = Duration.seconds(3600)
    /// The contract's number for the app.
    private static let requestsPerHour = 10_000

    private let keys: [(text: [UInt8], tier: Int)]
    /// In development a missing key stands for the example key.
    private let allowsMissing: Bool
    /// One for each tier; callers are the indices of keys, and the first after them is a missing one.
    private let windows: Locked<[RateWindow<Int>]>
    private let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - tiers: requests an hour.
    ///   - clock: that of the windows, which end at full hours of the wall clock.
    package init(
        _ keys: [Key],
        tiers: [Int] = [AuroraKeys.requestsPerHour],
        allowsMissing: Bool,
        clock: @escaping @Sendable () -> Timestamp = { HubClock.wall }
    ) {
        precondition(keys.allSatisfy { tiers.indices.contains($0.tier) }, "a key without a tier")
        precondition(!tiers.isEmpty, "no tier for a missing key")
        self.keys = keys.map { (Array($0.text.utf8), $0.tier) }
        self.allowsMissing = allowsMissing
        self.clock = clock
        windows = Locked(tiers.map { RateWindow(limit: $0, length: AuroraKeys.window) })
    }

    package init(keys: [String], allowsMissing: Bool) {
        self.init(keys.map { Key(text: $0) }, allowsMissing: allowsMissing)
    }

    /// - Parameter development: lets the example key in, and who has none.
    package init(_ settings: AuroraSection, development: Bool) {
        let names = settings.tiers.map(\.name)
        let configured = settings.apiKeys.map { key in
            // The configuration was checked: a tier that is named is there.
            Key(text: key.key.revealed, tier: key.tier.flatMap(names.firstIndex) ?? 0)
        }
        self.init(
            configured + (development ? [Key(text: AuroraKeys.example)] : []),
            tiers: settings.tiers.map(\.requestsPerHour),
            allowsMissing: development
        )
    }

    package var now: Timestamp { clock() }

    package func admit(_ given: PresentedKey) -> Admission {
        switch given {
        case .none: allowsMissing ? .known(take(keys.count, 0)) : .missing
        case .malformed: .unknown
        case .key(let text): admit(text)
        }
    }

    private func admit(_ given: String) -> Admission {
        let bytes = Array(given.utf8)
        // Every key is compared, so that the time does not reveal which one is similar.
        var found: Int?
        for (index, key) in keys.enumerated() where isEqualInConstantTime(key.text, bytes) {
            found = index
        }
        return found.map { .known(take($0, keys[$0].tier)) } ?? .unknown
    }

    private func take(_ caller: Int, _ tier: Int) -> RateStanding {
        let now = clock()
        return windows.withLock { $0[tier].take(caller, now: now) }
    }
}
