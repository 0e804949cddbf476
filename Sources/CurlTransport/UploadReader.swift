internal import RestEngine

/// Bytes on their way out, from memory or from a file, and how far they are.
final class UploadReader {
    private enum Source {
        case bytes([UInt8])
        case file(OpenFile)
    }
    private let source: Source
    let count: Int64
    private var offset: Int64 = 0

    init(_ bytes: [UInt8]) {
        source = .bytes(bytes)
        count = Int64(bytes.count)
    }

    /// Announces the size that the file has now.
    init(file path: String) throws(TransportError) {
        do throws(FileFailure) {
            let file = try OpenFile(path)
            source = .file(file)
            count = file.size
        } catch { throw TransportError(error) }
    }

    var isAtEnd: Bool { offset == count }

    /// The next bytes; none at the end. Throws when a file has fewer than it announced.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        let wanted = Int(min(Int64(buffer.count), count - offset))
        guard wanted > 0 else { return 0 }
        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        switch source {
        case .bytes(let bytes):
            let start = Int(offset)
            bytes.withUnsafeBytes {
                place.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + wanted)]))
            }
            offset += Int64(wanted)
            return wanted
        case .file(let file):
            let count: Int
            do throws(FileFailure) { count = try file.read(into: place, at: offset) } catch {
                throw TransportError(error)
            }
            guard count > 0 else { throw TransportError(file.becameShorter) }
            offset += Int64(count)
            return count
        }
    }

    /// False for a place that there is not.
    func seek(to place: Int64) -> Bool {
        guard (0...count).contains(place) else { return false }
        offset = place
        return true
    }

    /// The bytes, if they are in memory; those of an empty file are.
    var bytes: [UInt8]? {
        switch source {
        case .bytes(let bytes): bytes
        case .file: count == 0 ? [] : nil
        }
    }
}
