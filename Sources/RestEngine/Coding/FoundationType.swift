import Synchronization

/// Types of Foundation that code themselves in a form of their own, which no API speaks. The engine doesn't link
/// Foundation, so it knows them by name.
enum FoundationType {
    case date, url

    /// Unix time of what `Date` counts from, the start of 2001.
    static let referenceDate = 978_307_200.0

    /// Making a type's name is slow, and types are few.
    private static let known = Mutex<[ObjectIdentifier: FoundationType?]>([:])

    init?(_ type: Any.Type) {
        let found = Self.known.withLock { known in
            if let found = known[ObjectIdentifier(type)] { return found }
            let found = Self.named(String(reflecting: type))
            known[ObjectIdentifier(type)] = .some(found)
            return found
        }
        guard let found else { return nil }
        self = found
    }

    private static func named(_ name: String) -> FoundationType? {
        switch name {
        case "Foundation.Date", "FoundationEssentials.Date": .date
        case "Foundation.URL", "FoundationEssentials.URL": .url
        default: nil
        }
    }
}
