import Addresses
import CLinux
import Glibc

/// Whose statements about the address of a client hold.
package struct ProxyTrust: Equatable, Sendable {
    /// Their connections begin with a header of the PROXY protocol.
    package var sendHeaders: PeerBlocks
    /// Their requests name the client in `X-Forwarded-For`.
    package var forward: PeerBlocks

    package init(sendHeaders: PeerBlocks = PeerBlocks(), forward: PeerBlocks = PeerBlocks()) {
        self.sendHeaders = sendHeaders
        self.forward = forward
    }

    var isEmpty: Bool { sendHeaders.isEmpty && forward.isEmpty }
}

extension PeerBlocks {
    package func contains(_ address: SocketAddress) -> Bool {
        if address.isUnix { return includesUnix }
        return address.ipAddress.map { contains($0) } ?? false
    }
}

/// Where a connection of a trusted proxy comes from. Other connections have none.
struct ConnectionOrigin {
    /// Until its header is complete.
    var header: ProxyHeaderParser?
    /// From the header; nil without one, and where the proxy speaks for itself.
    var source: SocketAddress?
    /// Of the request that was read last.
    var client: SocketAddress?
}

/// The addresses of clients behind trusted proxies.
extension Connections {
    /// The client: as a proxy that is trusted names it, or whoever is connected.
    package func peer(_ id: ConnectionID) -> SocketAddress? {
        guard isOpen(id) else { return nil }
        if hasOrigin(id), let client = origins[id.index]?.client { return client }
        return hop(id)
    }

    /// Whoever sends the requests of the connection: a proxy, or the client itself.
    package func hop(_ id: ConnectionID) -> SocketAddress? {
        guard isOpen(id) else { return nil }
        if hasOrigin(id), let source = origins[id.index]?.source { return source }
        return SocketAddress.peer(of: (slots + Int(id.index)).pointee.descriptor)
    }

    /// Whether `X-Forwarded-For` of the connection's requests names its client.
    package func isForwarding(_ id: ConnectionID) -> Bool {
        !limits.trust.forward.isEmpty && hop(id).map { limits.trust.forward.contains($0) } ?? false
    }

    /// Counts a connection for the client of its proxy's request, in the place of whom it was counted for.
    ///
    /// - Parameter client: nil for the proxy itself.
    /// - Returns: false when there are as many of that address as there may be.
    package mutating func attribute(_ id: ConnectionID, to client: SocketAddress?) -> Bool {
        guard isOpen(id) else { return true }
        let index = Int(id.index)
        (slots + index).pointee.flags.insert(.hasOrigin)
        origins[id.index, default: ConnectionOrigin()].client = client
        return count(index, for: client)
    }

    /// Whether the address of a peer that has just connected is still to come.
    func isProxy(_ peer: SocketAddress?) -> Bool {
        guard !limits.trust.isEmpty, let peer else { return false }
        return limits.trust.sendHeaders.contains(peer) || limits.trust.forward.contains(peer)
    }

    mutating func expectHeader(_ id: ConnectionID, from peer: SocketAddress?) {
        guard let peer, limits.trust.sendHeaders.contains(peer) else { return }
        (slots + Int(id.index)).pointee.flags.insert([.hasOrigin, .awaitsHeader])
        origins[id.index] = ConnectionOrigin(header: ProxyHeaderParser())
    }

    /// Reads the header of the PROXY protocol, and no byte behind it.
    ///
    /// - Returns: whether it is complete.
    mutating func receiveHeader(_ index: Int) -> Bool {
        let (key, descriptor) = (UInt32(index), (slots + index).pointee.descriptor)
        let peeked = recv(
            descriptor,
            input.baseAddress,
            ProxyHeaderParser.lengthMax,
            Int32(MSG_PEEK)
        )
        guard peeked > 0 else {
            if case .endOfStream = receiveNothing(index, peeked) { end(index, .closed) }
            return false
        }
        var consumed = 0
        do throws(ProxyHeaderError) {
            let bytes = UnsafeBufferPointer(rebasing: input[..<peeked])
            let source = try origins[key]?.header?.receive(bytes, consumed: &consumed)
            // What was looked at is there, so it is all read.
            _ = recv(descriptor, input.baseAddress, consumed, 0)
            counters.bytesReceived += UInt64(consumed)
            guard let source else { return false }
            return finishHeader(index, source)
        } catch {
            end(index, .proxyHeaderRefused(error))
            return false
        }
    }

    private mutating func finishHeader(_ index: Int, _ source: ProxySource) -> Bool {
        let key = UInt32(index)
        (slots + index).pointee.flags.remove(.awaitsHeader)
        origins[key]?.header = nil
        guard case .client(let address, let port) = source else { return true }
        let client = SocketAddress(address, port: port)
        origins[key]?.source = client
        // Another proxy in front names its client in each request.
        guard !limits.trust.forward.contains(client), !count(index, for: client) else {
            return true
        }
        turnAway(index)
        return false
    }

    private mutating func count(_ index: Int, for client: SocketAddress?) -> Bool {
        guard let census else { return true }
        let peer = client.map { Peer(network: $0.network) }
        guard let place = census.move((slots + index).pointee.censusPlace, to: peer) else {
            counters.refusedPerAddressMax += 1
            return false
        }
        (slots + index).pointee.censusPlace = place
        return true
    }

    /// The refusal of a connection over a limit.
    private mutating func turnAway(_ index: Int) {
        let id = id(at: Int32(index))
        if (slots + index).pointee.tls == nil { send(limits.refusal, on: id) }
        close(id)
    }

    private func hasOrigin(_ id: ConnectionID) -> Bool {
        (slots + Int(id.index)).pointee.flags.contains(.hasOrigin)
    }
}
