/// The commands in the query of a GET request that opens a stream: connect and subscribe.
///
/// An image or a link on any page makes such a request, so the query carries out nothing else. All
/// other commands come in requests of their own (`EmulationRequest`), which name their page.
///
/// Source: protocol/README.md, Without a WebSocket.
package enum OpeningCommands {
    /// Returns the position of the first command of another method, which counts from 1; nil if
    /// there is none. A message that is no command ends the session later.
    package static func firstOther(in commands: [UInt8]) -> Int? {
        var rest = commands[...]
        var count = 0
        while !rest.isEmpty {
            guard case .message(let message) = ClientEncoding.json.cutMessage(&rest) else {
                continue
            }
            count += 1
            guard let command = try? CentrifugeCommand(json: message) else { continue }
            switch command.method {
            case .none, .connect, .subscribe: continue
            case .unsubscribe, .publish, .presence, .presenceStats, .history, .rpc, .send,
                .refresh, .subRefresh, .dataNotJSON, .notOffered, .unknown:
                return count
            }
        }
        return nil
    }
}
