import ClientWire
import Reactor

/// The reason for the end of a client, in few enough words for a label.
package struct DisconnectCause: Hashable, Sendable {
    package let code: UInt16
    package let reason: String

    /// - Parameter code: the hub's reason for ending the connection, if the hub ended it.
    package init(_ code: DisconnectCode?, _ end: ConnectionEnd) {
        self.code = code?.code ?? 0
        guard let code else {
            reason =
                switch end {
                case .closed: "closed"
                case .broken: "connection lost"
                case .queueOverflow, .stalled: "slow"
                case .tlsFailed: "tls"
                case .proxyHeaderRefused: "proxy"
                }
            return
        }
        // The server API accepts any text, which is unsuitable for a label.
        reason = DisconnectCode.all.contains(code) ? code.reason : "custom"
    }
}

/// An error with which a command was answered.
package struct ReplyError: Hashable, Sendable {
    package let method: String
    package let code: UInt32

    package init(method: String, code: UInt32) {
        self.method = method
        self.code = code
    }
}

/// The outcome for a client that reconnected with a position.
package enum RecoveryResult: String, CaseIterable, Sendable {
    case complete
    case gap
    /// Its position does not come from this store.
    case unknown
}

extension LoopCounters {
    package mutating func count(_ error: ProtocolError, _ method: String, times: Int = 1) {
        replyErrors[ReplyError(method: method, code: error.code), default: 0] += UInt64(times)
    }

    package mutating func count(_ recovery: Recovery) {
        let result: RecoveryResult =
            switch recovery {
            case .complete: .complete
            case .gap: .gap
            case .otherEpoch: .unknown
            }
        recoveries[result, default: 0] += 1
        recovered.add(recovery.publications.count)
    }

    package mutating func count(_ recovery: StreamRecovery) {
        let result: RecoveryResult =
            switch recovery.gaps.first?.reason {
            case nil: .complete
            case .evicted: .gap
            case .unknownCursor: .unknown
            }
        recoveries[result, default: 0] += 1
        recovered.add(recovery.publications.count)
    }
}
