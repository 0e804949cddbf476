/// Entity tags in `If-None-Match` (RFC 9110 13.1.2).
enum EntityTag {
    /// True when the list names `etag`, or is `*`. Weak comparison: `W/` is ignored.
    static func list(_ list: UnsafeRawBufferPointer, contains etag: String) -> Bool {
        if list.isExactly("*") { return true }
        var etag = etag
        return etag.withUTF8 { etag in
            let wanted = opaque(UnsafeRawBufferPointer(etag))
            var found = false
            // Tags of this gateway have no comma, so a tag with one that is taken for two can't match.
            list.forEachListMember { if opaque($0).elementsEqual(wanted) { found = true } }
            return found
        }
    }

    private static func opaque(_ tag: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        tag.equals("W/", at: 0) ? UnsafeRawBufferPointer(rebasing: tag[2...]) : tag
    }
}
