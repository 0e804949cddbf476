import RestEngine
import Testing

@testable import Gateway

/// One answer for several workers.
@EngineActor
struct WorkerAnswersTests {
    private func merged(
        _ route: HostRoute, _ own: Tree, _ others: Tree..., silent: [Int] = [], query: String? = nil
    ) throws -> Tree {
        let answers = try others.enumerated().map { index, tree in
            PeerAnswers.Answer(worker: index + 2, status: 200, body: try tree.json())
        }
        let all = WorkerAnswers(
            own: Reply(200, json: own), of: 1, PeerAnswers(answers: answers, silent: silent))
        let reply = all.merged(route, query: query, try AccessPolicy(nil), withDetails: true)
        return try Tree(json: reply.body)
    }

    private let ok: Tree = ["status": "ok", "services": ["a"]]

    @Test func `a host is well if all its workers are`() throws {
        #expect(try merged(.health, ok, ok, ok) == ok)
        let bad: Tree = ["status": "degraded", "message": "the last reload failed", "services": ["a"]]
        #expect(
            try merged(.health, ok, bad)
                == ["status": "degraded", "message": "worker 2: the last reload failed", "services": ["a"]])
        // One reason of all is said once.
        #expect(try merged(.health, bad, bad)["message"]?.string == "the last reload failed")
    }

    @Test func `a worker that doesn't answer is named`() throws {
        let health = try merged(.health, ok, ok, silent: [3])
        #expect(health["status"] == "degraded" && health["message"] == "worker 3 doesn't answer")
        let status = try merged(.status, ["warnings": []], silent: [2])
        #expect(status["warnings"] == ["worker 2 doesn't answer"])
    }

    @Test func `a status has sums, and a row for each worker`() throws {
        func status(_ pid: Int, _ jobs: Int) -> Tree {
            [
                "pid": Tree(pid), "uptime": 1.5, "requests": 2, "jobs": Tree(jobs),
                "memory": ["lua": 100], "generation": ["number": 3],
                "services": [["name": "a", "resources": 5, "evicted": ["count": 1]]],
                "gateway": ["listening": ["x"], "connections": 4], "warnings": ["w"], "supervisor": 9,
            ]
        }
        let all = try merged(.status, status(10, 1), status(11, 0))
        #expect(all["pid"] == 9 && all["requests"] == 4 && all["jobs"] == 1)
        #expect(all["memory"]?["lua"] == 200 && all["gateway"]?["connections"] == 8)
        #expect(all["gateway"]?["listening"] == ["x"] && all["warnings"] == ["w"])
        #expect(all["services"] == [["name": "a", "resources": 10, "evicted": ["count": 2]]])
        #expect(
            all["workers"]?.elements.map { $0 } == [
                [
                    "number": 1, "pid": 10, "uptime": 1.5, "requests": 2, "jobs": 1, "generation": 3,
                    "connections": 4,
                ],
                [
                    "number": 2, "pid": 11, "uptime": 1.5, "requests": 2, "jobs": 0, "generation": 3,
                    "connections": 4,
                ],
            ])
    }

    @Test func `limits have the sums of the workers that know them, and breakers their worker`() throws {
        func limit(_ inFlight: Int, _ most: Tree, paused: Double) -> Tree {
            [
                "name": "host", "in_flight": Tree(inFlight), "most_in_flight": most, "waiting": 1,
                "rate": 2.5, "paused": Tree(paused),
            ]
        }
        let own: Tree = ["limits": [limit(1, 2, paused: 0)], "breakers": [["origin": "http://a"]]]
        let other: Tree = [
            "limits": [limit(2, 1, paused: 3), ["name": "mine", "in_flight": 4]], "breakers": [],
        ]
        let all = try merged(.status, own, other)
        #expect(
            all["limits"]?.elements.map { $0 } == [
                [
                    "name": "host", "in_flight": 3, "most_in_flight": 3, "waiting": 2, "rate": 5,
                    "paused": 3.0,
                ], ["name": "mine", "in_flight": 4, "paused": 0.0],
            ])
        #expect(all["breakers"] == [["origin": "http://a", "worker": 1]])
    }

    @Test func `resources of all workers are one list`() throws {
        func row(_ url: String) -> Tree { ["service": "a", "url": Tree(url)] }
        let own: Tree = ["total": 2, "resources": [row("/1"), row("/3")]]
        let other: Tree = ["total": 1, "resources": [row("/2")]]
        let all = try merged(.resources, own, other, query: "limit=2&offset=1")
        #expect(all["total"] == 3)
        #expect(
            all["resources"]?.elements.map { $0 } == [
                ["service": "a", "url": "/2", "worker": 2], ["service": "a", "url": "/3", "worker": 1],
            ])
        #expect(try merged(.wipe, ["service": "a", "resources": 2], ["resources": 3])["resources"] == 5)
    }
}
