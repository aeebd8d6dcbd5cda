import Glibc

/// Counts the connections of all loops of a process, in total and per address, and decides whether
/// another one is admitted.
///
/// An IPv6 peer is identified by the first 64 bits of its address: one host can use any address of
/// that network.
package final class ConnectionCensus: Sendable {
    /// The reason for the refusal of a connection.
    package enum Refusal: Error {
        case connectionsMax
        case perAddressMax
    }

    /// The address for which a connection is counted. Valid as long as one of its connections is
    /// counted.
    struct Place: Equatable {
        var index: Int32

        /// The place of a connection that is not counted.
        static let none = Place(index: -1)
        /// The place of a connection that is counted, but not yet for an address: that of a trusted
        /// proxy.
        static let anyone = Place(index: -2)
    }

    package let connectionsMax: Int
    package let perAddressMax: Int
    private let state = Locked(State())

    private struct State {
        var count = 0
        var peak = 0
        var places: [Peer: Int32] = [:]
        var entries: [(peer: Peer, count: Int)] = []
        var free: [Int32] = []

        mutating func place(of peer: Peer) -> Int32 {
            if let index = places[peer] { return index }
            let index = free.popLast() ?? Int32(entries.count)
            if Int(index) == entries.count {
                entries.append((peer, 0))
            } else {
                entries[Int(index)] = (peer, 0)
            }
            places[peer] = index
            return index
        }

        /// Returns nil when the peer already has `max` connections.
        mutating func add(_ peer: Peer, max: Int) -> Int32? {
            let index = place(of: peer)
            guard entries[Int(index)].count < max else { return nil }
            entries[Int(index)].count += 1
            return index
        }

        mutating func remove(_ index: Int32) {
            precondition(entries[Int(index)].count > 0)
            entries[Int(index)].count -= 1
            guard entries[Int(index)].count == 0 else { return }
            places[entries[Int(index)].peer] = nil
            free.append(index)
        }
    }

    package init(connectionsMax: Int, perAddressMax: Int) {
        precondition(connectionsMax > 0)
        precondition(perAddressMax > 0)
        self.connectionsMax = connectionsMax
        self.perAddressMax = perAddressMax
    }

    package var count: Int { state.withLock { $0.count } }

    /// Returns the highest number of connections since the last call, and the current number.
    package func takePeak() -> (peak: Int, count: Int) {
        state.withLock { state in
            defer { state.peak = state.count }
            return (state.peak, state.count)
        }
    }

    /// Counts one more connection of a peer, or returns the reason for its refusal.
    ///
    /// - Parameter peer: nil for a proxy, whose connection is counted for its client later: `move`.
    func admit(_ peer: Peer?) -> Result<Place, Refusal> {
        state.withLock { state in
            guard state.count < connectionsMax else {
                return .failure(.connectionsMax)
            }
            var place = Place.anyone
            if let peer {
                guard let index = state.add(peer, max: perAddressMax) else {
                    return .failure(.perAddressMax)
                }
                place = Place(index: index)
            }
            state.count += 1
            state.peak = max(state.peak, state.count)
            return .success(place)
        }
    }

    /// Counts a connection for another peer.
    ///
    /// - Parameter peer: nil for no address.
    /// - Returns: nil when the peer has reached its maximum; nothing has changed then.
    func move(_ place: Place, to peer: Peer?) -> Place? {
        guard place != .none else { return Place.none }
        return state.withLock { state in
            if place != .anyone, state.entries[Int(place.index)].peer == peer { return place }
            var next = Place.anyone
            if let peer {
                guard let index = state.add(peer, max: perAddressMax) else { return nil }
                next = Place(index: index)
            }
            if place != .anyone { state.remove(place.index) }
            return next
        }
    }

    func release(_ place: Place) {
        guard place != .none else { return }
        state.withLock { state in
            if place != .anyone { state.remove(place.index) }
            state.count -= 1
        }
    }
}

/// The address for which a connection is counted.
struct Peer: Hashable {
    /// The first 64 bits of an IPv6 address; for IPv4, the address with a prefix of 32 bits that no
    /// IPv6 network has; 0 for anything else.
    let network: UInt64

    init(network: UInt64) {
        self.network = network
    }

    init(ipv4 address: UInt32) {
        network = 0xFFFF_FFFF << 32 | UInt64(address)
    }

    /// The peer of a connected socket.
    init(of descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
        self = result == 0 ? Peer(storage) : Peer(network: 0)
    }

    init(_ storage: sockaddr_storage) {
        self = withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let offset = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)!
                return Peer(ipv4: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            case AF_INET6:
                let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)!
                let address = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + 16)])
                return Peer(ipv6: address)
            default: return Peer(network: 0)
            }
        }
    }

    /// RFC 4291 §2.5.5.2: ::ffff:a.b.c.d is an IPv4 address on a socket for both versions.
    init(ipv6 address: UnsafeRawBufferPointer) {
        let isMapped =
            address[..<10].allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
        self =
            isMapped
            ? Peer(ipv4: address.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            : Peer(network: address.loadUnaligned(as: UInt64.self))
    }
}
