import Core

extension MetricsText {
    mutating func write(toys count: Int) {
        metric("hub_toys", .gauge, "Toys that people have.", UInt64(count))
    }
}
