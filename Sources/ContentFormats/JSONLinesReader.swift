package import RestEngine

/// Makes values of lines of JSON that come in pieces. Blank lines are skipped.
package final class JSONLinesReader {
    /// The options of the reader.
    package struct Options: Sendable {
        /// The bytes of a line.
        package var lineBytes = 1 << 20
        package var limits = FormatLimits()

        package init() {}
    }

    private let options: Options
    private let stop: StopFlag
    private var rest: [UInt8] = []
    private var number = 1

    package init(_ options: Options, _ stop: StopFlag = StopFlag()) {
        (self.options, self.stop) = (options, stop)
    }

    /// Writes the values of the lines that are complete, as elements of an array.
    package func read(_ bytes: [UInt8], into builder: inout Tree.Builder) throws(FormatError) {
        var start = 0
        while let end = bytes[start...].firstIndex(of: 0x0A) {
            if rest.isEmpty {
                try take(Array(bytes[start..<end]), &builder)
            } else {
                rest += bytes[start..<end]
                let line = rest
                rest = []
                try take(line, &builder)
            }
            number += 1
            start = end + 1
        }
        rest += bytes[start...]
        try requireSize(rest)
    }

    /// Writes the value of the last line, which needs no line break.
    package func finish(into builder: inout Tree.Builder) throws(FormatError) {
        let line = rest
        rest = []
        try take(line, &builder)
    }

    private func take(_ line: [UInt8], _ builder: inout Tree.Builder) throws(FormatError) {
        try stop.check()
        guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        try requireSize(line)
        let limits = Tree.Limits(
            depth: options.limits.depth, bytes: max(1, options.limits.bytes - builder.byteCount))
        do throws(JSONError) { builder.tree(try Tree(json: line, limits: limits)) } catch {
            throw FormatError(
                "JSON", at: .line(number, column: error.offset + 1), error.message,
                isTooLarge: error.code == .tooLarge)
        }
    }

    private func requireSize(_ line: [UInt8]) throws(FormatError) {
        guard line.count > options.lineBytes else { return }
        throw FormatError(
            "JSON", at: .line(number, column: 1), "the line is larger than \(options.lineBytes) bytes")
    }
}
