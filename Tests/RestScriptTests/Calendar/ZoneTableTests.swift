import TestSupport
import Testing

@testable import RestScript

struct ZoneTableTests {
    @Test(arguments: [
        "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT", "<+0330>-3:30", "UTC0", "XXX3EDT4,0/0,J365/23",
        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
        "AAA-12:34:56BBB,J60/167,365/-167",
    ])
    func `rules of POSIX are read`(text: String) { #expect(ZoneRule(text) != nil) }

    @Test(arguments: [
        "", "C", "CE-1", "CET", "CET-25", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M1.1.0",
        "CET-1CEST,M1.6.0,M1.1.0",
        "CET-1CEST,J0,J1", "CET-1CEST,366,1", "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,M3.5.0,M10.5.0x",
        "<CET-1", "Europe/Berlin",
    ])
    func `and what is no rule is not`(text: String) { #expect(ZoneRule(text) == nil) }

    @Test func `a rule says when the offset changes`() throws {
        let berlin = ZoneTable(try #require(ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3")))
        // 2026-03-29 01:00 and 2026-10-25 01:00 UTC.
        #expect(
            berlin.segment(at: 1_780_000_000)
                == .init(offset: 7200, start: 1_774_746_000, before: 3600, end: 1_792_890_000))
        #expect(
            berlin.segment(at: 1_774_745_999).offset == 3600
                && berlin.segment(at: 1_774_746_000).offset == 7200)
        #expect(berlin.segment(at: 1_792_890_000).before == 7200)
        let southern = ZoneTable(try #require(ZoneRule("NZST-12NZDT,M9.5.0,M4.1.0/3")))
        #expect(southern.segment(at: 1_767_225_600).offset == 13 * 3600)
        #expect(southern.segment(at: 1_782_864_000).offset == 12 * 3600)
        let always = ZoneTable(try #require(ZoneRule("XXX3EDT4,0/0,J365/23")))
        #expect(
            always.segment(at: 1_780_000_000).offset == -14_400
                && always.segment(at: 1_780_000_000).end == nil)
    }

    @Test func `a file has a table, and a rule behind it`() throws {
        let zone = try ZoneTable(
            file: ZoneFile(times: [100, 1000, 2000], indexes: [1, 1, 0], types: [60, 120], rule: "AAA-2")
                .bytes)
        #expect(zone.segment(at: 99) == .init(offset: 60, start: nil, before: 60, end: 100))
        #expect(zone.segment(at: 1500) == .init(offset: 120, start: 100, before: 60, end: 2000))
        #expect(zone.segment(at: 2000).start == 2000)
        let plain = try ZoneTable(file: ZoneFile(rule: "CET-1CEST,M3.5.0,M10.5.0/3").bytes)
        #expect(plain.segment(at: 1_780_000_000).offset == 7200)
        let old = try ZoneTable(
            file: ZoneFile(version: 0, times: [100], indexes: [1], types: [60, -120]).bytes)
        #expect(old.segment(at: 5000) == .init(offset: -120, start: 100, before: 60, end: nil))
    }

    @Test func `a file that is damaged is refused, wherever it is`() throws {
        let whole = ZoneFile(
            times: [100, 1000], indexes: [1, 0], types: [60, 120], rule: "CET-1CEST,M3.5.0,M10.5.0/3"
        ).bytes
        #expect(throws: Never.self) { try ZoneTable(file: whole) }
        for count in 0..<whole.count {
            #expect(throws: ZoneTable.Fault.self) { try ZoneTable(file: Array(whole[..<count])) }
        }
        #expect(throws: ZoneTable.Fault(message: "its times are not in order")) {
            try ZoneTable(file: ZoneFile(times: [1000, 100], indexes: [1, 0], types: [60, 120]).bytes)
        }
        #expect(throws: ZoneTable.Fault(message: "a type of time is missing")) {
            try ZoneTable(file: ZoneFile(times: [100], indexes: [2], types: [60, 120]).bytes)
        }
        #expect(throws: ZoneTable.Fault(message: "its rule can't be understood")) {
            try ZoneTable(file: ZoneFile(rule: "CET").bytes)
        }
    }

    @Test func `any bytes are read or refused, and what is read has an offset at any time`() {
        var generator = SeededRandom(seed: 3)
        let whole = ZoneFile(
            times: [-5, 100, 1000], indexes: [1, 0, 1], types: [60, 120], rule: "CET-1CEST,M3.5.0,M10.5.0/3"
        ).bytes
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<generator.int(below: 6) {
                bytes[generator.int(below: bytes.count)] = generator.bytes(upTo: 1).first ?? 0xFF
            }
            guard let zone = try? ZoneTable(file: bytes) else { continue }
            for time in [Int64.min / 4, -1, 0, 500, 1 << 33, 1 << 50] {
                let segment = zone.segment(at: time)
                #expect(segment.start ?? time <= time && segment.end ?? .max > time)
                #expect(abs(segment.offset) < 200 * 3600)
            }
        }
        for _ in 0..<20_000 {
            guard let rule = ZoneRule(generator.text(of: "ABC<>0123+-,M.J/:", upTo: 24)) else { continue }
            #expect(ZoneTable(rule).segment(at: 1 << 31).start ?? 0 <= 1 << 31)
        }
    }
}

/// A made-up file of tzdata.
struct ZoneFile {
    var version: UInt8 = UInt8(ascii: "2")
    var times: [Int64] = []
    var indexes: [UInt8] = []
    var types: [Int64] = [0]
    var rule = ""

    var bytes: [UInt8] {
        func block(_ width: Int) -> [UInt8] {
            let counts = [0, 0, 0, times.count, types.count, 4].flatMap { big(Int64($0), 4) }
            let header = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + counts
            return header + times.flatMap { big($0, width) } + indexes
                + types.flatMap { big($0, 4) + [0, 0] }
                + Array("AAA\0".utf8)
        }
        return version == 0 ? block(4) : block(4) + block(8) + Array("\n\(rule)\n".utf8)
    }

    private func big(_ value: Int64, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
    }
}
