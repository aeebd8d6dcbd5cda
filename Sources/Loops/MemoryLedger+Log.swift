import Service

extension MemoryBudget {
    /// Logs a loss, with the earlier ones of its kind.
    ///
    /// - Parameter histories: the bytes of all histories.
    package func log(
        _ loss: MemoryLedger.Loss,
        _ lost: (count: Int, bytes: Int),
        histories: Int,
        to logger: Logger
    ) {
        switch loss {
        case .messages:
            logger.warning(
                "memory limit reached, unfinished messages given up",
                metadata: [
                    "limit": .stringConvertible(limit),
                    "held": .stringConvertible(held),
                    "connections": .stringConvertible(lost.count),
                    "bytes": .stringConvertible(lost.bytes),
                ]
            )
        case .queues:
            logger.warning(
                "memory limit reached, slow connections ended",
                metadata: [
                    "limit": .stringConvertible(limit),
                    "held": .stringConvertible(held),
                    "connections": .stringConvertible(lost.count),
                    "bytes": .stringConvertible(lost.bytes),
                ]
            )
        case .answers:
            logger.warning(
                "memory limit reached, long responses given up",
                metadata: [
                    "limit": .stringConvertible(limit),
                    "held": .stringConvertible(held),
                    "connections": .stringConvertible(lost.count),
                    "bytes": .stringConvertible(lost.bytes),
                ]
            )
        case .histories:
            logger.warning(
                "memory limit reached, oldest publications of the largest topics evicted",
                metadata: [
                    "limit": .stringConvertible(limit),
                    "histories": .stringConvertible(histories),
                    "publications": .stringConvertible(lost.count),
                ]
            )
        }
    }
}
