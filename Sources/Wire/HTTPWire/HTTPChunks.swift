// The sending side of the chunked transfer coding (RFC 9112 §7.1).

/// Appends `content` as one chunk. Appends nothing when it is empty: the empty chunk is the last one.
@inlinable
package func appendChunk(_ content: some Collection<UInt8>, to bytes: inout [UInt8]) {
    guard !content.isEmpty else { return }
    bytes.append(contentsOf: String(content.count, radix: 16).utf8)
    bytes.append(contentsOf: [0x0D, 0x0A])
    bytes.append(contentsOf: content)
    bytes.append(contentsOf: [0x0D, 0x0A])
}

/// Appends the last chunk and an empty trailer section: the content ends here.
package func appendLastChunk(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "0\r\n\r\n".utf8)
}
