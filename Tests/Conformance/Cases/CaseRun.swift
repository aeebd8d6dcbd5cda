/// One case under way: says the frames, in pieces, and holds what comes back against the script.
///
/// The caller carries out what `next` says, until it says `done`:
/// - `send`: send the pieces, each by itself; then ask again.
/// - `receive`: wait for bytes and give them to `received`, or say `streamEnded`; then ask again.
/// - `expectSilence`: see that the endpoint has said nothing and is open; then ask again. In memory
///   only: over a network silence takes time, and what is said too early is found out later.
/// - `receiveEnd`: the conversation is over; the endpoint has to end the stream by itself.
/// - `done`: nil when the endpoint conforms, or else how it does not.
package struct CaseRun<Codec: WireCodec & ~Copyable>: ~Copyable {
    package enum Action: Equatable, Sendable {
        case send([[UInt8]])
        case receive
        case expectSilence
        case receiveEnd
        case done(problem: String?)
    }

    private var codec: Codec
    /// The steps that are left, the next one last.
    private var steps: [Step]
    private let ending: Ending
    private let delivery: Delivery
    /// The next message of the exchange under way.
    private var exchangeIndex = 0
    /// The most messages of one exchange.
    private let exchangeCountMax: Int
    /// The frames said since the last turn.
    private var unsent: [[UInt8]] = []
    private var heard: [Heard] = []
    private var phase = Phase.talking
    private var hasEnded = false

    private enum Phase {
        /// There are steps left, or the last ones have not gone out.
        case talking
        /// The endpoint's Close frame is awaited.
        case closing
        /// It came; the end of the stream is awaited.
        case ending
        case done(problem: String?)
    }

    /// - Parameter exchangeCountMax: For a quick look: the most messages of each `Exchange`.
    package init(
        _ script: Script,
        delivery: Delivery,
        codec: consuming Codec,
        exchangeCountMax: Int = .max
    ) {
        steps = script.steps.reversed()
        ending = script.ending
        self.delivery = delivery
        self.codec = codec
        self.exchangeCountMax = exchangeCountMax
    }

    // MARK: Inputs

    package mutating func received(_ bytes: [UInt8]) {
        var output: [UInt8] = []
        heard += codec.hear(bytes, output: &output)
        // Pings of a server are answered, and are nobody's answer.
        heard.removeAll { $0 == .ping }
        if !output.isEmpty { unsent.append(output) }
    }

    package mutating func streamEnded() { hasEnded = true }

    // MARK: What to do next

    package mutating func next() -> Action {
        while true {
            switch phase {
            case .talking: if let action = talk() { return action }
            case .closing: if let action = close() { return action }
            case .ending:
                // Our answer to a Close frame, for an endpoint that still reads.
                if let action = flush() { return action }
                guard heard.isEmpty else {
                    finish("\(described(heard[0])) after the Close frame")
                    continue
                }
                if hasEnded { finish(nil) } else { return .receiveEnd }
            case .done(let problem): return .done(problem: problem)
            }
        }
    }

    /// Goes on with the script; nil when a decision was made and there is nothing to do for it.
    private mutating func talk() -> Action? {
        while let step = steps.last {
            switch step {
            case .send(let frame):
                steps.removeLast()
                say { codec, output in codec.say(frame, output: &output) }
            case .sendRest(let bytes):
                steps.removeLast()
                say { codec, output in codec.sayRest(bytes, output: &output) }
            case .hear(let answer):
                if let action = flush() { return action }
                guard !heard.isEmpty else { return waitFor(described(.answer(answer))) }
                let event = heard.removeFirst()
                guard event == .answer(answer) else {
                    finish("expected \(described(.answer(answer))), got \(described(event))")
                    return nil
                }
                steps.removeLast()
            case .quiet:
                if let action = flush() { return action }
                steps.removeLast()
                return .expectSilence
            case .exchange(let exchange):
                steps.removeLast()
                guard exchangeIndex < min(exchange.count, exchangeCountMax) else {
                    exchangeIndex = 0
                    continue
                }
                steps.append(step)
                steps += exchange.steps(exchangeIndex).reversed()
                exchangeIndex += 1
            }
            guard case .talking = phase else { return nil }
        }
        if ending == .clean {
            // Whatever else was said has to be heard before our Close frame goes out.
            if let action = flush() { return action }
            guard heard.isEmpty else {
                finish("unexpected \(described(heard[0]))")
                return nil
            }
            say { codec, output in codec.say(.close(1000), output: &output) }
        }
        phase = .closing
        return flush()
    }

    private mutating func close() -> Action? {
        if let action = flush() { return action }
        let (name, expected): (String, Heard) =
            switch ending {
            case .clean: ("answer", .close(1000))
            case .answered(let code): ("answer", .close(code))
            case .failed(let code): ("failure", .close(code))
            }
        guard !heard.isEmpty else { return waitFor("\(name) with \(described(expected))") }
        let event = heard.removeFirst()
        if event == expected {
            phase = .ending
        } else {
            finish("expected \(name) with \(described(expected)), got \(described(event))")
        }
        return nil
    }

    private mutating func say(_ encode: (inout Codec, inout [UInt8]) -> Void) {
        var output: [UInt8] = []
        encode(&codec, &output)
        unsent.append(output)
    }

    /// What was said and has not gone out, cut as the case wants it.
    private mutating func flush() -> Action? {
        guard !unsent.isEmpty else { return nil }
        defer { unsent = [] }
        switch delivery {
        case .frames: return .send(unsent)
        case .together: return .send([concatenated(unsent)])
        case .chops(let length):
            let bytes = concatenated(unsent)
            let starts = stride(from: 0, to: bytes.count, by: length)
            return .send(starts.map { Array(bytes[$0..<min($0 + length, bytes.count)]) })
        }
    }

    private mutating func waitFor(_ expected: String) -> Action? {
        guard hasEnded else { return .receive }
        finish("expected \(expected), but the stream ended")
        return nil
    }

    private mutating func finish(_ problem: String?) { phase = .done(problem: problem) }
}

/// One after the other. `joined` goes byte by byte where nothing is optimised.
private func concatenated(_ pieces: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for piece in pieces { bytes += piece }
    return bytes
}

/// For a line of a report; of long data only the length.
private func described(_ event: Heard) -> String {
    switch event {
    case .answer(.text(let bytes)): "text of \(bytes.count) bytes"
    case .answer(.binary(let bytes)): "binary message of \(bytes.count) bytes"
    case .answer(.pong(let bytes)): "pong of \(bytes.count) bytes"
    case .ping: "ping"
    case .close(let code): "Close \(code.map(String.init) ?? "without a code")"
    case .offence(let offence): "an offence: \(offence)"
    }
}
