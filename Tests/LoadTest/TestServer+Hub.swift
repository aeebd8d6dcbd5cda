import Reactor

/// The Centrifuge protocol as far as the load speaks it.
extension TestServer {
    func answer(_ frame: [UInt8], _ session: Session, _ fault: HubFault?, on id: ConnectionID) {
        for line in frame.split(separator: UInt8(ascii: "\n")) {
            guard let fields = try? JSONReader.fields(of: line) else { return }
            let command = Dictionary(fields, uniquingKeysWith: { first, _ in first })
            let number = command["id"].flatMap(JSONReader.integer) ?? 0
            if command["connect"] != nil {
                reply(number, "connect", to: id) { $0.field("client", "test") }
            } else if let subscribe = command["subscribe"] {
                session.isSubscriber = true
                answerSubscribe(number, subscribe, fault, on: id)
            } else if let publish = command["publish"] {
                self.publish(publish)
                reply(number, "publish", to: id) { _ in }
            }
        }
    }

    private func reply(
        _ number: UInt64,
        _ key: String,
        to id: ConnectionID,
        _ body: (inout JSONWriter) -> Void
    ) {
        var writer = JSONWriter()
        writer.object {
            $0.field("id", number)
            $0.object(key, body)
        }
        send(writer.bytes, to: id)
    }

    private func answerSubscribe(
        _ number: UInt64,
        _ command: ArraySlice<UInt8>,
        _ fault: HubFault?,
        on id: ConnectionID
    ) {
        let fields = (try? JSONReader.fields(of: command)) ?? []
        let offset = fields.first { $0.key == "offset" }.flatMap { JSONReader.integer($0.value) }
        var missed = offset.map { history.dropFirst(Int($0)) } ?? []
        switch fault {
        case nil: break
        case .incomplete: missed = missed.dropFirst()
        case .refused: missed = []
        }
        reply(number, "subscribe", to: id) { writer in
            writer.field("epoch", "e")
            writer.field("offset", history.count)
            if offset != nil {
                writer.field("was_recovering", true)
                writer.field("recovered", fault != .refused)
            }
            writer.array("publications") { writer in
                for data in missed { writer.object { $0.raw("data", data) } }
            }
        }
    }

    private func publish(_ command: ArraySlice<UInt8>) {
        let fields = (try? JSONReader.fields(of: command)) ?? []
        guard let data = fields.first(where: { $0.key == "data" })?.value else { return }
        history.append(Array(data))
        var writer = JSONWriter()
        writer.object {
            $0.object("push") {
                $0.field("channel", "c")
                $0.object("pub") {
                    $0.raw("data", data)
                    $0.field("offset", history.count)
                }
            }
        }
        for (id, session) in sessions where session.isSubscriber { send(writer.bytes, to: id) }
    }
}
