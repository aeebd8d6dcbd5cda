import CLibXML

/// Parses a document with libxml2's HTML parser, which calls the handler's callbacks. It repairs
/// invalid HTML, and loads nothing.
///
/// - Parameters:
///   - html: valid UTF-8 without NUL.
///   - handler: its callbacks get `reader` as `userData`, unretained: `htmlReader(_:)` gives it back.
///   - willStart: receives the context before the first callback, for `xmlStopParser`. It is valid
///     until `readHTML` returns.
func readHTML(
    _ html: [UInt8],
    _ handler: xmlSAXHandler,
    for reader: AnyObject,
    _ willStart: (htmlParserCtxtPtr) -> Void
) {
    initialized
    guard let context = htmlNewParserCtxt() else { return }
    defer { htmlFreeParserCtxt(context) }
    context.pointee.sax.pointee = handler
    // Unsafe: libxml2 keeps the pointer without a reference; the caller holds `reader` until after the
    // context is freed.
    context.pointee.userData = Unmanaged.passUnretained(reader).toOpaque()
    willStart(context)
    let options =
        HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
        | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
    // Unsafe: libxml2 reads the bytes before the call returns.
    html.withUnsafeBytes { html in
        let start = html.bindMemory(to: CChar.self).baseAddress
        let count = Int32(html.count)
        xmlFreeDoc(htmlCtxtReadMemory(context, start, count, nil, "UTF-8", Int32(options)))
    }
}

/// The reader of `readHTML`, in one of its callbacks.
func htmlReader<Reader: AnyObject>(_ context: UnsafeMutableRawPointer?) -> Reader {
    // Unsafe: `readHTML` has set it, and keeps it alive while callbacks run.
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
}

private let initialized: Void = xmlInitParser()
