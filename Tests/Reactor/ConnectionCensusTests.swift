import Expectations

@testable import Reactor

@Suite("ConnectionCensus", .timeLimit(.minutes(10)))
struct ConnectionCensusTests {
    private let home = Peer(ipv4: 0x0100_007F)
    private let other = Peer(ipv4: 0x0200_007F)

    @Test func countsUpToTheLimitInAll() throws {
        let census = ConnectionCensus(connectionsMax: 2, perAddressMax: 2)
        let first = try census.admit(home).get()
        _ = try census.admit(other).get()
        expectEqual(census.admit(other), .failure(.connectionsMax))
        census.release(first)
        expectEqual(census.count, 1)
        _ = try census.admit(other).get()
        expectEqual(census.admit(home), .failure(.connectionsMax))
    }

    @Test func countsUpToTheLimitOfAnAddress() throws {
        let census = ConnectionCensus(connectionsMax: 10, perAddressMax: 2)
        let first = try census.admit(home).get()
        _ = try census.admit(home).get()
        expectEqual(census.admit(home), .failure(.perAddressMax))
        _ = try census.admit(other).get()
        census.release(first)
        _ = try census.admit(home).get()
        expectEqual(census.admit(home), .failure(.perAddressMax))
        expectEqual(census.count, 3)
    }

    @Test func placeOfAnAddressThatHasGoneIsAnothers() throws {
        let census = ConnectionCensus(connectionsMax: 10, perAddressMax: 1)
        let first = try census.admit(home).get()
        census.release(first)
        let second = try census.admit(other).get()
        expectEqual(second, first)
        _ = try census.admit(home).get()
        expectEqual(census.admit(home), .failure(.perAddressMax))
        expectEqual(census.admit(other), .failure(.perAddressMax))
    }

    @Test func peakIsThatSinceItWasTaken() throws {
        let census = ConnectionCensus(connectionsMax: 10, perAddressMax: 10)
        let places = try (0..<3).map { _ in try census.admit(home).get() }
        for place in places.dropFirst() { census.release(place) }
        let first = census.takePeak()
        expectEqual(first.peak, 3)
        expectEqual(first.count, 1)
        expectEqual(census.takePeak().peak, 1)
    }

    @Test func whatWasNotCountedIsNotReleased() {
        let census = ConnectionCensus(connectionsMax: 1, perAddressMax: 1)
        census.release(.none)
        expectEqual(census.count, 0)
    }

    @Test func hostOfAnIPv6NetworkIsKnownByTheNetwork() {
        let network: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1]
        let peers = [UInt8(1), 2].map { host in
            (network + [0, 0, 0, 0, 0, 0, 0, host]).withUnsafeBytes { Peer(ipv6: $0) }
        }
        expectEqual(peers[0], peers[1])
        var elsewhere = network + [UInt8](repeating: 0, count: 8)
        elsewhere[7] = 2
        expect(elsewhere.withUnsafeBytes { Peer(ipv6: $0) } != peers[0])
    }

    @Test func mappedIPv4AddressIsTheIPv4Address() {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1]
        expectEqual(mapped.withUnsafeBytes { Peer(ipv6: $0) }, home)
    }
}
