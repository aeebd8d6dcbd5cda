import CLibXML

/// Feeds one XML document to a `FeedBuilder`, through libxml2's SAX2 interface.
///
/// One object reads one document, on one thread. libxml2 builds no tree, loads no DTD and opens no
/// file or connection: none of the callbacks that could do so is set. Entities of the document are
/// texts or nothing.
final class FeedXMLParser {
    private(set) var builder: FeedBuilder
    /// Whether the document broke a rule of XML or of its namespaces, or ended early.
    private(set) var isDamaged = false
    /// Unsafe: valid only within `parse`, which frees it.
    private var context: xmlParserCtxtPtr?
    private var names = ElementNames()
    /// Unsafe: the memory of the entity that `getEntity` returns last; libxml2 reads it before it
    /// goes on.
    private let entity: UnsafeMutablePointer<xmlEntity>
    private let entityContent: UnsafeMutablePointer<UInt8>
    private var declaredEntities: [String: String] = [:]

    init(builder: FeedBuilder) {
        self.builder = builder
        entity = .allocate(capacity: 1)
        entity.initialize(to: xmlEntity())
        entityContent = .allocate(capacity: FeedXMLParser.entityLengthMax + 1)
    }

    deinit {
        entity.deallocate()
        entityContent.deallocate()
    }

    /// Of the text that an entity stands for, in bytes. Entities for characters and for names are
    /// shorter. As they contain no references, a document cannot grow by more than this for each of
    /// them.
    private static let entityLengthMax = 128
    private static let entityCountMax = 256

    /// Once, before threads use libxml2
    /// (https://gnome.pages.gitlab.gnome.org/libxml2/devhelp/general.html, thread safety).
    private static let initialized: Void = xmlInitParser()

    /// - Parameter text: UTF-8, regardless of its XML declaration.
    func parse(_ text: [UInt8]) {
        FeedXMLParser.initialized
        // libxml2 accepts no white space before the declaration.
        let text = text.drop(while: isSpace)
        var handler = FeedXMLParser.handler
        // Unsafe: libxml2 keeps the pointer without a reference. `self` outlives the context, which
        // this function frees.
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        guard let context = xmlCreatePushParserCtxt(&handler, pointer, nil, 0, nil) else { return }
        self.context = context
        defer {
            self.context = nil
            xmlFreeDoc(context.pointee.myDoc)
            xmlFreeParserCtxt(context)
        }
        let options =
            XML_PARSE_NONET.rawValue | XML_PARSE_RECOVER.rawValue | XML_PARSE_IGNORE_ENC.rawValue
            | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        xmlCtxtUseOptions(context, Int32(options))
        // Unsafe: libxml2 copies the bytes. FeedLimits keeps the count within Int32.
        text.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            _ = xmlParseChunk(context, start, Int32(bytes.count), 0)
        }
        _ = xmlParseChunk(context, nil, 0, 1)
        if context.pointee.wellFormed == 0 || context.pointee.nsWellFormed == 0 { isDamaged = true }
    }

    // MARK: Callbacks

    private static func parser(_ context: UnsafeMutableRawPointer?) -> FeedXMLParser {
        // Unsafe: `parse` has passed `self`, and keeps it alive while callbacks run.
        Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    private static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { context, name, prefix, uri, _, _, count, _, attributes in
            FeedXMLParser.parser(context).start(
                XMLName(local: name!, prefix: prefix, uri: uri),
                XMLAttributes(fields: attributes, count: Int(count))
            )
        }
        handler.endElementNs = { context, _, _, _ in FeedXMLParser.parser(context).builder.end() }
        handler.characters = { context, bytes, count in
            FeedXMLParser.parser(context).text(bytes, count)
        }
        handler.cdataBlock = handler.characters
        handler.getEntity = { context, name in FeedXMLParser.parser(context).entity(name!) }
        handler.entityDecl = { context, name, kind, _, _, content in
            FeedXMLParser.parser(context).declareEntity(name!, kind, content)
        }
        // Without it libxml2 prints errors. `wellFormed` has the result.
        handler.serror = { _, _ in }
        return handler
    }

    private func start(_ name: XMLName, _ attributes: XMLAttributes) {
        guard builder.start(names.element(name), name: name, attributes: attributes) else {
            if builder.unknownRoot == nil { isDamaged = true }
            return xmlStopParser(context)
        }
    }

    private func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int32) {
        builder.text(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// The text of an entity, as one that libxml2 passes to `characters` without looking into it.
    ///
    /// Nil outside of texts: in attributes libxml2 takes only the first byte of such an entity, and
    /// while it reads declarations it would write into it.
    private func entity(_ name: UnsafePointer<UInt8>) -> UnsafeMutablePointer<xmlEntity>? {
        guard let context, context.pointee.instate == XML_PARSER_CONTENT else { return nil }
        let name = String(cString: name)
        var text = declaredEntities[name] ?? htmlEntity(name).map { String($0) }
        if text == nil {
            isDamaged = true
            text = "&\(name);"
        }
        guard let bytes = text?.utf8, bytes.count <= FeedXMLParser.entityLengthMax else {
            return nil
        }
        for (index, byte) in bytes.enumerated() { entityContent[index] = byte }
        entityContent[bytes.count] = 0
        entity.pointee.etype = XML_INTERNAL_PREDEFINED_ENTITY
        entity.pointee.content = entityContent
        entity.pointee.length = Int32(bytes.count)
        return entity
    }

    private func declareEntity(
        _ name: UnsafePointer<UInt8>,
        _ kind: Int32,
        _ content: UnsafePointer<UInt8>?
    ) {
        guard kind == XML_INTERNAL_GENERAL_ENTITY.rawValue, let content,
            declaredEntities.count < FeedXMLParser.entityCountMax
        else { return }
        let text = String(cString: content)
        guard text.utf8.count <= FeedXMLParser.entityLengthMax,
            !text.utf8.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") })
        else { return }
        // The first declaration is binding (XML 1.0 §4.2).
        let name = String(cString: name)
        if declaredEntities[name] == nil { declaredEntities[name] = text }
    }
}

/// The character of an entity of HTML 4; nil for other names.
func htmlEntity(_ name: String) -> Unicode.Scalar? {
    // Unsafe: the table is static.
    htmlEntityLookup(name).flatMap { Unicode.Scalar($0.pointee.value) }
}
