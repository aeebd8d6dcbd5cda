import ClientWire
import Expectations

@Suite("Server API: limits, each at its value and one over it", .timeLimit(.minutes(10)))
struct ServerAPILimitTests {
    private let limits = ServerAPILimits(
        channelsMax: 3,
        commandsMax: 4,
        publicationsMax: 6,
        tagsMax: 2,
        tagLengthMax: 8,
        idempotencyKeyLengthMax: 5,
        nameLengthMax: 4,
        whitelistMax: 2,
        connectionsMax: 3,
        usersMax: 2
    )

    /// What the request is refused with; nil when it is not.
    private func refusal(_ method: ServerAPIMethod, _ body: String) -> ServerAPIError? {
        do throws(ServerAPIRequestError) {
            _ = try ServerAPIRequest(method, body: Array(body.utf8), limits: limits)
            return nil
        } catch {
            guard case .refused(let error) = error else {
                Issue.record("\(error)")
                return nil
            }
            return error
        }
    }

    private func list(_ element: String, _ count: Int) -> String {
        "[" + repeatElement(element, count: count).joined(separator: ",") + "]"
    }

    @Test func connectionsOfAList() {
        expectNil(refusal(.connections, "{}"))
        expectNil(refusal(.connections, #"{"limit":3}"#))
        expectEqual(
            refusal(.connections, #"{"limit":4}"#),
            ServerAPIError(.badRequest, "limit: 4 is not in 1 to 3")
        )
        expectNil(refusal(.connections, #"{"limit":1,"user":"four"}"#))
        expect(refusal(.connections, #"{"limit":1,"user":"five5"}"#) != nil)
    }

    @Test func usersOfAStatus() {
        let body = { (count: Int) in #"{"users":\#(list(#""four""#, count))}"# }
        expectNil(refusal(.getUserStatus, body(2)))
        expectEqual(
            refusal(.getUserStatus, body(3)),
            ServerAPIError(.limitExceeded, "users: 3 users over limit 2")
        )
        expectEqual(
            refusal(.getUserStatus, #"{"users":["five5"]}"#),
            ServerAPIError(.limitExceeded, "users[0]: 5 bytes over limit 4")
        )
    }

    @Test func channelsOfABroadcast() {
        let body = { (count: Int) in
            #"{"channels":\#(list(#""chat:1""#, count)),"data":1}"#
        }
        expectNil(refusal(.broadcast, body(3)))
        expectEqual(
            refusal(.broadcast, body(4)),
            ServerAPIError(.limitExceeded, "channels: 4 channels over limit 3")
        )
    }

    @Test func commandsOfABatch() {
        let body = { (count: Int) in #"{"commands":\#(list(#"{"info":{}}"#, count))}"# }
        expectNil(refusal(.batch, body(4)))
        expectEqual(
            refusal(.batch, body(5)),
            ServerAPIError(.limitExceeded, "commands: 5 commands over limit 4")
        )
    }

    @Test func publicationsOfABatchOfBroadcasts() {
        let command = { (count: Int) in
            #"{"broadcast":{"channels":\#(list(#""chat:1""#, count)),"data":1}}"#
        }
        expectNil(refusal(.batch, #"{"commands":[\#(command(3)),\#(command(3))]}"#))
        expectEqual(
            refusal(.batch, #"{"commands":[\#(command(3)),\#(command(3)),\#(command(1))]}"#),
            ServerAPIError(.limitExceeded, "commands: more than 6 publications")
        )
    }

    @Test(
        arguments: [
            (#"{"a":"1","b":"2"}"#, nil),
            (#"{"a":"1","b":"2","c":"3"}"#, "tags: 3 tags over limit 2"),
            (#"{"a":"1234567"}"#, nil), (#"{"12345678":""}"#, nil),
            (#"{"a":"12345678"}"#, "tags.a: 9 bytes over limit 8"),
            (#"{"a":"åååå"}"#, "tags.a: 9 bytes over limit 8"),
        ] as [(String, String?)]
    )
    func tagsOfAPublication(tags: String, message: String?) {
        expectEqual(
            refusal(.publish, #"{"channel":"chat:1","data":1,"tags":\#(tags)}"#),
            message.map { ServerAPIError(.limitExceeded, $0) }
        )
    }

    @Test(arguments: ["idempotency_key", "version_epoch"])
    func keysOfAPublication(field: String) {
        let body = { (text: String) in #"{"channel":"chat:1","data":1,"\#(field)":"\#(text)"}"# }
        expectNil(refusal(.publish, body("12345")))
        expectEqual(
            refusal(.publish, body("123456")),
            ServerAPIError(.limitExceeded, "\(field): 6 bytes over limit 5")
        )
    }

    @Test(arguments: ["user", "client", "session"])
    func namesOfConnections(field: String) {
        let body = { (text: String) in #"{"user":"u","\#(field)":"\#(text)"}"# }
        expectNil(refusal(.disconnect, body("1234")))
        expectEqual(
            refusal(.disconnect, body("12345")),
            ServerAPIError(.limitExceeded, "\(field): 5 bytes over limit 4")
        )
    }

    @Test func sparedClientsOfADisconnect() {
        let body = { (count: Int) in #"{"user":"u","whitelist":\#(list(#""c""#, count))}"# }
        expectNil(refusal(.disconnect, body(2)))
        expectEqual(
            refusal(.disconnect, body(3)),
            ServerAPIError(.limitExceeded, "whitelist: 3 clients over limit 2")
        )
    }

    @Test func reasonOfADisconnectFitsACloseFrame() {
        let body = { (length: Int) in
            let reason = String(repeating: "r", count: length)
            return #"{"user":"u","disconnect":{"code":4000,"reason":"\#(reason)"}}"#
        }
        expectNil(refusal(.disconnect, body(123)))
        expectEqual(
            refusal(.disconnect, body(124)),
            ServerAPIError(.limitExceeded, "reason: 124 bytes over limit 123")
        )
    }

    @Test func longFieldIsNotEchoedInTheError() {
        let name = String(repeating: "n", count: 1000)
        let error = refusal(.publish, #"{"channel":"chat:1","data":1,"tags":{"\#(name)":"1"}}"#)
        expect(error?.message.utf8.count ?? .max < 128)
        let digits = String(repeating: "9", count: 1000)
        let number = refusal(.publish, #"{"channel":"chat:1","data":1,"version":\#(digits)}"#)
        expect(number?.message.utf8.count ?? .max < 128)
    }
}
