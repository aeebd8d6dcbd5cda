import Loops
import Reactor

/// A client of event streams: resumes by the id it saw last.
final class StreamClient: ModelClient {
    private enum Stage {
        case away
        case head([UInt8])
        case body
    }

    private let topics: [Int]
    private var stage = Stage.away
    private var asked = MonotonicInstant(nanoseconds: 0)
    /// The id seen last; nil before the first.
    private var cursor: UInt64?
    /// Publications that were left out, and whose loss nobody has told.
    private var untold: [Publication] = []
    /// The cursor through which losses of a topic were told.
    private var lostThrough: [String: UInt64] = [:]
    /// The line and the event under way.
    private var line: [UInt8] = []
    private var id: UInt64?
    private var event = ""
    private var data: [UInt8] = []

    override init(name: String, world: ModelWorld) {
        topics = Topics.all.indices.filter { _ in world.random.chance(60) } + [0]
        super.init(name: name, world: world)
    }

    override func begin() {
        var names: [String] = []
        for topic in Topics.all.indices where topics.contains(topic) {
            names.append(Topics.all[topic].name)
        }
        var request = "GET /events?topics=\(names.joined(separator: ",")) HTTP/1.1\r\nHost: hub\r\n"
        if let cursor { trace.note("\(name) asks for what came after \(cursor)") }
        if let cursor { request += "Last-Event-ID: \(cursor)\r\n" }
        asked = world.time.now
        peer!.output += Array((request + "\r\n").utf8)
        stage = .head([])
    }

    override func forgetConnection(byHub: Bool) {
        stage = .away
        line = []
        id = nil
        event = ""
        data = []
    }

    override func receive(_ bytes: [UInt8]) {
        switch stage {
        case .away: break
        case .head(var head):
            head += bytes
            receiveHead(head)
        case .body: for byte in bytes { receive(byte) }
        }
    }

    private func receiveHead(_ head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else {
            stage = .head(head)
            return
        }
        // One who took too long to ask.
        if text.hasPrefix("HTTP/1.1 408") { return leave(byHub: false) }
        // The histories cannot be read at the moment.
        let mayPass = peer?.hub.readsHistories == true || peer?.hub.application != nil
        if text.hasPrefix("HTTP/1.1 503"), mayPass { return leave(byHub: false) }
        // The application refuses: 403, and 204 to a client that returns.
        if text.hasPrefix("HTTP/1.1 403") || text.hasPrefix("HTTP/1.1 204"),
            peer?.hub.application != nil
        {
            return leave(byHub: false)
        }
        expect(text.hasPrefix("HTTP/1.1 200"), "answered \(text.prefix(20))")
        stage = .body
        for byte in text[end.upperBound...].utf8 { receive(byte) }
    }

    // MARK: Lines

    private func receive(_ byte: UInt8) {
        guard byte == UInt8(ascii: "\n") else { return line.append(byte) }
        let text = String(decoding: line, as: UTF8.self)
        line = []
        if text.isEmpty {
            dispatch()
        } else if text.hasPrefix("id: ") {
            id = UInt64(text.dropFirst(4))
        } else if text.hasPrefix("event: ") {
            event = String(text.dropFirst(7))
        } else if text.hasPrefix("data: ") {
            data += Array(text.utf8.dropFirst(6))
        } else {
            expect(text.hasPrefix(":") || text.hasPrefix("retry: "), "unknown line \(text)")
        }
    }

    private func dispatch() {
        defer {
            id = nil
            event = ""
            data = []
        }
        guard let id else { return expect(data.isEmpty, "event without an id") }
        if data.isEmpty {
            trace.note("\(name) stands at \(id)")
            move(past: id)
        } else if event == "gap" {
            takeGap(position: id)
        } else {
            takePublication(id)
        }
    }

    private func takePublication(_ id: UInt64) {
        trace.note("\(name) gets \(event) at \(id)")
        guard let committed = store.publication(cursor: id) else {
            return fail("\(event): cursor \(id) is not committed")
        }
        expect(
            committed.topic.name == event && committed.payload == data,
            "\(event): cursor \(id) is not what was committed"
        )
        if let cursor { expect(id > cursor, "\(event): cursor \(id) after \(cursor)") }
        move(past: id - 1)
        cursor = id
        trace.count(.publicationsRead)
    }

    /// Goes on behind a cursor: what it has not got until then is lost.
    private func move(past id: UInt64) {
        if let cursor, id > cursor {
            untold += store.publications(of: topics, after: cursor, before: id + 1)
                .filter { $0.cursor > lostThrough[$0.topic.name, default: 0] }
        }
        cursor = id
    }

    private func takeGap(position: UInt64) {
        let through = Fields(data[...])?.integer("through") ?? 0
        trace.count(.gapsTold)
        trace.note("\(name) is told a gap through \(through)")
        let names = Fields(data[...])?.elements("topics") ?? []
        let told = names.map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
        // A hub that is behind the reader waits until it has caught up, for as long as it may.
        if world.time.now >= asked + Loop.positionWaitMax { peer?.hasWaited = true }
        if let cursor, peer?.couldCatchUp == true {
            expect(through > cursor, "told a gap through \(through) at \(cursor)")
        }
        for topic in told { lostThrough[topic] = max(through, lostThrough[topic, default: 0]) }
        untold.removeAll { $0.cursor <= through && told.contains($0.topic.name) }
        move(past: position)
    }

    // MARK: The end of a world

    override func missing() -> String? {
        guard case .body = stage, let cursor else { return "not connected" }
        let after = store.publications(of: topics, after: cursor, before: .max)
        return after.isEmpty ? nil : "\(after.count) publications after \(cursor)"
    }

    /// Publications that it did not get and of whose loss it was not told; for the end, when it has
    /// everything.
    func checkUntold() {
        for publication in untold {
            guard store.publication(cursor: publication.cursor) == publication,
                store.durable.log.contains(publication), !isErased(publication)
            else { continue }
            fail("\(publication.topic): offset \(publication.offset) was left out untold")
        }
    }

    private func isErased(_ publication: Publication) -> Bool {
        store.durable.erasedCursors.contains(publication.cursor)
    }
}
