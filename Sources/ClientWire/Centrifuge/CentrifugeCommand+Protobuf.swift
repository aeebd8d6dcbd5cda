import FoundationEssentials
import SwiftProtobuf

extension CentrifugeCommand {
    /// Reads one message, without its length. Fields that are not known are skipped; two methods are
    /// refused. A field that has its default counts as left out, for it is not on the wire.
    init(protobuf message: ArraySlice<UInt8>) throws(CommandError) {
        let wire: WireCommand
        do {
            wire = try WireCommand(serializedBytes: Array(message))
        } catch {
            throw .notProtobuf
        }
        id = wire.id
        let methods = Self.methods(of: wire)
        guard methods.count <= 1 else { throw .severalMethods }
        if let method = methods.first {
            self.method = method
        } else if id != 0 || !wire.unknownFields.data.isEmpty {
            method = .unknown
        }
    }

    private static func methods(of wire: WireCommand) -> [Method] {
        var methods: [Method] = []
        if wire.hasConnect { methods.append(connect(wire.connect)) }
        if wire.hasSubscribe { methods.append(subscribe(wire.subscribe)) }
        if wire.hasUnsubscribe { methods.append(.unsubscribe(channel: wire.unsubscribe.channel)) }
        if wire.hasPublish { methods.append(publish(wire.publish)) }
        if wire.hasPresence { methods.append(.presence(channel: wire.presence.channel)) }
        if wire.hasPresenceStats {
            methods.append(.presenceStats(channel: wire.presenceStats.channel))
        }
        if wire.hasHistory { methods.append(.history(history(wire.history))) }
        if wire.hasPing { methods.append(.notOffered) }
        if wire.hasSend {
            methods.append(withJSON(wire.send.data) { .send(data: $0) })
        }
        if wire.hasRpc {
            methods.append(withJSON(wire.rpc.data) { .rpc(method: wire.rpc.method, data: $0) })
        }
        if wire.hasRefresh { methods.append(.refresh(token: wire.refresh.token)) }
        if wire.hasSubRefresh { methods.append(subRefresh(wire.subRefresh)) }
        return methods
    }

    private static func connect(_ wire: WireConnectRequest) -> Method {
        withJSON(wire.data) { data in
            .connect(
                ConnectFields(
                    token: wire.token,
                    name: wire.name,
                    version: wire.version,
                    data: data,
                    subscriptions: wire.subs.mapValues { fields($0, data: nil) }
                )
            )
        }
    }

    private static func subscribe(_ wire: WireSubscribeRequest) -> Method {
        guard wire.type == 0 else { return .notOffered }
        return withJSON(wire.data) { .subscribe(fields(wire, data: $0)) }
    }

    private static func fields(_ wire: WireSubscribeRequest, data: [UInt8]?) -> SubscribeFields {
        SubscribeFields(
            channel: wire.channel,
            token: wire.token,
            recover: wire.recover,
            offset: wire.offset,
            epoch: wire.epoch,
            data: data,
            joinLeave: wire.joinLeave,
            delta: wire.delta,
            filter: wire.hasTf ? wire.tf : nil,
            flags: UInt64(bitPattern: wire.flag)
        )
    }

    private static func publish(_ wire: WirePublishRequest) -> Method {
        guard wire.type == 0 else { return .notOffered }
        return withJSON(wire.data) { .publish(PublishFields(channel: wire.channel, data: $0)) }
    }

    private static func history(_ wire: WireHistoryRequest) -> HistoryFields {
        HistoryFields(
            channel: wire.channel,
            limit: wire.limit,
            since: wire.hasSince
                ? Position(offset: wire.since.offset, epoch: wire.since.epoch) : nil,
            reverse: wire.reverse
        )
    }

    private static func subRefresh(_ wire: WireSubRefreshRequest) -> Method {
        guard wire.type == 0 else { return .notOffered }
        return .subRefresh(channel: wire.channel, token: wire.token)
    }

    /// The method for data that are left out or are one JSON value: the data of one client must fit
    /// into messages to other clients, which may use JSON.
    private static func withJSON(_ data: Data, _ method: ([UInt8]?) -> Method) -> Method {
        guard !data.isEmpty else { return method(nil) }
        let bytes = [UInt8](data)
        return isOneJSONValue(bytes) ? method(bytes) : .dataNotJSON
    }
}

/// Whether bytes are one JSON text in UTF-8 (RFC 8259 §8.1).
private func isOneJSONValue(_ bytes: [UInt8]) -> Bool {
    let wrapped = [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
    guard let elements = try? JSONReader.elements(of: wrapped[...]) else { return false }
    return elements.count == 1 && String(validating: bytes, as: UTF8.self) != nil
}
