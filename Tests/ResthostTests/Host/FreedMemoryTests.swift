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
            // Other threads may allocate memory at the end of the same arena meanwhile, which then stays. So
            // what is free below it is taken, for the next attempt to be above.
            var held: [UnsafeMutableRawBufferPointer] = []
            defer { for block in held { block.deallocate() } }
            var isFreed = try isFreed()
            for _ in 0..<8 where !isFreed {
                held += blocks()
                isFreed = try self.isFreed()
            }
            #expect(isFreed)
        }

        /// Whether most of 128 MiB goes back to the system.
        private func isFreed() throws -> Bool {
            let blocks = blocks()
            let before = try #require(ProcessMemory.residentBytes)
            for block in blocks { block.deallocate() }
            return try #require(ProcessMemory.residentBytes) < before - 64 * Self.mebibyte
        }

        private func blocks() -> [UnsafeMutableRawBufferPointer] {
            (0..<128).map { _ in
                let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.mebibyte, alignment: 16)
                _ = block.initializeMemory(as: UInt8.self, repeating: 7)
                return block
            }
        }
    #endif
}
