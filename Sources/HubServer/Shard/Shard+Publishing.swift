import ClientWire
import PubSub
import Reactor
import WebSocketWire

extension Shard {
    /// Topics whose old publications are forgotten when new ones come; all have their turn.
    private static let topicsTrimmedPerBatch = 8
    /// Bytes of publications that are staged as one piece.
    private static let pieceBytesMax = 64 << 10

    /// Adds committed publications to the history and queues them for every subscriber.
    func publish(_ publications: [Publication]) {
        var rest = publications[...]
        while let topic = rest.first?.topic {
            let run = rest.prefix { $0.topic == topic }
            rest = rest.dropFirst(run.count)
            var isKnown = false
            counters.publications += UInt64(run.count)
            for publication in run { isKnown = hub.publish(publication) }
            guard isKnown else { continue }
            fanOut(run, .centrifugeJSON) { append($0) }
            fanOut(run, .eventStream) {
                EventStreamEncoder.appendPublication($0, to: &output)
            }
            guard settings.deflate != nil else { continue }
            for bits in WireForm.sharedWindowBits {
                fanOut(run, .centrifugeJSONDeflated(windowBits: bits)) {
                    appendDeflated($0, windowBits: bits)
                }
            }
        }
        if let now = publications.last?.time {
            hub.trim(now: now, topicCountMax: Shard.topicsTrimmedPerBatch)
        }
    }

    /// Encodes each publication of one topic once, and gives every subscriber of one wire form the same
    /// bytes.
    private func fanOut(
        _ run: ArraySlice<Publication>,
        _ form: WireForm,
        append: (Publication) -> Void
    ) {
        let places = hub.subscribers(of: run[run.startIndex].topic, form: form)
        guard !places.isEmpty else { return }
        counters.deliveries += UInt64(run.count * places.count)
        output.removeAll(keepingCapacity: true)
        for publication in run {
            if output.count > Shard.pieceBytesMax { fanOutPiece(to: places) }
            append(publication)
        }
        fanOutPiece(to: places)
    }

    /// Appends the frame of a publication to `output`.
    private func append(_ publication: Publication) {
        text.removeAll(keepingCapacity: true)
        CentrifugePush.appendPublication(publication, to: &text)
        FrameHeader.appendUnmasked(opcode: .text, payloadLength: text.count, to: &output)
        output.append(contentsOf: text)
    }

    /// Appends the frame compressed, unless it is too short to gain by it.
    private func appendDeflated(_ publication: Publication, windowBits: Int) {
        let start = output.count
        text.removeAll(keepingCapacity: true)
        CentrifugePush.appendPublication(publication, to: &text)
        counters.uncompressedBytes += UInt64(text.count)
        if !deflatePool.appendShared(.text, text.span, windowBits: windowBits, to: &output) {
            FrameHeader.appendUnmasked(opcode: .text, payloadLength: text.count, to: &output)
            output.append(contentsOf: text)
        }
        counters.compressedBytes += UInt64(output.count - start)
    }

    private func fanOutPiece(to places: [Int32]) {
        let range = connections.stage(output)
        places.withUnsafeBufferPointer { connections.send(range, toEach: $0) }
        output.removeAll(keepingCapacity: true)
    }
}
