import ClientWire
import FuzzKit

extension FuzzTarget {
    static let serverAPITargets = [
        FuzzTarget("server-api", lengthMax: 2048, dictionary: "server-api") {
            try checkServerAPI($0)
        },
        FuzzTarget("topic-glob", lengthMax: 600, dictionary: "server-api") {
            try checkTopicGlob($0)
        },
    ]
}

/// Tight enough for an input to reach each of them.
private let tight = ServerAPILimits(
    channelsMax: 3,
    commandsMax: 4,
    publicationsMax: 5,
    tagsMax: 2,
    tagLengthMax: 8,
    idempotencyKeyLengthMax: 5,
    nameLengthMax: 4,
    whitelistMax: 2,
    connectionsMax: 2
)

/// The content of a request, read as one of each method: a request within the limits, or an error that
/// says why not and can be sent.
private func checkServerAPI(_ bytes: [UInt8]) throws {
    let isText = String(validating: bytes, as: UTF8.self) != nil
    for limits in [ServerAPILimits(), tight] {
        for method in ServerAPIMethod.allCases {
            let read = Result { () throws(ServerAPIRequestError) in
                try ServerAPIRequest(method, body: bytes, limits: limits)
            }
            switch read {
            case .success(let request):
                try expect(isText, "accepted what is not UTF-8")
                try check(request, limits)
            case .failure(let error): try check(error, method, bytes)
            }
        }
    }
}

private func check(
    _ error: ServerAPIRequestError,
    _ method: ServerAPIMethod,
    _ bytes: [UInt8]
) throws {
    let lengthMax = 1024
    switch error {
    case .notJSON(let reason):
        try expect(!reason.isEmpty && reason.utf8.count < lengthMax, reason)
        let isJSON = (try? JSONReader.value(of: bytes[...])) != nil
        let isText = String(validating: bytes, as: UTF8.self) != nil
        try expect(!isJSON || !isText, "\(method): refused JSON")
    case .refused(let error):
        try expect(!error.message.isEmpty && error.message.utf8.count < lengthMax, error.message)
        try check(reply: ServerAPIReply.encode(.failure(error)))
    }
}

private func check(reply: [UInt8]) throws {
    let fields = try JSONReader.fields(of: reply[...])
    try expect(fields.count == 1, "\(fields.count) keys in a reply")
    try expect(String(validating: reply, as: UTF8.self) != nil, "a reply that is not UTF-8")
}

private func check(_ request: ServerAPIRequest, _ limits: ServerAPILimits) throws {
    switch request {
    case .publish(let publication): try check(publication, limits)
    case .broadcast(let broadcast):
        let count = broadcast.publications.count
        try expect((1...limits.channelsMax).contains(count), "\(count) channels")
        for case .success(let publication) in broadcast.publications {
            try check(publication, limits)
        }
    case .subscribe(let subscribe):
        try check(subscribe.connections, limits)
        for text in [subscribe.options.info, subscribe.options.data] {
            if let text { try check(json: text) }
        }
    case .unsubscribe(let connections, from: _): try check(connections, limits)
    case .disconnect(let disconnect):
        try check(disconnect.connections, limits)
        try expect(disconnect.spared.count <= limits.whitelistMax, "whitelist")
        try expect((3000...4999).contains(disconnect.code.code), "code \(disconnect.code.code)")
        try expect(disconnect.code.reason.utf8.count <= 123, "a reason that no frame holds")
    case .refresh(let refresh):
        try check(refresh.connections, limits)
        if let info = refresh.info { try check(json: info) }
    case .history(let history):
        if case .count(let count) = history.limit { try expect(count > 0, "limit \(count)") }
    case .batch(let batch):
        try expect(batch.commands.count <= limits.commandsMax, "\(batch.commands.count) commands")
        for case .success(let command) in batch.commands {
            try expect(command.method != .batch, "a batch in a batch")
            try check(command.request, limits)
        }
    case .historyErase(let erasure):
        let length = erasure.tag.utf8.count + erasure.value.utf8.count
        try expect(length <= limits.tagLengthMax, "a tag of \(length) bytes")
    case .connections(let list):
        try expect((1...limits.connectionsMax).contains(list.limit), "limit \(list.limit)")
        let length = list.user?.utf8.count ?? 1
        try expect((1...limits.nameLengthMax).contains(length), "name of \(length) bytes")
    case .revoke(let revoking):
        let name =
            switch revoking {
            case .token(let id, _): id
            case .tokens(let user, _, _), .block(let user, _), .unblock(let user): user
            }
        try expect((1...limits.nameLengthMax).contains(name.utf8.count), "a name of \(name)")
    case .userStatuses(of: let users):
        try expect(users.count <= limits.usersMax, "\(users.count) users")
        for user in users {
            let length = user.utf8.count
            try expect((1...limits.nameLengthMax).contains(length), "name of \(length) bytes")
        }
    case .presence, .presenceStats, .historyRemove, .channels, .info: break
    }
}

private func check(_ publication: NewPublication, _ limits: ServerAPILimits) throws {
    try check(json: publication.data)
    try expect(publication.tags.count <= limits.tagsMax, "\(publication.tags.count) tags")
    for (key, text) in publication.tags {
        try expect(key.utf8.count + text.utf8.count <= limits.tagLengthMax, "tag \(key)")
    }
    let keyLength = publication.idempotencyKey?.utf8.count ?? 1
    try expect((1...limits.idempotencyKeyLengthMax).contains(keyLength), "key of \(keyLength)")
    try expect(publication.version?.number != 0, "version 0")
}

private func check(
    _ connections: ServerAPIRequest.Connections,
    _ limits: ServerAPILimits
) throws {
    for name in [connections.user, connections.client ?? "-", connections.session ?? "-"] {
        try expect(name.utf8.count <= limits.nameLengthMax, "name of \(name.utf8.count) bytes")
    }
    try expect(connections.client != "" && connections.session != "", "an empty id")
}

private func check(json: [UInt8]) throws {
    let value = try JSONReader.value(of: json[...])
    try expect(value.count == json.count, "space around a value")
    try expect(String(validating: json, as: UTF8.self) != nil, "a value that is not UTF-8")
}

/// A pattern, a line end, a topic: they match as a plain matcher says that follows all ways at once.
private func checkTopicGlob(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let pattern = String(decoding: parts[0], as: UTF8.self)
    guard let glob = try? TopicGlob(pattern), parts.count == 2,
        let topic = try? Topic(String(decoding: parts[1], as: UTF8.self))
    else { return }
    // Sets have their own tests; the reference knows none.
    guard !pattern.contains("[") else { return }
    let expected = matches(Array(pattern.utf8)[...], Array(topic.name.utf8))
    try expect(glob.matches(topic) == expected, "\(pattern) and \(topic)")
}

private func matches(_ pattern: ArraySlice<UInt8>, _ text: [UInt8]) -> Bool {
    var pattern = pattern
    /// Where in the text what was read of the pattern may end.
    var ends: Set<Int> = [0]
    while let first = pattern.popFirst() {
        switch first {
        case UInt8(ascii: "*"): ends = ends.min().map { Set($0...text.count) } ?? []
        case UInt8(ascii: "?"): ends = Set(ends.filter { $0 < text.count }.map { $0 + 1 })
        default:
            let byte = first == UInt8(ascii: "\\") ? pattern.popFirst() : first
            ends = Set(ends.filter { $0 < text.count && text[$0] == byte }.map { $0 + 1 })
        }
    }
    return ends.contains(text.count)
}
