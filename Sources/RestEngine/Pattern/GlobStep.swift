/// One element of a compiled glob.
enum GlobStep: Sendable, Hashable {
    case byte(UInt8)
    /// `?`: one byte other than a slash.
    case one
    /// `*`: bytes other than a slash.
    case star
    /// `**`: any bytes.
    case deep
    /// The next step may be left out. `**/` is this and `upToSlash`.
    case optional
    /// Any bytes, the last of them a slash.
    case upToSlash

    /// The steps of glob text that is already encoded.
    static func parse(_ text: some Collection<UInt8>) -> [GlobStep] {
        var steps: [GlobStep] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == .star else {
                steps.append(byte == .question ? .one : .byte(byte))
                continue
            }
            let more = rest.prefix { $0 == .star }.count
            rest = rest.dropFirst(more)
            if more > 0, rest.first == .slash {
                rest = rest.dropFirst()
                steps += stars(more - 1) + [.optional, .upToSlash]
            } else {
                steps += stars(more + 1)
            }
        }
        return steps
    }

    /// Three stars and more say no more than two.
    private static func stars(_ count: Int) -> [GlobStep] {
        count == 0 ? [] : [count == 1 ? .star : .deep]
    }
}
