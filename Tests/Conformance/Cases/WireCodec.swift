import Wire

/// One end's way to put frames into bytes and to read the other end's.
///
/// Two ways are there: `RawCodec` shares no code with what it talks to, so that the two can
/// disagree; `ConnectionCodec` is an end of our own under test, as far as the case is legal.
package protocol WireCodec: ~Copyable {
    /// Appends a frame to `output`.
    mutating func say(_ frame: Frame, output: inout [UInt8])
    /// Appends more of the payload of the last frame.
    mutating func sayRest(_ bytes: [UInt8], output: inout [UInt8])
    /// Reads the next bytes; appends to `output` what is due at once.
    mutating func hear(_ bytes: [UInt8], output: inout [UInt8]) -> [Heard]
}

/// What the other end said.
package enum Heard: Equatable, Sendable {
    case answer(Answer)
    /// A ping, which is no answer to anything.
    case ping
    /// A Close frame; nil for one without a code.
    case close(UInt16?)
    /// Something that no end may say.
    case offence(String)
}
