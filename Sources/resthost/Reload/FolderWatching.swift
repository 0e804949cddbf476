/// Something happened in a watched folder.
enum FolderEvent: Equatable, Sendable {
    case changed(FilePlaces.Place)
    /// The folder was removed or moved away; another may take its place.
    case gone(String)
    /// Events were lost.
    case anything
}

/// Tells of changes at places. Belongs to one thread.
protocol FolderWatching: AnyObject {
    /// Watches these and no others; places whose folder isn't there are left out. Throws when the system refuses.
    func watch(_ places: Set<FilePlaces.Place>) throws(FolderWatchFailure)

    /// Waits until something happens, ``WatchSignal/wake()`` is called, or so many seconds have passed. It may return early,
    /// with nothing.
    func wait(_ seconds: Double?, _ signal: WatchSignal) -> [FolderEvent]
}

/// The system can't watch; another way is needed.
struct FolderWatchFailure: Error, Equatable {
    var message: String
}
