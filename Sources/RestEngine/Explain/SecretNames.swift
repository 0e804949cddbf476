/// Decides which names have a credential as their value (rule 47.3): names that end with one of a few words.
/// A name with such a word elsewhere, such as `max_tokens` or `token_type`, has another meaning.
enum SecretNames {
    /// - Parameter name: In lower case.
    static func have(_ name: String) -> Bool {
        // Without separators between words, or brackets as in `user[password]`.
        let bare = name.utf8.filter { $0.isLowerLetterOrDigit }
        if whole.contains(where: { bare.elementsEqual($0.utf8) }) { return true }
        if ends.contains(where: { bare.ends(with: $0) }) { return true }
        guard bare.ends(with: "token") else { return false }
        let rest = bare.dropLast(5)
        return !places.contains { rest.ends(with: $0) }
    }

    private static let whole = ["sig", "auth", "session", "credentials", "passwordconfirmation"]
    private static let ends = [
        "password", "passwd", "passphrase", "secret", "signature", "credential", "authorization", "apikey",
        "accesskey", "secretkey", "privatekey", "authkey", "signingkey", "subscriptionkey", "sessionid",
        "sessionkey",
    ]
    /// Before `token`: then it is a position in a list, or identifies equal requests.
    private static let places = [
        "page", "pages", "paging", "pagination", "next", "previous", "prev", "continuation", "continue",
        "sync", "resume", "resumption", "cursor", "skip", "delta", "start", "starting", "scroll", "marker",
        "change", "idempotency", "clientrequest",
    ]

    private static let all = whole + ends + ["token"] + SecretMask.headers
    /// Whether one of them ends with this byte, in lower case.
    private static let isLast = (0...255).map { byte in all.contains { $0.utf8.last == UInt8(byte) } }
    private static let fewestBytes = all.map(\.utf8.count).min() ?? 0

    /// A mask's decisions about names; each name is looked up once.
    struct Decisions {
        private let mask: SecretMask
        /// The mask has further names, which may end with any byte.
        private let looksAtAll: Bool
        private var known: [[UInt8]: Bool] = [:]

        init(mask: SecretMask) {
            self.mask = mask
            looksAtAll = mask.hasNames
        }

        /// - Parameter name: As in JSON or a URL.
        mutating func areSecret(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            guard looksAtAll || Self.mayBeSecret(name) else { return false }
            let name = Array(name)
            if let known = known[name] { return known }
            let isSecret = mask.hides(Self.plain(name))
            if known.count < 4096 { known[name] = isSecret }
            return isSecret
        }

        /// Decides by its last letter, unless that belongs to an escape.
        private static func mayBeSecret(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
            guard name.count >= fewestBytes, let last = name.last else { return false }
            let lower = last | 0x20
            return isLast[Int(lower)] || !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
                || name.suffix(3).first == UInt8(ascii: "%") || name.suffix(6).first == UInt8(ascii: "\\")
        }

        private static func plain(_ name: [UInt8]) -> String {
            let text = String(decoding: name, as: UTF8.self)
            if name.contains(UInt8(ascii: "\\")),
                let string = try? Tree(json: Array("\"\(text)\"".utf8)).string
            {
                return string
            }
            return name.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(text) ?? text : text
        }
    }
}

extension UInt8 {
    fileprivate var isLowerLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}

extension BidirectionalCollection<UInt8> {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
