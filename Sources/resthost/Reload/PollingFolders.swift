/// Looks at files again and again, where the system doesn't tell of changes.
final class PollingFolders: FolderWatching {
    /// Seconds.
    static let period = 0.5

    private var stamps: [FilePlaces.Place: FileStamp?] = [:]

    func watch(_ places: Set<FilePlaces.Place>) {
        stamps = places.reduce(into: [:]) { stamps, place in
            stamps[place] = .some(self.stamps[place] ?? Self.stamp(place))
        }
    }

    func wait(_ seconds: Double?, _ signal: WatchSignal) -> [FolderEvent] {
        _ = signal.wait(min(Self.period, seconds ?? Self.period))
        return look()
    }

    /// What changed since the last look.
    func look() -> [FolderEvent] {
        var events: [FolderEvent] = []
        for (place, before) in stamps {
            let now = Self.stamp(place)
            guard now != before else { continue }
            stamps[place] = .some(now)
            events.append(.changed(place))
        }
        return events
    }

    private static func stamp(_ place: FilePlaces.Place) -> FileStamp? {
        FileStamp(place.folder + "/" + place.name)
    }
}
