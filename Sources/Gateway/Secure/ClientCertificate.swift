import NIOSSL

/// The identity in a client's certificate, after the certificate was verified.
struct ClientCertificate: Sendable, Equatable {
    /// The common name of its subject, then its alternative names: mail addresses, DNS names, URIs.
    let names: [String]
    /// See ``ListenerSecrets/authority``.
    let authority: [UInt8]

    init(names: [String], authority: [UInt8]) {
        self.names = names
        self.authority = authority
    }

    init?(_ certificate: NIOSSLCertificate, authority: [UInt8]) {
        guard let der = try? certificate.toDERBytes() else { return nil }
        self.init(names: Self.names(inDER: der), authority: authority)
    }

    /// The names in a certificate (RFC 5280 4.1); none if the bytes are no certificate.
    static func names(inDER bytes: [UInt8]) -> [String] {
        var outer = DERReader(bytes[...])
        guard var certificate = outer.enter(.sequence), var body = certificate.enter(.sequence) else {
            return []
        }
        var names: [String] = []
        var sequences = 0
        while let element = body.next() {
            if element.tag == DERReader.Tag.sequence.rawValue {
                sequences += 1
                // This is the subject: it follows the signature's algorithm, the issuer and the validity.
                if sequences == 4 { names += commonNames(DERReader(element.content)) }
            } else if element.tag == DERReader.Tag.extensions.rawValue {
                names += alternativeNames(DERReader(element.content))
            }
        }
        return names.filter { !$0.isEmpty }
    }

    private static func commonNames(_ subject: DERReader) -> [String] {
        var subject = subject
        var names: [String] = []
        while var set = subject.enter(.set) {
            while var attribute = set.enter(.sequence) {
                guard attribute.next(.objectIdentifier)?.elementsEqual([0x55, 4, 3]) == true,
                    let value = attribute.next(), let text = String(validating: value.content, as: UTF8.self)
                else { continue }
                names.append(text)
            }
        }
        return names
    }

    /// RFC 5280 4.2.1.6.
    private static func alternativeNames(_ extensions: DERReader) -> [String] {
        var extensions = extensions
        guard var list = extensions.enter(.sequence) else { return [] }
        while var item = list.enter(.sequence) {
            guard item.next(.objectIdentifier)?.elementsEqual([0x55, 0x1D, 0x11]) == true else { continue }
            var element = item.next()
            if element?.tag == DERReader.Tag.boolean.rawValue { element = item.next() }
            guard let content = element?.content else { return [] }
            var value = DERReader(content)
            guard var general = value.enter(.sequence) else { return [] }
            var names: [String] = []
            while let name = general.next() {
                // [1] rfc822Name, [2] dNSName, [6] uniformResourceIdentifier.
                guard [0x81, 0x82, 0x86].contains(name.tag),
                    let text = String(validating: name.content, as: UTF8.self)
                else { continue }
                names.append(text)
            }
            return names
        }
        return []
    }
}

/// Reads elements of DER (X.690 8.1, 10.1). It ends at an invalid length.
struct DERReader {
    enum Tag: UInt8 {
        case boolean = 1
        case objectIdentifier = 6
        case sequence = 0x30
        case set = 0x31
        /// The extensions of a certificate: `[3]`.
        case extensions = 0xA3
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            length = 0
            guard 1...4 ~= first & 0x7F else { return nil }
            for _ in 0..<(first & 0x7F) {
                guard let byte = rest.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }

    /// The content of the next element, if it has this tag.
    mutating func next(_ tag: Tag) -> ArraySlice<UInt8>? {
        guard let element = next(), element.tag == tag.rawValue else { return nil }
        return element.content
    }

    /// The elements of the next element, if it has this tag.
    mutating func enter(_ tag: Tag) -> DERReader? { next(tag).map { DERReader($0) } }
}
