import CPlatform
import Platform
import RestEngine
import Testing

/// The freed memory that the C library keeps, with the program's settings.
struct FreedMemoryTests {
    #if canImport(Glibc)
        private static let mebibyte = 1 << 20

        @Test func `little is kept of what was freed at the end of an arena`() throws {
            cplatform_keep_freed_memory()
            let blocks = (0..<128).map { _ in
                let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.mebibyte, alignment: 16)
                _ = block.initializeMemory(as: UInt8.self, repeating: 7)
                return block
            }
            let before = try #require(ProcessMemory.residentBytes)
            for block in blocks { block.deallocate() }
            // Other tests may allocate memory meanwhile.
            #expect(try #require(ProcessMemory.residentBytes) < before - 64 * Self.mebibyte)
        }
    #endif
}
