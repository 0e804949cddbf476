import RestTesting
import TestSupport
import Testing

struct TestingGuideTests {
    @Test func `the guide to recordings does what it says`() async throws {
        let peer = LoopbackPeer { _ in
            PeerConnection.response(
                200, headers: [("Content-Type", "application/json")], body: Array(#"{"title": "Ink"}"#.utf8))
        }
        let folder = TemporaryFolder()
        try await recordArticle(from: peer.baseURL, to: folder.path + "/ink.har")
        #expect(try await replayArticle(from: peer.baseURL, in: folder.path + "/ink.har").title == "Ink")
    }
}
