import ClientWire
import Reactor
import Wire

/// The way of publications to subscribers. Belongs to its loop.
///
/// **Function.** Each publication of a topic is encoded once for each form in use, staged once, and queued for
/// all subscribers of that form. Here are the data that this needs from one publication to the next: the bases
/// of deltas, the answers that several returning clients receive, the receivers of joins and leaves, the slow
/// readers that go on, the counts of the busiest topics, and the record that explains an outcome.
///
/// **Inputs.** `send` for publications of one topic, after the table of topics has them; `announce` for a join
/// or a leave; `sendSample` for statistics. The caller lends its tables for the call: nothing of them is kept.
/// `forgetBase` when the last publication of a topic is erased or its topic is removed.
///
/// **Invariants.** The output of the turn is empty after each call. A base is the payload that all subscribers
/// of the delta form have received last; without such subscribers there is none.
///
/// **Not done here:** who subscribes, histories and their recovery, and the end of a reader that has lost
/// publications.
package struct FanOut: ~Copyable {
    /// The maximum size of a staged piece in bytes of publications.
    private static let pieceBytesMax = 64 << 10

    /// The maximum number of subscriptions in the record for explanations.
    private static let recordedSubscriptionsMax = 1 << 16
    private static let recordedExceptionsMax = 1 << 16

    /// Of all WebSockets of the loop.
    package let deflatePool: DeflatePool
    let isDeflating: Bool
    let queueBytesMax: Int
    /// The outcomes of publications, for explanations.
    package var record = ExplainRecord(
        subscriptionsMax: FanOut.recordedSubscriptionsMax,
        exceptionsMax: FanOut.recordedExceptionsMax
    )
    /// One message on its way into the output; kept for its storage.
    private var text: [UInt8] = []
    /// By topic with subscribers that agreed to deltas: the last publication.
    private var deltaBases: [Topic: [UInt8]] = [:]
    private var recoveryCache = RecoveryCache()
    /// By topic: the places of subscribers that receive joins and leaves.
    private var listeners: [Topic: Set<UInt32>] = [:]
    /// Slow readers that have read their queue, and wait for more of what they missed.
    private var catchingUp: [ConnectionID] = []
    /// Nil unless the busiest topics are watched. Every loop receives every publication, so only the first one
    /// counts them.
    private var busyTopics: BusyTopics?

    /// - Parameters:
    ///   - deflate: nil disables compression.
    ///   - queueBytesMax: the maximum length of a connection's queue.
    package init(deflate: DeflateSettings?, queueBytesMax: Int) {
        deflatePool = DeflatePool(settings: deflate ?? DeflateSettings())
        isDeflating = deflate != nil
        self.queueBytesMax = queueBytesMax
    }

    // MARK: Publications

    private enum Encoding {
        case client(ClientEncoding)
        case deflatedJSON(windowBits: Int)
        case eventStream
        case cloudEvents
        case plainText
    }

    /// Queues publications of one topic for its subscribers.
    package mutating func send(
        _ run: ArraySlice<Publication>,
        _ hub: inout LoopTopics,
        through connections: inout Connections,
        to sessions: [Session],
        _ turn: inout Turn
    ) {
        guard let topic = hub.numberIfKnown(of: run[run.startIndex].topic) else { return }
        send(run, topic, .centrifugeJSON, .client(.json), hub, &connections, &turn)
        send(run, topic, .eventStream, .eventStream, hub, &connections, &turn)
        send(run, topic, .centrifugeProtobuf, .client(.protobuf), hub, &connections, &turn)
        send(run, topic, .cloudEvents, .cloudEvents, hub, &connections, &turn)
        send(run, topic, .plainText, .plainText, hub, &connections, &turn)
        if isDeflating {
            for bits in WireForm.sharedWindowBits {
                let form = WireForm.centrifugeJSONDeflated(windowBits: bits)
                let encoding = Encoding.deflatedJSON(windowBits: bits)
                send(run, topic, form, encoding, hub, &connections, &turn)
            }
        }
        sendFiltered(run, topic, .jsonFiltered, .json, hub, &connections, sessions, &turn)
        sendFiltered(run, topic, .protobufFiltered, .protobuf, hub, &connections, sessions, &turn)
        sendDeltas(run, topic, &hub, &connections, &turn)
        sendStreamed(run, topic, hub, &connections, sessions, &turn)
    }

    /// Sends every subscriber of one wire form the same bytes.
    private mutating func send(
        _ run: ArraySlice<Publication>,
        _ topic: Int32,
        _ form: WireForm,
        _ encoding: Encoding,
        _ hub: borrowing LoopTopics,
        _ connections: inout Connections,
        _ turn: inout Turn
    ) {
        let places = hub.subscribers(ofTopicNumbered: topic, form: form)
        guard !places.isEmpty else { return }
        let pieceBytesMax = min(FanOut.pieceBytesMax, queueBytesMax / 8)
        turn.counters.deliveries += UInt64(run.count * places.count)
        turn.clearOutput()
        for publication in run {
            if turn.output.count > pieceBytesMax {
                FanOut.sendPiece(to: places, &connections, &turn)
            }
            switch encoding {
            case .client(let encoding): append(publication, encoding, &turn)
            case .deflatedJSON(let bits): appendDeflated(publication, windowBits: bits, &turn)
            case .eventStream:
                EventStreamEncoder.appendPublication(publication, to: &turn.output)
            case .cloudEvents: appendCloudEvent(publication, hub, &turn)
            case .plainText: FanOut.appendText(publication.payload, &turn)
            }
        }
        FanOut.sendPiece(to: places, &connections, &turn)
    }

    /// Sends each publication to the subscribers whose filter it matches.
    private mutating func sendFiltered(
        _ run: ArraySlice<Publication>,
        _ topic: Int32,
        _ form: WireForm,
        _ encoding: ClientEncoding,
        _ hub: borrowing LoopTopics,
        _ connections: inout Connections,
        _ sessions: [Session],
        _ turn: inout Turn
    ) {
        let places = hub.subscribers(ofTopicNumbered: topic, form: form)
        guard !places.isEmpty else { return }
        for publication in run {
            var passing: [Int32] = []
            for place in places {
                guard let session = sessions.client(at: place, in: connections),
                    let filter = session.subscriptions[publication.topic]?.filter,
                    filter.matches(publication.tags)
                else { continue }
                passing.append(place)
            }
            turn.counters.deliveries += UInt64(passing.count)
            turn.counters.filtered += UInt64(places.count - passing.count)
            guard !passing.isEmpty else { continue }
            turn.clearOutput()
            append(publication, encoding, &turn)
            FanOut.sendPiece(to: passing, &connections, &turn)
        }
    }

    /// Sends each publication to the clients without a WebSocket whose filter it matches.
    private mutating func sendStreamed(
        _ run: ArraySlice<Publication>,
        _ topic: Int32,
        _ hub: borrowing LoopTopics,
        _ connections: inout Connections,
        _ sessions: [Session],
        _ turn: inout Turn
    ) {
        let places = hub.subscribers(ofTopicNumbered: topic, form: .clientStream)
        guard !places.isEmpty else { return }
        for publication in run {
            var passing: [ClientStreamFraming: [Int32]] = [:]
            for place in places {
                guard let session = sessions.client(at: place, in: connections),
                    let streamed = session.streamed,
                    let subscription = session.subscriptions[publication.topic]
                else { continue }
                guard subscription.filter?.matches(publication.tags) ?? true else {
                    turn.counters.filtered += 1
                    continue
                }
                passing[streamed.framing, default: []].append(place)
            }
            text.removeAll(keepingCapacity: true)
            CentrifugePush.appendPublication(publication, encoding: .json, to: &text)
            for (framing, places) in passing {
                turn.counters.deliveries += UInt64(places.count)
                turn.clearOutput()
                framing.append(text, to: &turn.output)
                FanOut.sendPiece(to: places, &connections, &turn)
            }
        }
    }

    // MARK: Deltas

    /// Sends subscribers that agreed to deltas the difference from the last publication that they
    /// received, and their first publication in full.
    private mutating func sendDeltas(
        _ run: ArraySlice<Publication>,
        _ number: Int32,
        _ hub: inout LoopTopics,
        _ connections: inout Connections,
        _ turn: inout Turn
    ) {
        let topic = run[run.startIndex].topic
        var encodings: [ClientEncoding] = []
        for encoding in ClientEncoding.allCases
        where !hub.subscribers(ofTopicNumbered: number, form: encoding.deltaFirst).isEmpty
            || !hub.subscribers(ofTopicNumbered: number, form: encoding.delta).isEmpty
        {
            encodings.append(encoding)
        }
        guard !encodings.isEmpty else { return forgetBase(of: topic) }
        for publication in run {
            let difference = difference(of: publication)
            for encoding in encodings {
                let (first, next) = (encoding.deltaFirst, encoding.delta)
                sendDelta(publication, .full, encoding, to: first, hub, &connections, &turn)
                sendDelta(publication, difference, encoding, to: next, hub, &connections, &turn)
                hub.moveAll(of: topic, from: first, to: next)
            }
            deltaBases[topic] = publication.payload
        }
    }

    private mutating func sendDelta(
        _ publication: Publication,
        _ delta: CentrifugePush.DeltaForm,
        _ encoding: ClientEncoding,
        to form: WireForm,
        _ hub: borrowing LoopTopics,
        _ connections: inout Connections,
        _ turn: inout Turn
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
        appendFrame(encoding, &turn)
        FanOut.sendPiece(to: places, &connections, &turn)
    }

    /// In full if the publisher does not allow a difference, or the difference would be longer.
    private func difference(of publication: Publication) -> CentrifugePush.DeltaForm {
        guard publication.allowsDelta, let base = deltaBases[publication.topic] else {
            return .full
        }
        let difference = FossilDelta.encode(from: base, to: publication.payload)
        return difference.count < publication.payload.count ? .difference(difference) : .full
    }

    /// Lets the next publication of a topic go out in full.
    package mutating func forgetBase(of topic: Topic) {
        if !deltaBases.isEmpty { deltaBases[topic] = nil }
    }

    // MARK: Frames

    /// Appends the frame of a publication to the output.
    private mutating func append(
        _ publication: Publication,
        _ encoding: ClientEncoding,
        _ turn: inout Turn
    ) {
        text.removeAll(keepingCapacity: true)
        CentrifugePush.appendPublication(publication, encoding: encoding, to: &text)
        appendFrame(encoding, &turn)
    }

    /// Appends `text` as a frame to the output.
    private func appendFrame(_ encoding: ClientEncoding, _ turn: inout Turn) {
        FrameHeader.appendUnmasked(
            opcode: encoding == .json ? .text : .binary,
            payloadLength: text.count,
            to: &turn.output
        )
        turn.output.append(contentsOf: text)
    }

    private static func appendText(_ payload: [UInt8], _ turn: inout Turn) {
        FrameHeader.appendUnmasked(
            opcode: .text,
            payloadLength: payload.count,
            to: &turn.output
        )
        turn.output.append(contentsOf: payload)
    }

    private mutating func appendCloudEvent(
        _ publication: Publication,
        _ hub: borrowing LoopTopics,
        _ turn: inout Turn
    ) {
        text.removeAll(keepingCapacity: true)
        CloudEventsEncoder.appendPublication(
            publication,
            epoch: hub.position(of: publication.topic).epoch,
            to: &text
        )
        appendFrame(.json, &turn)
    }

    /// Appends the frame compressed, unless it is too short to benefit.
    private mutating func appendDeflated(
        _ publication: Publication,
        windowBits: Int,
        _ turn: inout Turn
    ) {
        let start = turn.output.count
        text.removeAll(keepingCapacity: true)
        CentrifugePush.appendPublication(publication, encoding: .json, to: &text)
        turn.counters.uncompressedBytes += UInt64(text.count)
        if !deflatePool.appendShared(
            .text,
            text.span,
            windowBits: windowBits,
            to: &turn.output
        ) {
            appendFrame(.json, &turn)
        }
        turn.counters.compressedBytes += UInt64(turn.output.count - start)
    }

    private static func sendPiece(
        to places: [Int32],
        _ connections: inout Connections,
        _ turn: inout Turn
    ) {
        let range = connections.stage(turn.output)
        places.withUnsafeBufferPointer { connections.send(range, toEach: $0) }
        turn.clearOutput()
    }

    // MARK: Samples

    /// Sends a sample of the statistics to the event streams that read `Topic.stats`. Readers that are held
    /// do not receive it.
    package mutating func sendSample(
        _ sample: [UInt8],
        _ hub: borrowing LoopTopics,
        through connections: inout Connections,
        _ turn: inout Turn
    ) {
        let places = hub.subscribers(of: .stats, form: .eventStream)
        guard !places.isEmpty else { return }
        turn.clearOutput()
        EventStreamEncoder.appendUnkept(.stats, sample, to: &turn.output)
        FanOut.sendPiece(to: places, &connections, &turn)
    }

    // MARK: Joins and leaves

    package mutating func addListener(_ place: UInt32, to topic: Topic) {
        listeners[topic, default: []].insert(place)
    }

    package mutating func removeListener(_ place: UInt32, of topic: Topic) {
        listeners[topic]?.remove(place)
        if listeners[topic]?.isEmpty == true { listeners[topic] = nil }
    }

    /// Sends a join or leave to the subscribers that requested them.
    package mutating func announce(
        _ topic: Topic,
        _ info: ClientInfo,
        isJoin: Bool,
        through connections: inout Connections,
        to sessions: [Session],
        _ turn: inout Turn
    ) {
        guard let places = listeners[topic] else { return }
        var messages: [ClientEncoding: [UInt8]] = [:]
        for place in places {
            guard let id = connections.id(at: place),
                let session = sessions.client(at: Int32(place), in: connections),
                session.machine.isOpen
            else { continue }
            let encoding = session.encoding
            let message =
                messages[encoding]
                ?? (isJoin
                    ? CentrifugePush.join(topic, info, encoding: encoding)
                    : CentrifugePush.leave(topic, info, encoding: encoding))
            messages[encoding] = message
            turn.clearOutput()
            let length = session.machine.push(message, &turn)
            turn.countWork(length)
            connections.send(turn.output, on: id)
            turn.clearOutput()
        }
    }

    // MARK: Returning clients

    /// Returns what a returning client receives, which others that come back from the same position share.
    package mutating func recovered(
        _ publications: [Publication],
        usesDelta: Bool,
        _ encoding: ClientEncoding
    ) -> RecoveredPublications? {
        recoveryCache.recovered(publications, usesDelta: usesDelta, encoding)
    }

    // MARK: Slow readers

    /// Notes a slow reader that has read its queue, and has missed more.
    package mutating func addCatchingUp(_ id: ConnectionID) { catchingUp.append(id) }

    package mutating func takeCatchingUp() -> [ConnectionID] {
        defer { catchingUp = [] }
        return catchingUp
    }

    // MARK: Busy topics

    /// For tests.
    package var isWatchingBusyTopics: Bool { busyTopics != nil }

    /// Counts publications of one topic, if the busiest topics are watched.
    package mutating func noteBusy(_ topic: Topic, _ run: ArraySlice<Publication>, now: Int64) {
        guard busyTopics != nil else { return }
        guard busyTopics?.isWatched(now: now) == true else { return busyTopics = nil }
        busyTopics?.add(
            topic,
            publications: run.count,
            bytes: run.reduce(0) { $0 + $1.payload.count },
            now: now
        )
    }

    /// Watches the busiest topics, and returns their counts so far.
    package mutating func watchBusyTopics(now: Int64) -> BusyTopics {
        var counts = busyTopics ?? BusyTopics(now: now)
        if !counts.isWatched(now: now) { counts = BusyTopics(now: now) }
        counts.watch(now: now)
        busyTopics = counts
        return counts
    }
}

extension [Session] {
    /// The client at a place, if it is open.
    func client(at place: Int32, in connections: borrowing Connections) -> ClientSession? {
        guard place >= 0, Int(place) < count, case .client(let session) = self[Int(place)],
            connections.id(at: UInt32(place)) != nil
        else { return nil }
        return session
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
