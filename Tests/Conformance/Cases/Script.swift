import Glibc

/// What is said in a case, turn by turn.
///
/// Frames are collected until something has to be heard, so that an offence and what follows it
/// arrive at the same time.
package struct Script: Sendable {
    package var steps: [Step]
    package var ending: Ending
}

package enum Step: Sendable {
    /// The peer says a frame, legal or not.
    case send(Frame)
    /// The peer says more of a payload that the last frame began.
    case sendRest([UInt8])
    /// The endpoint answers this, before it has heard anything that follows.
    case hear(Answer)
    /// The endpoint has nothing to say yet, and no reason to fail the connection.
    case quiet
    /// Messages go back and forth, each after the echo of the one before.
    case exchange(Exchange)
}

/// Messages of about the same length that follow each other.
///
/// They are made one by one: all those of a case together can be 128 MiB.
package struct Exchange: Sendable {
    package var count: Int
    package var opcode: UInt8
    /// Nil for messages in one frame each.
    package var fragmentLength: Int? = nil
    package var message: @Sendable (_ index: Int) -> [UInt8]

    /// The message of that number as steps: its frames, and its echo.
    func steps(_ index: Int) -> [Step] {
        let payload = message(index)
        let answer: Answer = opcode == Frame.textOpcode ? .text(payload) : .binary(payload)
        guard let fragmentLength else {
            return [.send(Frame(opcode: opcode, payload: payload)), .hear(answer)]
        }
        let frames = Step.fragments(payload, opcode: opcode, of: fragmentLength, endsEmpty: false)
        return frames + [.hear(answer)]
    }
}

/// What an endpoint says apart from its Close frame.
package enum Answer: Equatable, Sendable {
    case text([UInt8])
    case binary([UInt8])
    case pong([UInt8])

    package static func == (left: Answer, right: Answer) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)), (.binary(let left), .binary(let right)),
            (.pong(let left), .pong(let right)):
            // Arrays compare byte by byte where nothing is optimised, a second for 16 MiB.
            left.count == right.count
                && left.withUnsafeBytes { left in
                    right.withUnsafeBytes { right in
                        left.isEmpty
                            || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
                    }
                }
        case (.text, _), (.binary, _), (.pong, _): false
        }
    }
}

package enum Ending: Equatable, Sendable {
    /// After the last step the peer closes with 1000, and is answered with 1000.
    case clean
    /// The peer's Close frame is among the steps; the answer has this code, nil for none.
    case answered(UInt16?)
    /// The endpoint fails the connection with a Close frame of this code, and reads no further.
    case failed(UInt16)
}

/// A frame as data, also one that RFC 6455 forbids.
package struct Frame: Sendable {
    package var opcode: UInt8
    package var isFinal: Bool
    /// RSV1, RSV2 and RSV3 as one number, RSV1 the most significant.
    package var reservedBits: UInt8
    package var payload: [UInt8]
    /// Bytes that the length tells of and that are not here; `Step.sendRest` has them, or nobody.
    package var withheld: Int

    package init(
        opcode: UInt8,
        isFinal: Bool = true,
        reservedBits: UInt8 = 0,
        payload: [UInt8] = [],
        withheld: Int = 0
    ) {
        self.opcode = opcode
        self.isFinal = isFinal
        self.reservedBits = reservedBits
        self.payload = payload
        self.withheld = withheld
    }

    package static let continuationOpcode: UInt8 = 0
    package static let textOpcode: UInt8 = 1
    package static let binaryOpcode: UInt8 = 2
    package static let closeOpcode: UInt8 = 8
    package static let pingOpcode: UInt8 = 9
    package static let pongOpcode: UInt8 = 10

    static func text(_ payload: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0) -> Frame {
        Frame(
            opcode: textOpcode,
            isFinal: isFinal,
            reservedBits: reservedBits,
            payload: payload
        )
    }

    static func text(_ text: String, isFinal: Bool = true, reservedBits: UInt8 = 0) -> Frame {
        .text(Array(text.utf8), isFinal: isFinal, reservedBits: reservedBits)
    }

    static func binary(_ payload: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0) -> Frame {
        Frame(
            opcode: binaryOpcode,
            isFinal: isFinal,
            reservedBits: reservedBits,
            payload: payload
        )
    }

    static func continuation(_ payload: [UInt8], isFinal: Bool = true) -> Frame {
        Frame(opcode: continuationOpcode, isFinal: isFinal, payload: payload)
    }

    static func continuation(_ text: String, isFinal: Bool = true) -> Frame {
        .continuation(Array(text.utf8), isFinal: isFinal)
    }

    static func ping(_ payload: [UInt8] = [], isFinal: Bool = true) -> Frame {
        Frame(opcode: pingOpcode, isFinal: isFinal, payload: payload)
    }

    static func ping(_ text: String, isFinal: Bool = true) -> Frame {
        .ping(Array(text.utf8), isFinal: isFinal)
    }

    static func pong(_ text: String = "", isFinal: Bool = true) -> Frame {
        Frame(opcode: pongOpcode, isFinal: isFinal, payload: Array(text.utf8))
    }

    static func close(_ code: UInt16, _ reason: [UInt8] = []) -> Frame {
        Frame(opcode: closeOpcode, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    static func reserved(_ opcode: UInt8, _ text: String = "") -> Frame {
        Frame(opcode: opcode, payload: Array(text.utf8))
    }
}

extension Step {
    static func hear(text: String) -> Step { .hear(.text(Array(text.utf8))) }
    static func hear(pong: String) -> Step { .hear(.pong(Array(pong.utf8))) }

    /// A message in frames of at most `length` bytes each.
    ///
    /// - Parameter endsEmpty: The last frame is an empty one. A sender that learns only at the end
    ///   of its data that they are over ends this way.
    static func fragments(
        _ payload: [UInt8],
        opcode: UInt8,
        of length: Int,
        endsEmpty: Bool
    ) -> [Step] {
        var steps: [Step] = []
        var start = 0
        repeat {
            let end = min(start + length, payload.count)
            let isFinal = end == payload.count && !endsEmpty
            let frame = Frame(
                opcode: start == 0 ? opcode : Frame.continuationOpcode,
                isFinal: isFinal,
                payload: Array(payload[start..<end])
            )
            steps.append(.send(frame))
            start = end
        } while start < payload.count
        if endsEmpty { steps.append(.send(.continuation([]))) }
        return steps
    }
}
