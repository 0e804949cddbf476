import CXML
import RestEngine

/// Makes a tree of the parts of a document.
final class XMLDecoder {
    private let options: XML.Options
    private let stop: StopFlag
    private var isStopped = false
    private var builder = Tree.Builder()
    private var open: [Element] = []
    private var nodes = 0
    /// Bytes of the texts that are not in the builder yet.
    private var textBytes = 0
    /// The reason why a handler ended the parsing.
    private var failure: String?
    private var isTooLarge = false

    private struct Element {
        var text: [UInt8] = []
        /// The text since the last child, which becomes a child.
        var piece: [UInt8] = []
        var hasElements = false
    }

    init(_ options: XML.Options, _ stop: StopFlag) { (self.options, self.stop) = (options, stop) }

    func decode(_ bytes: [UInt8]) throws(FormatError) -> Tree {
        var error = cxml_error()
        var result = parse(bytes, options.encoding, &error)
        // The engine knows more charsets than expat.
        if result == Int32(CXML_UNKNOWN_ENCODING), let text = Self.transcoded(bytes, options.encoding) {
            result = parse(text, "UTF-8", &error)
        }
        guard result != Int32(CXML_OK) else { return builder.finish() }
        if isStopped { throw .stopped }
        let message = withUnsafeBytes(of: &error.message) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw FormatError(
            XML.name, at: .line(error.line, column: error.column), failure ?? message, isTooLarge: isTooLarge)
    }

    private func parse(_ bytes: [UInt8], _ encoding: String?, _ error: inout cxml_error) -> Int32 {
        // The handlers are called only while this variable lives.
        var decoder = self
        return withUnsafeMutablePointer(to: &decoder) { parse(bytes, encoding, $0, &error) }
    }

    private func parse(
        _ bytes: [UInt8], _ encoding: String?, _ decoder: UnsafeMutablePointer<XMLDecoder>,
        _ error: inout cxml_error
    ) -> Int32 {
        builder = Tree.Builder()
        (open, nodes, textBytes) = ([], 0, 0)
        var handlers = cxml_handlers(
            context: UnsafeMutableRawPointer(decoder),
            start: { context, name, attributes in
                guard let context, let name, let attributes else { return 0 }
                return XMLDecoder.of(context).start(name, attributes) ? 1 : 0
            },
            end: { context in
                guard let context else { return 0 }
                return XMLDecoder.of(context).end() ? 1 : 0
            },
            text: { context, text, length in
                guard let context else { return 0 }
                return XMLDecoder.of(context).add(UnsafeBufferPointer(start: text, count: length)) ? 1 : 0
            })
        return bytes.withUnsafeBufferPointer {
            cxml_parse($0.baseAddress, $0.count, encoding, &handlers, &error)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> XMLDecoder {
        context.assumingMemoryBound(to: XMLDecoder.self).pointee
    }

    /// The document as UTF-8; nil if its encoding is unknown here, too.
    private static func transcoded(_ bytes: [UInt8], _ encoding: String?) -> [UInt8]? {
        let name = encoding ?? declaredEncoding(bytes)
        guard let name, let charset = TextCharset(name), charset.decode([0x3C]) == "<" else { return nil }
        return charset.decode(bytes).map { Array($0.utf8) }
    }

    /// The encoding of `<?xml … encoding="…"?>`.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(200), as: UTF8.self)
        guard let end = head.firstRange(of: "?>"),
            let name = head[..<end.lowerBound].firstRange(of: "encoding")
        else {
            return nil
        }
        let rest = head[name.upperBound..<end.lowerBound].drop { " =\t\r\n".contains($0) }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        return String(rest.dropFirst().prefix { $0 != quote })
    }

    private func fail(_ message: String, isTooLarge: Bool = false) -> Bool {
        failure = message
        self.isTooLarge = isTooLarge
        return false
    }

    // MARK: Parts

    private func start(
        _ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>
    ) -> Bool {
        guard open.count < options.limits.depth else {
            return fail("it is nested more than \(options.limits.depth) levels deep")
        }
        if let last = open.indices.last {
            open[last].hasElements = true
            if options.mixed { writePiece() }
        }
        open.append(Element())
        let (namespace, local) = Self.split(name)
        builder.beginObject()
        builder.key("name")
        builder.string(local)
        if let namespace {
            builder.key("namespace")
            builder.string(namespace)
        }
        builder.key("attributes")
        builder.beginObject()
        nodes += 1
        var index = 0
        while let name = attributes[index], let value = attributes[index + 1] {
            let (namespace, local) = Self.split(name)
            builder.key(namespace.map { "{\($0)}\(local)" } ?? local)
            builder.string(String(cString: value))
            index += 2
            nodes += 1
        }
        builder.end()
        builder.key("children")
        builder.beginArray()
        return isWithinLimits
    }

    private func end() -> Bool {
        if options.mixed { writePiece() }
        let element = open.removeLast()
        textBytes -= element.text.count
        builder.end()
        builder.key("text")
        // Space between elements only makes a document readable.
        let isSpace = element.hasElements && !options.mixed && element.text.allSatisfy(Self.isSpace)
        builder.string(utf8: isSpace ? [] : element.text)
        builder.end()
        return isWithinLimits
    }

    private func add(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let last = open.indices.last else { return true }
        open[last].text += text
        if options.mixed { open[last].piece += text }
        textBytes += text.count
        return isWithinLimits
    }

    /// Writes the text since the last child, as a child.
    private func writePiece() {
        let last = open.count - 1
        guard !open[last].piece.isEmpty else { return }
        builder.string(utf8: open[last].piece)
        open[last].piece = []
    }

    private var isWithinLimits: Bool {
        do throws(FormatError) { try stop.check() } catch {
            isStopped = true
            return false
        }
        guard nodes <= options.nodes else {
            return fail("it has more than \(options.nodes) elements and attributes")
        }
        guard builder.byteCount + textBytes <= options.limits.bytes else {
            return fail("its value is larger than \(options.limits.bytes) bytes", isTooLarge: true)
        }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    private static func split(_ name: UnsafePointer<CChar>) -> (namespace: String?, local: String) {
        let name = String(cString: name)
        guard let separator = name.firstIndex(of: "\n") else { return (nil, name) }
        return (String(name[..<separator]), String(name[name.index(after: separator)...]))
    }
}
