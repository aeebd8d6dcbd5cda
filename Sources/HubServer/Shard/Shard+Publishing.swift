import ClientWire
import PubSub
import Reactor
import WebSocketWire

extension Shard {
    /// Topics whose old publications are forgotten when new ones come; all have their turn.
    private static let topicsTrimmedPerBatch = 8

    /// Adds committed publications to the history and queues them for every subscriber.
    func publish(_ publications: [Publication]) {
        for publication in publications where hub.publish(publication) {
            fanOut(publication, .centrifugeJSON)
            fanOut(publication, .eventStream)
        }
        if let now = publications.last?.time {
            hub.trim(now: now, topicCountMax: Shard.topicsTrimmedPerBatch)
        }
    }

    /// Encodes once, and gives every subscriber of one wire form the same bytes.
    private func fanOut(_ publication: Publication, _ form: WireForm) {
        let places = hub.subscribers(of: publication.topic, form: form)
        guard !places.isEmpty else { return }
        output.removeAll(keepingCapacity: true)
        if form == .centrifugeJSON {
            let json = CentrifugePush.publication(publication)
            FrameHeader.appendUnmasked(opcode: .text, payloadLength: json.count, to: &output)
            output.append(contentsOf: json)
        } else {
            EventStreamEncoder.appendPublication(publication, to: &output)
        }
        let range = connections.stage(output)
        places.withUnsafeBufferPointer { connections.send(range, toEach: $0) }
    }
}
