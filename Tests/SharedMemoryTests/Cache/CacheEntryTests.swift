import RestEngine
import TestSupport
import Testing

@testable import SharedMemory

@Suite struct CacheEntryTests {
    private let place = CacheEntry.Place(
        stage: "model", user: "", service: "api", partition: "p", url: "https://api.test/a")

    private func encoded(
        _ text: String = "content", compressing: Bool = false, timestamp: Double = 5
    ) throws -> [UInt8] {
        let entity = Entity(content: .text(text), timestamp: timestamp)
        return try #require(
            try CacheEntry.encode(entity, at: place, compressing: compressing, most: 1 << 20))
    }

    private func decoded(_ bytes: [UInt8], of other: CacheEntry.Place? = nil) -> String {
        switch CacheEntry.decode(bytes, of: other ?? place, most: 1 << 20) {
        case .entity(let entity): "\(entity.timestamp) \(SampleEntities.text(of: entity))"
        case .other: "other"
        case .unreadable: "unreadable"
        }
    }

    @Test(arguments: [false, true]) func `An entry is read as it was written`(compressing: Bool) throws {
        for (name, entity) in SampleEntities.all {
            let bytes = try #require(
                try CacheEntry.encode(entity, at: place, compressing: compressing, most: 8 << 20))
            guard case .entity(let found) = CacheEntry.decode(bytes, of: place, most: 8 << 20) else {
                Issue.record("\(name) is not read")
                continue
            }
            #expect(SampleEntities.text(of: found) == SampleEntities.text(of: entity))
        }
        let text = String(repeating: "much of the same ", count: 1000)
        #expect(try decoded(encoded(text, compressing: compressing)).contains("unreadable") == false)
        #expect(try encoded(text, compressing: true).count < 1000)
    }

    @Test func `Each damaged byte makes it unreadable`() throws {
        for compressing in [false, true] {
            let bytes = try encoded(String(repeating: "ab", count: 100), compressing: compressing)
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 0x10
                #expect(decoded(damaged) == "unreadable")
                #expect(decoded(Array(bytes[..<index])) == "unreadable")
            }
            #expect(decoded(bytes + [0]) == "unreadable")
        }
    }

    @Test func `An entry of another place is no entry of this one`() throws {
        var other = place
        other.user = "someone"
        #expect(decoded(try encoded(), of: other) == "other")
    }

    @Test func `A time is written without the rest`() throws {
        var bytes = try encoded(timestamp: 5)
        bytes.replaceSubrange(CacheEntry.stamp, with: CacheEntry.stampBytes(7.5))
        #expect(decoded(bytes).hasPrefix("7.5 "))
    }

    @Test func `The first bytes say what an entry belongs to`() throws {
        let bytes = try encoded()
        #expect(CacheEntry.place(ofHead: Array(bytes.prefix(90))) == place)
        #expect(CacheEntry.place(ofHead: Array(bytes.prefix(40))) == nil)
        #expect(place.parts.partition == "p")
        #expect(place.parts.url == "https://api.test/a")
    }

    @Test func `An entity that is too large has no entry`() throws {
        let entity = Entity(content: .bytes(Array(repeating: 1, count: 5000)), timestamp: 1)
        #expect(try CacheEntry.encode(entity, at: place, compressing: false, most: 4000) == nil)
        let bytes = try #require(try CacheEntry.encode(entity, at: place, compressing: true, most: 4000))
        guard case .unreadable = CacheEntry.decode(bytes, of: place, most: 4000) else {
            Issue.record("it is read although it is larger than the limit")
            return
        }
    }

    @Test func `Prefixes and patterns stay in their place`() throws {
        for prefix in ["", "a:b", "a b", "a*", "ä", String(repeating: "x", count: 65)] {
            #expect(RedisKeys(prefix: prefix) == nil)
        }
        let keys = try #require(RedisKeys(prefix: "my-app_1.x"))
        #expect(keys.key("store", "a:b*") == "my-app_1.x:store:a:b*")
        #expect(keys.pattern("store", beginningWith: "a*[?\\") == "my-app_1.x:store:a\\*\\[\\?\\\\*")
    }
}
