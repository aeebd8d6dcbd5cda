import Wire

extension HTTPRequestHead {
    /// The trace that the request belongs to; nil if there is no valid header, or several.
    ///
    /// W3C Trace Context §4.3: an invalid header counts as missing, and the request does not fail.
    package var traceParent: TraceParent? {
        guard headers.contains(TraceParent.name) else { return nil }
        let values = headers.all(TraceParent.name)
        return values.count == 1 ? TraceParent(values[0]) : nil
    }
}
