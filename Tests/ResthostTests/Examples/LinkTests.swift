import Platform
import Testing

struct LinkTests {
    @Test(arguments: [
        "README.md", "examples/quickstart/README.md", "examples/swift-client/README.md",
        "Sources/RestScript/RestScript.docc/LuaReference.md",
        "Sources/RestEngine/RestEngine.docc/UsingTheEngine.md",
    ])
    func `links lead to files`(document: String) throws {
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        for link in try TextFile.read(document).matches(of: /\]\(([^)#]+)\)/) where !link.1.contains("://") {
            let path = "\(BuiltProgram.repository)/\(folder)/\(link.1)"
            #expect(access(path, F_OK) == 0, "\(document) links to \(link.1)")
        }
    }
}
