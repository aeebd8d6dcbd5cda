import CLinux
import Glibc

/// The proxies whose information about client addresses is trusted.
package struct ProxyTrust: Equatable, Sendable {
    /// Peers whose connections begin with a header of the PROXY protocol.
    package var sendHeaders: PeerBlocks
    /// Peers whose requests name the client in `X-Forwarded-For`.
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

/// The origin of a trusted proxy's connection. Other connections have none.
struct ConnectionOrigin {
    /// Nil once the header is complete.
    var header: ProxyHeaderParser?
    /// From the header; nil without one, and for the proxy's own connections.
    var source: SocketAddress?
    /// The client of the last request.
    var client: SocketAddress?
}

/// The addresses of clients behind trusted proxies.
extension Connections {
    /// The client's address: the one that a trusted proxy names, else that of the peer.
    package func peer(_ id: ConnectionID) -> SocketAddress? {
        guard isOpen(id) else { return nil }
        if hasOrigin(id), let client = origins[id.index]?.client { return client }
        return hop(id)
    }

    /// The address of the peer that sends the connection's requests: a proxy, or the client itself.
    package func hop(_ id: ConnectionID) -> SocketAddress? {
        guard isOpen(id) else { return nil }
        if hasOrigin(id), let source = origins[id.index]?.source { return source }
        return SocketAddress.peer(of: (slots + Int(id.index)).pointee.descriptor)
    }

    /// Whether `X-Forwarded-For` of the connection's requests names its client.
    package func isForwarding(_ id: ConnectionID) -> Bool {
        !limits.trust.forward.isEmpty && hop(id).map { limits.trust.forward.contains($0) } ?? false
    }

    /// Counts a connection for the client of its proxy's request instead of its previous address.
    ///
    /// - Parameter client: nil for the proxy itself.
    /// - Returns: false when that address has reached its maximum number of connections.
    package mutating func attribute(_ id: ConnectionID, to client: SocketAddress?) -> Bool {
        guard isOpen(id) else { return true }
        let index = Int(id.index)
        (slots + index).pointee.flags.insert(.hasOrigin)
        origins[id.index, default: ConnectionOrigin()].client = client
        return count(index, for: client)
    }

    /// Whether a new connection begins with a header of the PROXY protocol. Operators and monitoring
    /// connect to their listeners without a proxy, often from the proxy's machine.
    func sendsHeader(_ peer: SocketAddress?, _ kind: ListenerKind) -> Bool {
        kind == .public && peer.map { limits.trust.sendHeaders.contains($0) } ?? false
    }

    /// Whether the peer of a new connection names its client in each request.
    func forwards(_ peer: SocketAddress?) -> Bool {
        peer.map { limits.trust.forward.contains($0) } ?? false
    }

    mutating func expectHeader(_ id: ConnectionID) {
        (slots + Int(id.index)).pointee.flags.insert([.hasOrigin, .awaitsHeader])
        origins[id.index] = ConnectionOrigin(header: ProxyHeaderParser())
    }

    /// Reads the header of the PROXY protocol, and no byte after it.
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
            // These bytes were peeked and are in the socket's buffer, so all are read.
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
        // The client is another proxy, which names its own client in each request.
        guard !(slots + index).pointee.flags.contains(.isRefused),
            !limits.trust.forward.contains(client), !count(index, for: client)
        else { return true }
        guard (slots + index).pointee.tls == nil, mayReadRefused else {
            turnAway(index)
            return false
        }
        countAsRefused(index)
        return true
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

    /// Refuses a connection over a limit without reading its request.
    private mutating func turnAway(_ index: Int) {
        let id = id(at: Int32(index))
        if (slots + index).pointee.tls == nil { send(limits.refusal.bytes, on: id) }
        close(id)
    }

    private func hasOrigin(_ id: ConnectionID) -> Bool {
        (slots + Int(id.index)).pointee.flags.contains(.hasOrigin)
    }
}
