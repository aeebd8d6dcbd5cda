import ClientWire
import Store

extension ServerAPIError {
    /// The error that a publisher receives for a failed commit. The log has the details.
    package init(storing error: any Error) {
        let code = (error as? StoreError)?.code
        // The message has to say that a retry needs an idempotency key.
        self.init(
            ProtocolError(storing: error),
            code == .fateUnknown ? StoreError.Code.fateUnknown.summary : nil
        )
    }
}
