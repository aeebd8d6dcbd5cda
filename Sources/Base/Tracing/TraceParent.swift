// Tracing: the header `traceparent` of W3C Trace Context as a value, and the trace of the running task.

/// Where a request belongs: its trace, and the caller's span in it.
///
/// The header is `00-TRACE-PARENT-FLAGS`, in lower-case hexadecimal digits: version, 16 bytes of the trace's
/// id, 8 bytes of the id of the caller's span, flags. Neither id is zero. `tracestate` is not read:
/// docs/DECISIONS/031-trace-context.md.
///
/// Source: W3C Trace Context, §3.2 and §4.
package struct TraceParent: Hashable, Sendable {
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The caller may have recorded the trace.
        package static let sampled = Flags(rawValue: 1)
        /// The trace's id is random (Level 2).
        package static let randomTraceID = Flags(rawValue: 2)
        /// Those that are passed on. §3.2.2.5.2: "Vendors MUST set those to zero" of all others.
        static let known: Flags = [.sampled, .randomTraceID]
    }

    /// The name of the header, of the attribute of a CloudEvent, and of the tag of a publication.
    package static let name = "traceparent"
    /// Of the text of version 00.
    package static let length = 55

    /// The two halves of the trace's id.
    private let trace: (high: UInt64, low: UInt64)
    /// The id of the caller's span.
    private let parent: UInt64
    package let flags: Flags

    private init?(_ trace: (high: UInt64, low: UInt64), parent: UInt64, flags: Flags) {
        guard trace.high != 0 || trace.low != 0, parent != 0 else { return nil }
        self.trace = trace
        self.parent = parent
        self.flags = flags.intersection(.known)
    }

    /// Reads a header of version 00, and of a later version as much as version 00 has.
    ///
    /// - Returns: nil for a malformed text, for version ff, and for an id of zero. §4.3: such a header is
    ///   treated as missing.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(TraceParent.length + 1))
        let dash = UInt8(ascii: "-")
        guard bytes.count >= TraceParent.length,
            bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = number(bytes[..<2]), version != 0xFF,
            let high = number(bytes[3..<19]), let low = number(bytes[19..<35]),
            let parent = number(bytes[36..<52]), let flags = number(bytes[53..<55])
        else { return nil }
        if bytes.count > TraceParent.length {
            // A later version may go on behind a dash.
            guard version > 0, bytes[TraceParent.length] == dash else { return nil }
        }
        self.init((high, low), parent: parent, flags: Flags(rawValue: UInt8(flags)))
    }

    /// The first span of a new trace.
    ///
    /// - Parameter random: of the trace's id and of the span's.
    package static func beginning(
        random: (UInt64, UInt64, UInt64),
        isSampled: Bool
    ) -> TraceParent {
        let trace = (high: random.0, low: nonzero(random.1))
        let flags: Flags = isSampled ? .sampled : []
        // Neither id is zero.
        return TraceParent(trace, parent: nonzero(random.2), flags: flags)!
    }

    /// The header of a request that this one causes: the same trace and flags, another span.
    package func child(random: UInt64) -> TraceParent {
        // Neither id is zero.
        TraceParent(trace, parent: TraceParent.nonzero(random), flags: flags)!
    }

    private static func nonzero(_ random: UInt64) -> UInt64 { random == 0 ? 1 : random }

    package var isSampled: Bool { flags.contains(.sampled) }

    /// 32 hexadecimal digits.
    package var traceID: String { hexadecimal(trace.high, 16) + hexadecimal(trace.low, 16) }

    /// 16 hexadecimal digits.
    package var parentID: String { hexadecimal(parent, 16) }

    package static func == (one: TraceParent, other: TraceParent) -> Bool {
        one.trace == other.trace && one.parent == other.parent && one.flags == other.flags
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(trace.high)
        hasher.combine(trace.low)
        hasher.combine(parent)
    }
}

extension TraceParent: CustomStringConvertible {
    /// The header, of version 00.
    package var description: String {
        "00-\(traceID)-\(parentID)-\(hexadecimal(UInt64(flags.rawValue), 2))"
    }
}

/// The number of lower-case hexadecimal digits, at most 16; nil for any other character.
private func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"):
            value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
        default: return nil
        }
    }
    return value
}

private func hexadecimal(_ value: UInt64, _ width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: width - digits.count) + digits
}
