/// Where the entity of a resource is kept. The format of entities is a part of each key too, so that programs of
/// different versions can share a file.
struct EntryKey: Hashable, Sendable {
    var stage: String
    var user: String
    var service: String
    var url: String

    var byteCount: Int { stage.utf8.count + user.utf8.count + service.utf8.count + url.utf8.count }
}
