import CLinux
import Glibc

/// Input from peers.
extension Connections {
    package func readiness(_ index: Int) -> Readiness {
        let (token, flags) = loop.ready(index)
        if token == EventLoop.wakeToken { return .nothing }
        if token & Connections.listenerBit != 0 {
            return .listener(ListenerID(index: Int(token & ~Connections.listenerBit)))
        }
        let id = ConnectionID(token: token)
        guard (slots + Int(id.index)).pointee.generation == id.generation,
            (slots + Int(id.index)).pointee.descriptor >= 0
        else { return .nothing }
        // epoll always reports EPOLLERR and EPOLLHUP; the next read finds their cause.
        return .connection(
            id,
            isReadable: flags & ~EPOLLOUT.rawValue != 0,
            isWritable: flags & EPOLLOUT.rawValue != 0
        )
    }

    /// Reads what the peer has sent, at most one buffer full, into `input`.
    package mutating func receive(_ id: ConnectionID) -> Received {
        let index = Int(id.index)
        guard (slots + index).pointee.generation == id.generation,
            (slots + index).pointee.descriptor >= 0
        else {
            return .nothing
        }
        if (slots + index).pointee.flags.contains(.isConnecting) { return .nothing }
        if (slots + index).pointee.flags.contains(.isClosing) {
            dropInput(index)
            return .nothing
        }
        if (slots + index).pointee.flags.contains(.awaitsHeader), !receiveHeader(index) {
            return .nothing
        }
        if (slots + index).pointee.tls != nil { return receiveEncrypted(index) }
        let count = recv((slots + index).pointee.descriptor, input.baseAddress, input.count, 0)
        guard count > 0 else { return receiveNothing(index, count) }
        counters.bytesReceived += UInt64(count)
        return .bytes(count)
    }

    mutating func receiveNothing(_ index: Int, _ count: Int) -> Received {
        guard count == 0 else {
            if errno != EAGAIN && errno != EINTR { end(index, .broken(code: errno)) }
            return .nothing
        }
        guard !(slots + index).pointee.flags.contains(.hasEnded) else {
            // Input after the end of the stream is not watched, so an error has woken us. Linux
            // returns 0 and not the error there, and wakes again until the socket is closed.
            let code = takeError(of: (slots + index).pointee.descriptor)
            if code != 0 { end(index, .broken(code: code)) }
            return .nothing
        }
        (slots + index).pointee.flags.insert(.hasEnded)
        updateInterest(index)
        return .endOfStream
    }

    /// Reads and drops input while the connection is being closed, until the end of the stream.
    mutating func dropInput(_ index: Int) {
        let count = recv((slots + index).pointee.descriptor, input.baseAddress, input.count, 0)
        guard count <= 0 else { return }
        if !(slots + index).pointee.flags.contains(.isLingering) {
            _ = receiveNothing(index, count)
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            end(index, .closed)
        }
    }

    mutating func receiveEncrypted(_ index: Int) -> Received {
        let count = recv(
            (slots + index).pointee.descriptor,
            ciphertext.baseAddress,
            ciphertext.count,
            0
        )
        guard count > 0 else {
            if count == 0, let error = (slots + index).pointee.tls!.pointee.endOfStream() {
                end(index, .tlsFailed(error.description))
                return .nothing
            }
            return receiveNothing(index, count)
        }
        counters.bytesReceived += UInt64(count)
        let received = (slots + index).pointee.tls!.pointee.receive(
            UnsafeRawBufferPointer(rebasing: ciphertext[..<count]),
            plaintext: UnsafeMutableRawBufferPointer(input)
        )
        transmitTLSOutput(index)
        switch received.state {
        case .handshaking, .open:
            return received.plaintextCount > 0 ? .bytes(received.plaintextCount) : .nothing
        case .closedByPeer:
            (slots + index).pointee.flags.insert(.hasEnded)
            updateInterest(index)
            return received.plaintextCount > 0 ? .bytes(received.plaintextCount) : .endOfStream
        case .failed(let error):
            end(index, .tlsFailed(error.description))
            return .nothing
        }
    }

    /// Sends queued bytes, or finishes a `connect`.
    package mutating func resume(_ id: ConnectionID) {
        let index = Int(id.index)
        guard (slots + index).pointee.generation == id.generation,
            (slots + index).pointee.descriptor >= 0
        else { return }
        if (slots + index).pointee.flags.contains(.isConnecting) { return finishConnect(index) }
        guard (slots + index).pointee.backlog != nil else { return updateInterest(index) }
        sendBacklog(index)
    }

    mutating func finishConnect(_ index: Int) {
        let code = takeError(of: (slots + index).pointee.descriptor)
        guard code == 0 else { return end(index, .broken(code: code)) }
        (slots + index).pointee.flags.remove(.isConnecting)
        updateInterest(index)
        guard (slots + index).pointee.tls != nil else { return }
        (slots + index).pointee.tls!.pointee.startHandshake()
        transmitTLSOutput(index)
    }
}
