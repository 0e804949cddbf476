import Testing

@testable import resthost

struct SystemFilesTests {
    @Test func `a system without its usual files is a sentence`() {
        #expect(SystemFiles.warnings() == [])
        #expect(
            SystemFiles.warnings { $0 != "/dev/null" }.map { $0.prefix(24) } == ["there is no /dev/null: i"])
    }
}
