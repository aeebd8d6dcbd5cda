import Base
import FuzzKit

extension FuzzTarget {
    static let addressTargets = [
        FuzzTarget("proxy-header", lengthMax: 512, dictionary: "http") { try checkHeader($0) },
        FuzzTarget("forwarded-for", lengthMax: 512, dictionary: "http") { try checkForwarded($0) },
    ]
}

/// The same however it is cut, and no byte behind the header is taken.
private func checkHeader(_ bytes: [UInt8]) throws {
    let whole = read([bytes[...]])
    let single = read(bytes.indices.map { bytes[$0...$0] })
    try expect(whole == single, "cut: \(single), whole: \(whole)")
    guard case .success(let reading) = whole else { return }
    try expect(reading.consumed <= bytes.count, "took \(reading.consumed)")
    guard reading.source != nil else {
        try expect(reading.consumed == bytes.count, "bytes of an unfinished header are left")
        return
    }
    try expect(
        reading.consumed <= 16 + ProxyHeaderParser.lengthMax,
        "a header of \(reading.consumed) bytes"
    )
    let alone = read([bytes[..<reading.consumed]])
    try expect(alone == whole, "without what follows: \(alone), with it: \(whole)")
}

private struct Reading: Equatable {
    var source: ProxySource?
    var consumed = 0
}

private func read(_ pieces: [ArraySlice<UInt8>]) -> Result<Reading, ProxyHeaderError> {
    var parser = ProxyHeaderParser()
    var reading = Reading()
    for piece in pieces {
        do throws(ProxyHeaderError) {
            var consumed = 0
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: piece.count)
            defer { copy.deallocate() }
            _ = copy.initialize(from: piece)
            reading.source = try parser.receive(UnsafeBufferPointer(copy), consumed: &consumed)
            reading.consumed += consumed
        } catch {
            return .failure(error)
        }
        if reading.source != nil { break }
    }
    return .success(reading)
}

/// The client is one of the elements; without trust it is the last one.
private func checkForwarded(_ bytes: [UInt8]) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let trusted = PeerBlocks([.block(AddressBlock(trusted: "10.0.0.0/8"))])
    let last = ForwardedFor.client([text]) { _ in false }
    let client = ForwardedFor.client([text]) { trusted.contains($0) }
    guard let last else {
        try expect(client == nil, "found \(client!) behind a malformed element")
        return
    }
    try expect(IPAddress("\(last)") == last, "\(last) is read as another address")
    if !trusted.contains(last) {
        try expect(client == last, "found \(String(describing: client)), expected \(last)")
    }
    let longer = ForwardedFor.client([text, "10.0.0.1"]) { trusted.contains($0) }
    // One more trusted proxy changes nothing, unless there are too many.
    try expect(longer == client || longer == nil, "\(String(describing: longer))")
}
