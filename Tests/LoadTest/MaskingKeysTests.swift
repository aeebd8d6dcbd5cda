import Expectations
import Reactor

@testable import varde_load

@Suite("Masking keys", .timeLimit(.minutes(10)))
struct MaskingKeysTests {
    @Test func keysDifferAndFollowFromTheSeed() {
        var keys = MaskingKeys(seed: 1)
        var again = MaskingKeys(seed: 1)
        let some = (0..<1000).map { _ in keys.next() }
        expectEqual(some, (0..<1000).map { _ in again.next() })
        expectEqual(Set(some).count, 1000)
    }
}

@Suite("Fleet settings: source addresses", .timeLimit(.minutes(10)))
struct FleetSettingsTests {
    @Test func addressesRunOnBehindTheLastByte() {
        let sources = FleetSettings.loopbackSources(count: 251).map(\.host)
        expectEqual(sources.count, 251)
        expectEqual(sources.first, "127.0.0.1")
        expectEqual(sources[249], "127.0.0.250")
        expectEqual(sources.last, "127.0.1.1")
        expectEqual(Set(sources).count, 251)
    }

    @Test func oneAddressServesAsManyConnectionsAsItHasPorts() throws {
        let loopback = try require(SocketAddress(host: "127.0.0.1", port: 1))
        let most = FleetSettings.connectionsPerSource
        expectEqual(FleetSettings.loopbackSources(for: most, to: loopback).count, 1)
        expectEqual(FleetSettings.loopbackSources(for: most + 1, to: loopback).count, 2)
        let other = try require(SocketAddress(host: "192.0.2.1", port: 1))
        expect(FleetSettings.loopbackSources(for: 10, to: other).isEmpty)
    }
}
