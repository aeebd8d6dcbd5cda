import Expectations
import SeededRandom
import Wire

extension SeededGenerator {
    mutating func bytes(count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Parts of `bytes` in order, some of them empty.
    mutating func split(_ bytes: [UInt8]) -> [[UInt8]] {
        let cuts = (0..<Int.random(in: 0...20, using: &self))
            .map { _ in Int.random(in: 0...bytes.count, using: &self) }.sorted()
        return zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }

    /// The content in chunks of random sizes, with extensions and trailers now and then.
    mutating func chunked(_ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...rest.count, using: &self))
            rest = rest.dropFirst(chunk.count)
            if Bool.random(using: &self) {
                appendChunk(chunk, to: &bytes)
            } else {
                bytes += Array(
                    "0\(String(chunk.count, radix: 16).uppercased());ext=\"a;b\"\r\n".utf8
                )
                bytes += Array(chunk) + Array("\r\n".utf8)
            }
        }
        if Bool.random(using: &self) {
            appendLastChunk(to: &bytes)
        } else {
            bytes += Array("0\r\nX-Checksum: 1\r\nX-Other:\r\n\r\n".utf8)
        }
        return bytes
    }

    /// A request and its bytes on the wire.
    mutating func request() -> (Message<HTTPRequestHead>, [UInt8]) {
        var headers: HTTPHeaders = ["Host": "h\(Int.random(in: 0...9, using: &self)).example"]
        for index in 0..<Int.random(in: 0...5, using: &self) {
            headers.append(
                "X-\(index)",
                String(repeating: "v", count: Int.random(in: 0...30, using: &self))
            )
        }
        let content = bytes(count: Int.random(in: 0...100, using: &self))
        var body: [UInt8] = []
        switch Int.random(in: 0...2, using: &self) {
        case 0: break
        case 1:
            headers.append("Content-Length", String(content.count))
            body = content
        default:
            headers.append("Transfer-Encoding", "chunked")
            body = chunked(content)
        }
        let head = HTTPRequestHead(
            method: ["GET", "POST", "PUT"].randomElement(using: &self) ?? "GET",
            target: "/\(Int.random(in: 0...999, using: &self))?q",
            headers: headers
        )
        var wire: [UInt8] = Bool.random(using: &self) ? Array("\r\n".utf8) : []
        head.append(to: &wire)
        let told = body.isEmpty ? [] : content
        return (Message(head: head, content: told, isWhole: true), wire + body)
    }
}

@Suite("Random streams", .timeLimit(.minutes(10)))
struct RandomTests {
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func serverReadsPipelinedRequestsHoweverTheyAreSplit(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var expected: [Message<HTTPRequestHead>] = []
        var stream: [UInt8] = []
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let (message, bytes) = generator.request()
            expected.append(message)
            stream += bytes
        }
        let reading = requests(in: generator.split(stream))
        expectEqual(reading.messages, expected, "seed \(seed)")
        expectNil(reading.error, "seed \(seed)")
        expect(reading.isIdle, "seed \(seed)")
    }

    /// Allowed are requests or an error, and the same ones for every split; a trap is neither.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func serverReadsDamagedRequestsTheSameHoweverTheyAreSplit(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var stream = generator.request().1 + generator.request().1
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: stream.indices, using: &generator)
            let alphabet = Array(" \t\r\n:;,0fF\0/%\u{7F}".utf8) + [0xFF]
            stream[index] = alphabet.randomElement(using: &generator) ?? 0
        }
        let whole = requests(in: [stream])
        for _ in 0..<10 {
            expectEqual(requests(in: generator.split(stream)), whole, "seed \(seed)")
        }
        expectEqual(requests(in: stream.map { [$0] }), whole, "seed \(seed)")
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func clientReadsResponsesHoweverTheyAreSplit(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let content = generator.bytes(count: Int.random(in: 0...300, using: &generator))
        let framings: [(HTTPHeaders, [UInt8])] = [
            (["Content-Length": String(content.count)], content),
            (["Transfer-Encoding": "chunked"], generator.chunked(content)),
            ([:], content),
        ]
        for (headers, body) in framings {
            let head = HTTPResponseHead(status: 200, headers: headers)
            var stream: [UInt8] = []
            HTTPResponseHead(status: 100).append(to: &stream)
            head.append(to: &stream)
            let reading = responses(in: generator.split(stream + body), endsStream: true)
            let expected = Message(head: head, content: content, isWhole: true)
            expectEqual(reading.messages, [expected], "seed \(seed)")
            expectNil(reading.error, "seed \(seed)")
            expect(reading.isIdle, "seed \(seed)")
        }
    }
}
