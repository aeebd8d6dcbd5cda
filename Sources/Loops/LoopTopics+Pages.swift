import ClientWire

extension LoopTopics {
    /// Returns a page of a topic's history, which is empty for a topic without publications.
    package func page(
        of topic: Topic,
        _ range: HistoryRange,
        countMax: Int
    ) -> Result<HistoryPage, ProtocolError> {
        guard let history = history(of: topic) else {
            return .success(HistoryPage(publications: [], position: position(of: topic)))
        }
        do throws(HistoryPageError) {
            var range = range
            range.since = range.since.map { renamed($0, of: topic) }
            return .success(
                try history.page(
                    range,
                    countMax: countMax,
                    bytesMax: limits.recoveryBytesMax
                )
            )
        } catch {
            switch error {
            case .otherEpoch: return .failure(.unrecoverablePosition)
            case .nothingBeforeOffsetZero: return .failure(.badRequest)
            }
        }
    }
}
