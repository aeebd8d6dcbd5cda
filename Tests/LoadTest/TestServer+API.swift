import Reactor

/// The server API as far as the load uses it.
extension TestServer {
    static let key = "the key of the test server"

    /// Answers every request that is whole.
    func answerRequests(_ session: Session, _ fault: APIFault?, on id: ConnectionID) {
        while let (head, content) = TestServer.takeRequest(&session.request) {
            guard head.contains("\r\nX-API-Key: \(TestServer.key)\r\n") else {
                respond(401, Array("no such key\n".utf8), on: id)
                continue
            }
            let isBatch = head.hasPrefix("POST /api/batch HTTP/1.1\r\n")
            guard isBatch || head.hasPrefix("POST /api/publish HTTP/1.1\r\n") else {
                respond(404, [], on: id)
                continue
            }
            let first = published
            let answer = isBatch ? answerBatch(content, fault) : publish(content, "result", fault)
            let isFaulty = (first..<published).contains(TestServer.faultyIndex)
            switch fault {
            case .garbled where isFaulty: respond(200, answer.dropLast(), on: id)
            case .failed where isFaulty: respond(500, answer, on: id)
            case .cutOff where isFaulty: connections.abort(id)
            default: respond(200, answer, on: id)
            }
        }
    }

    /// The head with its empty line and the content; nil when not all of it is there.
    private static func takeRequest(
        _ bytes: inout [UInt8]
    ) -> (head: String, content: ArraySlice<UInt8>)? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n"),
            let field = text.firstRange(of: "\r\nContent-Length: "),
            let length = Int(text[field.upperBound...].prefix { $0.isNumber })
        else { return nil }
        let head = String(text[..<end.upperBound])
        let rest = bytes.dropFirst(head.utf8.count)
        guard rest.count >= length else { return nil }
        bytes = Array(rest.dropFirst(length))
        return (head, rest.prefix(length))
    }

    private func respond(_ status: Int, _ content: some Collection<UInt8>, on id: ConnectionID) {
        let head = "HTTP/1.1 \(status) Whatever\r\nContent-Length: \(content.count)\r\n\r\n"
        connections.send(Array(head.utf8) + content, on: id)
    }

    private func answerBatch(_ content: ArraySlice<UInt8>, _ fault: APIFault?) -> [UInt8] {
        let commands = (try? JSONReader.fields(of: content).first?.value) ?? []
        var replies: [[UInt8]] = []
        for command in (try? JSONReader.elements(of: commands)) ?? [] {
            let isFaulty = published == TestServer.faultyIndex
            let publish = (try? JSONReader.fields(of: command).first?.value) ?? []
            let reply = self.publish(publish, "publish", fault)
            if isFaulty, fault == .unanswered { continue }
            replies.append(reply)
        }
        var writer = JSONWriter()
        writer.object {
            $0.array("replies") { writer in
                for reply in replies { writer.raw(reply) }
            }
        }
        return writer.bytes
    }

    /// The answer to one publication, its position under `key`.
    private func publish(
        _ publication: ArraySlice<UInt8>,
        _ key: String,
        _ fault: APIFault?
    ) -> [UInt8] {
        let isFaulty = published == TestServer.faultyIndex
        published += 1
        let fields = (try? JSONReader.fields(of: publication)) ?? []
        let channel = fields.first { $0.key == "channel" }.flatMap { JSONReader.string($0.value) }
        var writer = JSONWriter()
        guard let channel, fields.contains(where: { $0.key == "data" }) else {
            writer.object { $0.object("error") { $0.field("code", 107) } }
            return writer.bytes
        }
        if isFaulty, fault == .refused {
            writer.object { $0.object("error") { $0.field("code", 111) } }
            return writer.bytes
        }
        let step: UInt64 =
            switch fault {
            case .skipped where isFaulty: 2
            case .repeated where isFaulty: 0
            default: 1
            }
        let offset = offsets[channel, default: 0] + step
        offsets[channel] = offset
        writer.object {
            $0.object(key) {
                $0.field("offset", offset)
                $0.field("epoch", isFaulty && fault == .otherEpoch ? "other" : "e")
            }
        }
        return writer.bytes
    }
}
