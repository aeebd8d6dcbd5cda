import HTTPWire
import Tracing

extension HTTPRequestHead {
    /// The trace that the request belongs to; nil without a valid header, and with several.
    ///
    /// W3C Trace Context §4.3: a header that cannot be read counts as missing, and does not fail the request.
    package var traceParent: TraceParent? {
        guard headers.contains(TraceParent.name) else { return nil }
        let values = headers.all(TraceParent.name)
        return values.count == 1 ? TraceParent(values[0]) : nil
    }
}
