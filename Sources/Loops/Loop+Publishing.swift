import ClientWire
import Reactor
import Wire

/// Committed publications: sent to every subscriber.
extension Loop {
    /// The number of topics whose old publications are removed when new ones arrive; topics take
    /// turns.
    private static let topicsTrimmedPerBatch = 8
    /// The maximum size of a staged piece in bytes of publications.
    private static let pieceBytesMax = 64 << 10
    private var pieceBytesMax: Int {
        min(Loop.pieceBytesMax, settings.connections.queueBytesMax / 8)
    }

    /// Queues committed publications for every subscriber.
    package func publish(_ publications: [Publication]) {
        var rest = publications[...]
        while let topic = rest.first?.topic {
            var run = rest.prefix { $0.topic == topic }
            if holdsSlowReaders(of: topic) {
                run = runForSlowReaders(run)
                holdSlowReaders(before: run)
                countLostToHeld(run, topic)
            }
            rest = rest.dropFirst(run.count)
            if busyTopics != nil { noteBusy(topic, run) }
            turn.counters.published[String(topic.namespace), default: 0] += UInt64(run.count)
            var hasSubscribers = false
            for publication in run { hasSubscribers = hub.publish(publication) }
            guard hasSubscribers else { continue }
            let start = eventLoop.clock.now
            fanOut(run)
            turn.counters.broadcast.add(eventLoop.clock.now - start)
        }
        if let now = publications.last?.time {
            hub.trim(now: now, topicCountMax: Loop.topicsTrimmedPerBatch)
        }
    }

    /// Removes a topic's history, as the store has done at this place among its commits.
    package func removeHistory(of topic: Topic, through offset: UInt64) {
        hub.removeHistory(of: topic, through: offset)
    }

    /// Removes data that the store has erased at this place among its commits. Data queued for a
    /// connection goes out all the same.
    package func erase(_ erasures: [Erasure]) {
        for erasure in erasures {
            hub.erase(erasure)
            // It may be of what was erased: the next publication goes out in full.
            deltaBases[erasure.topic] = nil
        }
    }

    /// Encodes each publication of one topic once for each form in use.
    private func fanOut(_ run: ArraySlice<Publication>) {
        guard let topic = hub.numberIfKnown(of: run[run.startIndex].topic) else { return }
        fanOut(run, topic, .centrifugeJSON) { append($0, .json) }
        fanOut(run, topic, .eventStream) {
            EventStreamEncoder.appendPublication($0, to: &turn.output)
        }
        fanOut(run, topic, .centrifugeProtobuf) { append($0, .protobuf) }
        fanOut(run, topic, .cloudEvents) { appendCloudEvent($0) }
        fanOut(run, topic, .plainText) { appendText($0.payload) }
        if settings.deflate != nil {
            for bits in WireForm.sharedWindowBits {
                fanOut(run, topic, .centrifugeJSONDeflated(windowBits: bits)) {
                    appendDeflated($0, windowBits: bits)
                }
            }
        }
        fanOutFiltered(run, topic, .jsonFiltered, .json)
        fanOutFiltered(run, topic, .protobufFiltered, .protobuf)
        fanOutDeltas(run, topic)
        fanOutStreamed(run, topic)
    }

    /// Sends every subscriber of one wire form the same bytes.
    private func fanOut(
        _ run: ArraySlice<Publication>,
        _ topic: Int32,
        _ form: WireForm,
        append: (Publication) -> Void
    ) {
        let places = hub.subscribers(ofTopicNumbered: topic, form: form)
        guard !places.isEmpty else { return }
        turn.counters.deliveries += UInt64(run.count * places.count)
        turn.clearOutput()
        for publication in run {
            if turn.output.count > pieceBytesMax { fanOutPiece(to: places) }
            append(publication)
        }
        fanOutPiece(to: places)
    }

    /// Sends each publication to the subscribers whose filter it matches.
    private func fanOutFiltered(
        _ run: ArraySlice<Publication>,
        _ topic: Int32,
        _ form: WireForm,
        _ encoding: ClientEncoding
    ) {
        let places = hub.subscribers(ofTopicNumbered: topic, form: form)
        guard !places.isEmpty else { return }
        for publication in run {
            let passing = places.filter { passes(publication, place: $0) }
            turn.counters.deliveries += UInt64(passing.count)
            turn.counters.filtered += UInt64(places.count - passing.count)
            guard !passing.isEmpty else { continue }
            turn.clearOutput()
            append(publication, encoding)
            fanOutPiece(to: passing)
        }
    }

