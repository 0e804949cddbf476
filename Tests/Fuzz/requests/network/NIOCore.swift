/// The part of the network library's buffer that readers of requests need, so that a fuzzer builds without
/// that library. Only its results matter here, not its speed.
public struct ByteBuffer: Equatable {
    private var bytes: ArraySlice<UInt8> = []

    public init() {}

    public init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    public var readableBytes: Int { bytes.count }

    public mutating func readSlice(length: Int) -> ByteBuffer? {
        guard length >= 0, length <= bytes.count else { return nil }
        let slice = ByteBuffer(Array(bytes.prefix(length)))
        bytes = bytes.dropFirst(length)
        return slice
    }

    public mutating func moveReaderIndex(forwardBy count: Int) {
        precondition(count <= bytes.count)
        bytes = bytes.dropFirst(count)
    }

    public func withUnsafeReadableBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        Array(bytes).withUnsafeBytes(body)
    }

    public mutating func writeString(_ text: String) { bytes += text.utf8 }

    public mutating func writeStaticString(_ text: StaticString) { writeString("\(text)") }

    public mutating func writeImmutableBuffer(_ other: ByteBuffer) { bytes += other.bytes }

    public static func == (a: ByteBuffer, b: ByteBuffer) -> Bool { Array(a.bytes) == Array(b.bytes) }
}
