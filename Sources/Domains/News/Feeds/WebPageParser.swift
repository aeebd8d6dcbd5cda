import CLibXML

/// Passes the elements and texts of one HTML document to a `WebPageBuilder`, by libxml2's HTML
/// parser.
final class WebPageParser {
    private(set) var builder: WebPageBuilder
    /// Unsafe: valid only within `read`, which frees it.
    private var context: htmlParserCtxtPtr?

    init(_ builder: WebPageBuilder) { self.builder = builder }

    /// - Parameter html: valid UTF-8 without NUL.
    func read(_ html: [UInt8]) {
        readHTML(html, WebPageParser.handler, for: self) { context = $0 }
        context = nil
    }

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElement = { context, name, fields in
            let parser: WebPageParser = htmlReader(context)
            let attributes = WebPageAttributes(fields: fields)
            guard parser.builder.start(String(cString: name!), attributes) else {
                return xmlStopParser(parser.context)
            }
        }
        handler.endElement = { context, name in
            let parser: WebPageParser = htmlReader(context)
            parser.builder.end(String(cString: name!))
        }
        handler.characters = { context, bytes, count in
            let parser: WebPageParser = htmlReader(context)
            parser.builder.characters(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        // Without it libxml2 prints errors; no HTML is an error here.
        handler.serror = { _, _ in }
        return handler
    }
}

/// The attributes of an element during the callback that has them.
///
/// Unsafe: libxml2 passes pairs of pointers to a name and a value, which is nil for an attribute
/// without one. A nil name ends them. They are valid only during the callback, so values are copied
/// out.
struct WebPageAttributes {
    /// A longer value is cut.
    private static let lengthMax = 4096

    var fields: UnsafeMutablePointer<UnsafePointer<UInt8>?>?

    /// The value of an attribute, empty for one without a value; nil if there is none.
    ///
    /// - Parameter name: in lower case, as libxml2 passes names.
    subscript(name: StaticString) -> String? {
        guard let fields else { return nil }
        var index = 0
        while let other = fields[index] {
            if xmlStrcmp(other, name.utf8Start) == 0 { return value(fields[index + 1]) }
            index += 2
        }
        return nil
    }

    private func value(_ text: UnsafePointer<UInt8>?) -> String {
        guard let text else { return "" }
        let count = min(length(text), WebPageAttributes.lengthMax)
        return String(
            decoding: wholeScalars(Array(UnsafeBufferPointer(start: text, count: count))),
            as: UTF8.self
        )
    }
}
