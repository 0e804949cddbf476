import LuaRuntime
import Platform
import RestEngine

/// Globals that the files of a script read. Those that no file defines are reported; most of them are
/// misspelled locals.
struct GlobalReads {
    private var defined: Set<String> = []
    private var files: [(file: FileReview.File, reads: [GlobalRead])] = []

    /// Globals of other Lua versions. Files that run in several versions test for them before they use them.
    private static let foreign: Set<String> = [
        "arg", "bit", "bit32", "gcinfo", "getfenv", "jit", "loadstring", "module", "newproxy", "ngx",
        "setfenv", "unpack",
        "vim",
    ]

    private static let replacements = [
        "unpack": "in Lua 5.4 it is table.unpack", "loadstring": "in Lua 5.4 it is load",
        "rest": "write local rest = require \"resthost\" at the top of the file",
    ]

    mutating func define(_ names: [String]) { defined.formUnion(names) }

    mutating func add(_ reads: [GlobalRead], of file: FileReview.File) { files.append((file, reads)) }

    /// - Parameter known: Names that have a value once the script is loaded.
    func findings(known: Set<String>) -> [Diagnostic] {
        let known = known.union(defined)
        return files.flatMap { file, reads in
            let missing = reads.filter { !known.contains($0.name) }
            guard !missing.isEmpty else { return [] as [Diagnostic] }
            let names = DeclaredNames(file.source).names.union(known).sorted()
            // A file for several versions of Lua defines the missing names itself, under some condition.
            let isForSeveral =
                Set(missing.map(\.name)).intersection(Self.foreign).count > 1
                || !file.source.ranges(of: Array("table.unpack".utf8)).isEmpty
            let tested = Set(missing.filter(\.isTest).map(\.name))
            var seen: Set<String> = []
            return missing.compactMap { read -> Diagnostic? in
                guard seen.insert(read.name).inserted else { return nil }
                if isForSeveral, Self.foreign.contains(read.name) { return nil }
                let advice = NearestName.advice(read.name, among: names)
                // A file that tests for the name can work without it.
                if tested.contains(read.name), advice.isEmpty || Self.foreign.contains(read.name) {
                    return nil
                }
                let replacement = Self.replacements[read.name]
                return Diagnostic(
                    .warning, code: "undefined_global",
                    "nothing defines '\(read.name)', so it is nil" + (replacement == nil ? advice : ""),
                    file: file.path, line: read.line,
                    hint: replacement
                        ?? "a local is seen from the line behind its declaration to the end of the block that it stands in"
                )
            }
        }
    }
}

/// Names that a text declares: locals, parameters and loop variables.
struct DeclaredNames {
    private(set) var names: Set<String> = []

    init(_ source: [UInt8]) {
        var isDeclaring = false
        var isParameters = false
        var isFunction = false
        for token in LuaTokens(source) {
            switch token.kind {
            case .name("local"), .name("for"):
                (isDeclaring, isParameters) = (true, false)
            case .name("function"):
                (isFunction, isParameters) = (true, false)
            case .symbol(UInt8(ascii: "(")) where isFunction:
                (isFunction, isParameters, isDeclaring) = (false, true, false)
            case .symbol(UInt8(ascii: ")")) where isParameters: isParameters = false
            case .symbol(UInt8(ascii: ",")), .symbol(UInt8(ascii: "<")), .symbol(UInt8(ascii: ">")): break
            case .name(let name) where isDeclaring || isParameters:
                if name == "in" || name == "const" || name == "close" {
                    if name == "in" { isDeclaring = false }
                } else {
                    names.insert(name)
                }
                // The statement has ended, and this word begins another one.
                if isDeclaring, ["return", "if", "end", "while", "do", "repeat"].contains(name) {
                    names.remove(name)
                    isDeclaring = false
                }
            default: isDeclaring = false
            }
        }
    }
}
