/// Breaks the line that ``ValueText`` wrote: a table that is too wide gets a line for each field.
enum ValueLayout {
    static let width = 80

    static func text(_ line: String) -> String {
        guard line.count > width else { return line }
        let characters = Array(line)
        guard let ends = groups(characters) else { return line }
        var made = ""
        write(characters[...], ends, indent: 0, to: &made)
        return made
    }

    /// The closing brace of each opening one. Nil when they don't match, as in the text of some objects.
    private static func groups(_ characters: [Character]) -> [Int: Int]? {
        var open: [Int] = []
        var ends: [Int: Int] = [:]
        var isString = false
        var place = 0
        while place < characters.count {
            switch characters[place] {
            case "\\" where isString: place += 1
            case "\"": isString.toggle()
            case "{" where !isString: open.append(place)
            case "}" where !isString:
                guard let start = open.popLast() else { return nil }
                ends[start] = place
            default: break
            }
            place += 1
        }
        return open.isEmpty && !isString ? ends : nil
    }

    /// - Parameter indent: The indentation of the line that `rest` continues.
    private static func write(
        _ rest: ArraySlice<Character>, _ ends: [Int: Int], indent: Int, to made: inout String
    ) {
        guard let start = rest.indices.first(where: { ends[$0] != nil }), let end = ends[start],
            indent + rest.count > width
        else {
            made += String(rest)
            return
        }
        made += String(rest[..<start]) + "{\n"
        let inner = String(repeating: " ", count: indent + 2)
        for field in fields(rest[(start + 1)..<end], ends) {
            made += inner
            write(field, ends, indent: indent + 2, to: &made)
            made += ",\n"
        }
        made += String(repeating: " ", count: indent) + "}" + String(rest[(end + 1)...])
    }

    /// The fields of a table, without the commas and spaces between them.
    private static func fields(_ inside: ArraySlice<Character>, _ ends: [Int: Int]) -> [ArraySlice<Character>]
    {
        var made: [ArraySlice<Character>] = []
        var start = inside.startIndex
        var place = start
        var isString = false
        func add(upTo end: Int) {
            let field = inside[start..<end].drop { $0 == " " }
            let trailing = field.reversed().prefix { $0 == " " }.count
            if !field.isEmpty { made.append(field.dropLast(trailing)) }
        }
        while place < inside.endIndex {
            switch inside[place] {
            case "\\" where isString: place += 1
            case "\"": isString.toggle()
            case "{" where !isString: place = ends[place] ?? place
            case "," where !isString:
                add(upTo: place)
                start = place + 1
            default: break
            }
            place += 1
        }
        add(upTo: inside.endIndex)
        return made
    }
}
