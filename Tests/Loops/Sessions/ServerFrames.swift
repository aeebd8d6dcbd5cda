import LoopTesting
import Reactor
import Wire

@testable import Loops

typealias Frame = LoopTestClient.Frame

/// The frames of a server's output: unmasked, final, with a payload of at most 65,535 bytes.
func serverFrames(_ output: [UInt8]) -> [Frame] {
    var frames: [Frame] = []
    var rest = output[...]
    while let first = rest.popFirst(), var length = rest.popFirst().map(Int.init) {
        if length == 126 {
            length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(2)
        }
        frames.append(Frame(opcode: first & 0x0F, payload: Array(rest.prefix(length))))
        rest = rest.dropFirst(length)
    }
    return frames
}

extension Frame {
    /// A ping without payload, as the hub sends it.
    static let emptyPing = Frame(opcode: Frame.ping, payload: [])

    static func close(_ code: UInt16, _ reason: String) -> Frame {
        Frame(
            opcode: Frame.close,
            payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
        )
    }
}

extension MonotonicInstant {
    static func seconds(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }
}

extension WebSocketConnection {
    static func server(
        _ limits: WebSocketLimits = WebSocketLimits()
    ) -> WebSocketConnection {
        WebSocketConnection(role: .server, limits: limits)
    }
}
