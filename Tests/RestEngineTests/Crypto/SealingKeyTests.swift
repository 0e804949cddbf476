import Testing

@testable import RestEngine

@Suite struct SealingKeyTests {
    private static let text = "0123456789abcdef0123456789abcdef"

    private func key(_ text: String = Self.text) throws -> SealingKey { try #require(SealingKey(text)) }

    @Test(arguments: [0, 1, 1000])
    func `Sealed bytes open with the same key and name`(count: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = try #require(try key().seal(plain, as: "a"))
        #expect(try key().open(sealed, as: "a") == plain)
        #expect(try key().seal(plain, as: "a") != sealed)
    }

    @Test func `They open with no other key, under no other name, and not when a bit is changed`() throws {
        let sealed = try #require(try key().seal([1, 2, 3], as: "a"))
        #expect(try key(Self.text + "x").open(sealed, as: "a") == nil)
        #expect(try key().open(sealed, as: "b") == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try key().open(changed, as: "a") == nil)
        }
        #expect(try key().open(Array(sealed.dropLast()), as: "a") == nil)
        #expect(try key().open([], as: "a") == nil)
    }

    @Test func `A key has 32 bytes or more`() { #expect(SealingKey(String(Self.text.dropLast())) == nil) }
}
