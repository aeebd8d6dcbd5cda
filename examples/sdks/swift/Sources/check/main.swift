// Runs centrifuge-swift against a hub: connect, subscribe, publish, recover after a restart.
// The steps are those of ../js/check.js. Arguments: HUB_URL CHANNEL
import Foundation
import SwiftCentrifuge

func fail(_ reason: String) -> Never {
    print("failed: \(reason)")
    exit(1)
}

final class ClientDelegate: CentrifugeClientDelegate {}

final class SubscriptionDelegate: CentrifugeSubscriptionDelegate {
    private var seen: [String] = []

    func onSubscribed(_ subscription: CentrifugeSubscription, _ event: CentrifugeSubscribedEvent) {
        if event.wasRecovering {
            if !event.recovered { fail("not recovered") }
        } else {
            publish(subscription, 1)
        }
    }

    private func publish(_ subscription: CentrifugeSubscription, _ number: Int) {
        subscription.publish(data: Data("{\"n\":\(number)}".utf8)) { result in
            if case .failure(let error) = result { fail("\(error)") }
            if number == 1 { self.publish(subscription, 2) }
        }
    }

    func onPublication(
        _ subscription: CentrifugeSubscription,
        _ event: CentrifugePublicationEvent
    ) {
        seen.append(String(decoding: event.data, as: UTF8.self))
        print("publication \(seen.count)")
        guard seen.last == "{\"n\":\(seen.count)}" else { fail("received \(seen)") }
        if seen.count == 2 { print("ready") }
        if seen.count == 3 {
            print("passed")
            exit(0)
        }
    }
}

setvbuf(stdout, nil, _IOLBF, 0)
let url = "ws" + CommandLine.arguments[1].dropFirst("http".count) + "/connection/websocket"
let clientDelegate = ClientDelegate()
let subscriptionDelegate = SubscriptionDelegate()
let client = CentrifugeClient(
    endpoint: url,
    config: CentrifugeClientConfig(),
    delegate: clientDelegate
)
let subscription = try client.newSubscription(
    channel: CommandLine.arguments[2],
    delegate: subscriptionDelegate
)
subscription.subscribe()
client.connect()
RunLoop.main.run(until: Date(timeIntervalSinceNow: 60))
fail("not done within 60 s")
