extension FeedProblem {
    func log(to logger: Logger) {
        logger.warning(
            status == .stopped ? "feed stopped" : "feed failed",
            metadata: [
                "feed": "\(feed)", "reason": "\(reason)", "status": "\(status.rawValue)",
                "failures": .stringConvertible(consecutiveFailures),
                "next_attempt": "\(nextAttempt.iso8601Seconds)",
            ]
        )
    }
}