    private func passes(_ publication: Publication, place: Int32) -> Bool {
        guard let (_, session) = client(at: UInt32(place)),
            let subscription = session.subscriptions[publication.topic],
            let filter = subscription.filter
        else { return false }
        return filter.matches(publication.tags)
    }

    // MARK: Deltas

    /// Sends subscribers that agreed to deltas the difference from the last publication that they
    /// received, and their first publication in full.
    private func fanOutDeltas(_ run: ArraySlice<Publication>, _ number: Int32) {
        let topic = run[run.startIndex].topic
        let encodings = ClientEncoding.allCases.filter {
            !hub.subscribers(ofTopicNumbered: number, form: $0.deltaFirst).isEmpty
                || !hub.subscribers(ofTopicNumbered: number, form: $0.delta).isEmpty
        }
        guard !encodings.isEmpty else {
            if !deltaBases.isEmpty { deltaBases[topic] = nil }
            return
        }
        for publication in run {
            let difference = difference(of: publication)
            for encoding in encodings {
                fanOutDelta(publication, .full, encoding, to: encoding.deltaFirst)
                fanOutDelta(publication, difference, encoding, to: encoding.delta)
                hub.moveAll(of: topic, from: encoding.deltaFirst, to: encoding.delta)
            }
            deltaBases[topic] = publication.payload
        }
    }

    private func fanOutDelta(
        _ publication: Publication,
        _ delta: CentrifugePush.DeltaForm,
        _ encoding: ClientEncoding,
        to form: WireForm
    ) {
        let places = hub.subscribers(of: publication.topic, form: form)
        guard !places.isEmpty else { return }
        turn.counters.deliveries += UInt64(places.count)
        turn.clearOutput()
        text.removeAll(keepingCapacity: true)
        CentrifugePush.appendPublication(
            publication,
            delta: delta,
            encoding: encoding,
            to: &text
        )
        appendFrame(encoding)
        fanOutPiece(to: places)
    }

    /// In full if the publisher does not allow a difference, or the difference would be longer.
    private func difference(of publication: Publication) -> CentrifugePush.DeltaForm {
        guard publication.allowsDelta, let base = deltaBases[publication.topic] else {
            return .full
        }
        let difference = FossilDelta.encode(from: base, to: publication.payload)
        return difference.count < publication.payload.count ? .difference(difference) : .full
    }

    // MARK: Frames

    /// Appends the frame of a publication to `output`.
    package func append(_ publication: Publication, _ encoding: ClientEncoding) {
        text.removeAll(keepingCapacity: true)
        CentrifugePush.appendPublication(publication, encoding: encoding, to: &text)
        appendFrame(encoding)
    }

    /// Appends `text` as a frame to `output`.
    private func appendFrame(_ encoding: ClientEncoding) {
        FrameHeader.appendUnmasked(
            opcode: encoding == .json ? .text : .binary,
            payloadLength: text.count,
            to: &turn.output
        )
        turn.output.append(contentsOf: text)
    }

    private func appendText(_ payload: [UInt8]) {
        FrameHeader.appendUnmasked(opcode: .text, payloadLength: payload.count, to: &turn.output)
        turn.output.append(contentsOf: payload)
    }

    private func appendCloudEvent(_ publication: Publication) {
        text.removeAll(keepingCapacity: true)
        CloudEventsEncoder.appendPublication(
            publication,
            epoch: hub.position(of: publication.topic).epoch,
            to: &text
        )
        appendFrame(.json)
    }

    /// Appends the frame compressed, unless it is too short to benefit.
    private func appendDeflated(_ publication: Publication, windowBits: Int) {
        let start = turn.output.count
        text.removeAll(keepingCapacity: true)
        CentrifugePush.appendPublication(publication, encoding: .json, to: &text)
        turn.counters.uncompressedBytes += UInt64(text.count)
        if !deflatePool.appendShared(.text, text.span, windowBits: windowBits, to: &turn.output) {
            appendFrame(.json)
        }
        turn.counters.compressedBytes += UInt64(turn.output.count - start)
    }

    package func fanOutPiece(to places: [Int32]) {
        let range = connections.stage(turn.output)
        places.withUnsafeBufferPointer { connections.send(range, toEach: $0) }
        turn.clearOutput()
    }
}

extension ClientEncoding {
    /// For subscribers that agreed to deltas and have no base yet.
    package var deltaFirst: WireForm {
        switch self {
        case .json: .jsonDeltaFirst
        case .protobuf: .protobufDeltaFirst
        }
    }

    /// For subscribers that have the previous publication.
    package var delta: WireForm {
        switch self {
        case .json: .jsonDelta
        case .protobuf: .protobufDelta
        }
    }
}
