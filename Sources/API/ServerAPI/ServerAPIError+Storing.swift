import ClientWire
import Store

extension ServerAPIError {
    /// Creates the error that a publisher receives for a failed commit. The log has the details.
    package init(storing error: any Error) {
        let code = (error as? StoreError)?.code
        // The message must state that a retry needs an idempotency key.
        self.init(
            ProtocolError(storing: error),
            code == .fateUnknown ? StoreError.Code.fateUnknown.summary : nil
        )
    }
}
