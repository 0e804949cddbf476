/// Which names say that their value is a credential (rule 47.3): names that end with one of a few words. A
/// name that only has such a word in it, as `max_tokens` or `token_type`, says something else.
enum SecretNames {
    /// `name` in lower case.
    static func have(_ name: String) -> Bool {
        // Without what stands between words, or around them as in `user[password]`.
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
    /// Before `token`: it says where a list goes on, or which of several requests are one.
    private static let places = [
        "page", "pages", "paging", "pagination", "next", "previous", "prev", "continuation", "continue",
        "sync", "resume", "resumption", "cursor", "skip", "delta", "start", "starting", "scroll", "marker",
        "change", "idempotency", "clientrequest",
    ]
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
