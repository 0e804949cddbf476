import RestEngine
import TestSupport
import Testing

@Suite struct `Mutated documents` {
    private static let seeds = [
        #"{"id":7,"name":"Ada é","tags":["a","b"],"score":1.5,"none":null,"nested":{"deep":[[[]]],"e":{}}}"#,
        #"[1,-2,3.25e10,-0.0,9223372036854775807,92233720368547758080,"\ud83d\ude00\n\\",false]"#,
        #"{"a":{"a":{"a":{"a":1}}},"a":2,"":"","long":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#,
    ]
    private static let pieces = [
        "[", "]", "{", "}", ",", ":", "\"", "\\u", "1e", "-", ".", "0", "\\", " ", "null", "\u{FEFF}",
    ]

    @Test func `decode to a value that is stable, or to an error inside of the text`() throws {
        var random = SeededRandom(seed: 2024)
        var taken = 0
        for _ in 0..<20_000 {
            let text = mutated(&random)
            do {
                let tree = try Tree(json: text)
                taken += 1
                #expect(Tree(checking: tree.encoded) == tree)
                let encoded = try tree.json()
                let again = try Tree(json: encoded)
                #expect(again == tree)
            } catch {
                #expect((0...text.count).contains(error.offset))
            }
        }
        #expect(taken > 100)
    }

    @Test func `of a tree's bytes are trees or are refused`() throws {
        var random = SeededRandom(seed: 7)
        for round in 0..<20_000 {
            var bytes = try Tree(json: Self.seeds[round % Self.seeds.count]).encoded
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            if let tree = Tree(checking: bytes) { _ = tree.description }
        }
    }

    private func mutated(_ random: inout SeededRandom) -> [UInt8] {
        var text = Array(Self.seeds.randomElement(using: &random)!.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: text[place] = UInt8.random(in: 0...255, using: &random)
            case 1: text.remove(at: place)
            case 2: text.insert(contentsOf: Self.pieces.randomElement(using: &random)!.utf8, at: place)
            case 3: text.removeSubrange(place..<min(text.count, place + 10))
            default: text.insert(contentsOf: text[place..<min(text.count, place + 20)], at: place)
            }
            if text.isEmpty { text = [0x20] }
        }
        return text
    }
}
