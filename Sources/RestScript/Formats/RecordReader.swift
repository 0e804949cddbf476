import ContentFormats
import LuaRuntime
import Platform
import RestEngine

/// A reader of records that come in pieces, as a Lua object.
final class RecordReader: LuaObject {
    /// Makes records of the bytes.
    struct Source {
        /// Bytes of a record that has not come as a whole.
        let mostBytes: Int
        let read: ([UInt8], inout Tree.Builder) throws(FormatError) -> Void
        let finish: (inout Tree.Builder) throws(FormatError) -> Void
    }

    /// Whether it takes further pieces.
    enum State {
        case open, finished
        /// A piece had a fault.
        case failed
    }

    let source: Source
    /// Gets each record; nil: the methods return them.
    let function: LuaReference?
    var state = State.open
    var count = 0

    init(_ source: Source, _ function: LuaReference?) {
        (self.source, self.function) = (source, function)
    }

    var keptBytes: Int { 1024 + source.mostBytes }
}

/// The class of readers of records, and `rest.json.reader`.
struct RecordReaderBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            tables: [
                ModuleTable(
                    name: "rest.json",
                    functions: [
                        ModuleFunction(
                            "reader", signature: "(options?: { ... }, fn?: function(value)) -> record_reader",
                            documentation: """
                                Reads lines of JSON (NDJSON) that come in pieces, such as those of `rest.stream`, in \
                                little memory. It calls fn with each value; without fn its methods return the values.
                                """,
                            options: Self.options.descriptions
                        ) { call in
                            var given = JSONLinesReader.Options()
                            try call.options(1).read(Self.options, into: &given)
                            given.limits = limits(depth: FormatLimits.mostDepth)
                            let reader = JSONLinesReader(given, StopFlag(values.state.spentFlag))
                            return try pushReader(
                                call,
                                RecordReader.Source(
                                    mostBytes: given.lineBytes, read: reader.read, finish: reader.finish))
                        }
                    ])
            ],
            classes: [BoundClass(RecordReader.self, makeClass)])
    }

    private static let options = ScriptSchema<JSONLinesReader.Options>([
        .bytes("max_line", default: "\"1MiB\"", "The bytes of a line.") { $0.lineBytes = $1 }
    ])

    private func makeClass() -> LuaClass {
        LuaClass(
            "record_reader",
            documentation:
                "Reads records that come in pieces; made by rest.csv.reader and rest.json.reader. After a fault it reads no further.",
            methods: [
                LuaMethod(
                    "write", signature: "(chunk: string) -> records | nil, message",
                    documentation:
                        "Reads a piece. Returns the records that are complete, or how many they are if fn got them."
                ) { call in
                    let bytes = try call.rawBytes(1, "chunk")
                    return try read(call) { reader, builder throws(FormatError) in
                        try reader.source.read(bytes, &builder)
                    }
                },
                LuaMethod(
                    "finish", signature: "() -> records | nil, message",
                    documentation: "Reads the end, where the last record needs no line break."
                ) { call in
                    let result = try read(call) { reader, builder throws(FormatError) in
                        try reader.source.finish(&builder)
                    }
                    let reader = try call.receiver(as: RecordReader.self)
                    if reader.state == .open { reader.state = .finished }
                    return result
                },
            ],
            properties: [
                LuaProperty("count", type: "integer", documentation: "The records so far.") { call in
                    call.lua.push(try call.receiver(as: RecordReader.self).count)
                    return .one
                }
            ],
            tostring: { ($0 as? RecordReader).map { "record_reader (\($0.count))" } ?? "record_reader" })
    }

    private func read(
        _ call: Arguments, _ read: (RecordReader, inout Tree.Builder) throws(FormatError) -> Void
    ) throws -> CallResult {
        let reader = try call.receiver(as: RecordReader.self)
        switch reader.state {
        case .open: break
        case .finished: throw LuaUsageError("the reader has finished: make another one for another document")
        case .failed: throw LuaUsageError("the reader has met a fault, and reads no further")
        }
        var builder = Tree.Builder()
        builder.beginArray()
        do throws(FormatError) { try read(reader, &builder) } catch {
            reader.state = .failed
            guard error != .stopped else { throw LuaUsageError.spent }
            call.lua.pushNil()
            call.lua.push("\(error)")
            return .results(2)
        }
        builder.end()
        let records = builder.finish()
        reader.count += records.count
        guard let function = reader.function else {
            trees.push(records, on: call.lua)
            return .one
        }
        for record in records.elements {
            call.lua.push(function)
            trees.push(record, on: call.lua)
            try call.lua.call(arguments: 1, results: 0, phase: values.phases.record)
        }
        call.lua.push(records.count)
        return .one
    }
}

extension ValueBinding {
    /// Pushes a reader that calls argument 2, if there is one.
    func pushReader(_ call: Arguments, _ source: RecordReader.Source) throws -> CallResult {
        let function = call.isAbsent(2) ? nil : try call.function(2, "fn")
        values.push(RecordReader(source, function), on: call.lua)
        return .one
    }
}
