import Reactor

/// What every world is made of before anybody lives in it.
struct WorldElements {
    let seed: UInt64
    let trace = Trace()
    let time = SimulatedTime()
    let random: Randomness
    /// Some worlds are quiet, and some fall apart all the time.
    let faultsPerMille: Int
    /// Some have much to say.
    let isBusy: Bool

    init(seed: UInt64, keepsTrace: Bool) {
        self.seed = seed
        random = Randomness(seed: seed)
        faultsPerMille = random.pick([1, 5, 20])
        isBusy = random.chance(50)
        trace.keepsAll = keepsTrace
    }
}

/// What worlds have in common, and what clients know of the one that they live in.
package class ModelWorld {
    let seed: UInt64
    let trace: Trace
    let time: SimulatedTime
    let random: Randomness
    let faultsPerMille: Int
    let isBusy: Bool
    /// What the clients hold against the hubs.
    let ledger: Ledger
    /// To which clients connect.
    let hubs: [HubModel]
    /// Nothing breaks any more.
    var isCalm = false
    private var numbers = 0

    init(_ elements: WorldElements, ledger: Ledger, hubs: [HubModel]) {
        seed = elements.seed
        trace = elements.trace
        time = elements.time
        random = elements.random
        faultsPerMille = elements.faultsPerMille
        isBusy = elements.isBusy
        self.ledger = ledger
        self.hubs = hubs
    }

    /// The hub that a client connects to next.
    func pickHub() -> HubModel { hubs.count == 1 ? hubs[0] : random.pick(hubs) }

    /// A number that no one has had.
    func newNumber() -> Int {
        numbers += 1
        return numbers
    }

    /// JSON that no one has published.
    func newPayload(from name: String) -> [UInt8] {
        let length = random.chance(isBusy ? 40 : 5) ? random.below(4000) : random.below(200)
        let text = String(repeating: "x", count: length)
        return Array("{\"from\":\"\(name)\",\"n\":\(newNumber()),\"text\":\"\(text)\"}".utf8)
    }

    func writeSome(_ client: ModelClient) {
        client.write(bytesMax: random.chance(20) ? 1 + random.below(30) : .max)
    }

    func readSome(_ client: ModelClient) {
        client.read(bytesMax: random.chance(20) ? 1 + random.below(50) : 1 + random.below(16 << 10))
    }

    /// What may befall any client.
    func trouble(_ client: ModelClient) {
        switch random.below(3) {
        case 0: client.cut()
        case 1:
            client.stalledUntil = time.now + .seconds(random.below(20))
            trace.note("\(client.name) stops reading")
        default:
            client.partitionedUntil = time.now + .seconds(random.below(40))
            trace.note("\(client.name) is partitioned")
        }
    }

    /// Longer than every deadline of a hub.
    private static let restRounds = 8
    private static let restPause = Duration.seconds(10)

    /// Nothing happens any more, except that clients answer pings: all loops have to sleep.
    ///
    /// - Parameter advance: lets time pass everywhere.
    func rest(_ clients: [ModelClient], _ advance: (Duration) -> Void) {
        for _ in 0..<ModelWorld.restRounds where trace.violation == nil {
            for hub in hubs {
                for loop in 0..<hub.loopCount { hub.rest(loop: loop) }
            }
            for client in clients {
                for _ in 0..<4 { client.read(bytesMax: 16 << 10) }
                client.write(bytesMax: .max)
            }
            advance(ModelWorld.restPause)
        }
    }

    var outcome: WorldOutcome {
        WorldOutcome(
            seed: seed,
            violation: trace.violation,
            step: trace.step,
            lines: trace.lines,
            hash: trace.hash,
            happened: trace.happened
        )
    }
}
