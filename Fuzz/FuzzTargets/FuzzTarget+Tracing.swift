import Base
import FuzzKit

extension FuzzTarget {
    static let tracingTargets = [
        FuzzTarget("traceparent", lengthMax: 128, dictionary: "http") { try checkTrace($0) }
    ]
}

/// What is read is written as version 00, and read again as the same.
private func checkTrace(_ bytes: [UInt8]) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    guard let trace = TraceParent(text) else { return }
    let written = trace.description
    try expect(written.utf8.count == TraceParent.length, "\(written)")
    try expect(TraceParent(written) == trace, "\(written) is read as another trace")
    // Up to the flags it is the header as it came.
    try expect(text.dropFirst(2).hasPrefix(written.dropFirst(2).dropLast(2)), "\(written)")
    try expect(!text.hasPrefix("00") || text.utf8.count == TraceParent.length, "\(text)")
    let child = trace.child(random: 0)
    try expect(child.traceID == trace.traceID, "another trace: \(child)")
    try expect(child.flags == trace.flags, "other flags: \(child)")
}
