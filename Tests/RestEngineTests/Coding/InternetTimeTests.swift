import RestEngine
import TestSupport
import Testing

@Suite struct `An internet time` {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2014-03-02T09:41:07Z", 1_393_753_267),
            ("2026-06-19T08:30:00.25Z", 1_781_857_800.25), ("2026-06-19t10:30:00+02:00", 1_781_857_800),
            ("2026-06-19 03:00:00-0530", 1_781_857_800), ("1969-12-31T23:59:59z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2001-01-01T00:00:00.123456789012345678901234Z", 978_307_200.123456789),
        ] as [(String, Double)])
    func `is read`(text: String, seconds: Double) throws {
        let read = try #require(InternetTime.seconds(text))
        #expect(abs(read - seconds) < 1e-6)
    }

    @Test(
        arguments: [
            "", "2026-06-19", "2026-06-19T08:30Z", "2026-06-19T08:30:00", "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Zx", " 2026-01-01T00:00:00Z",
            "+026-01-01T00:00:00Z",
            "2026-01-01T00:00:00+", "٢٠٢٦-01-01T00:00:00Z",
        ])
    func `is refused when it is none`(text: String) {
        #expect(InternetTime.seconds(text) == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_781_857_800.25, "2026-06-19T08:30:00.250Z"),
            (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1.9996, "1970-01-01T00:00:02Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
        ])
    func `is written in UTC`(seconds: Double, text: String) {
        #expect(InternetTime.text(seconds) == text)
    }

    @Test(arguments: [253_402_300_800, -62_167_219_201, 1e300, -.infinity, .nan] as [Double])
    func `has no text outside of four digits`(seconds: Double) {
        #expect(InternetTime.text(seconds) == nil)
    }

    @Test func `what is written is read again`() throws {
        var random = SeededRandom(seed: 27)
        for _ in 0..<5000 {
            let milliseconds = Double(
                Int64.random(in: -62_167_219_200_000..<253_402_300_800_000, using: &random))
            let text = try #require(InternetTime.text(milliseconds / 1000))
            let read = try #require(InternetTime.seconds(text))
            #expect((read * 1000).rounded() == milliseconds, "\(text)")
        }
    }

    @Test func `any text is read or refused`() {
        var random = SeededRandom(seed: 28)
        for _ in 0..<5000 {
            var text = Array("2026-06-19T08:30:00.25+02:00".utf8)
            for _ in 0...random.int(below: 3) {
                let place = random.int(below: text.count)
                switch random.int(below: 3) {
                case 0: text.remove(at: place)
                case 1: text[place] = UInt8(random.int(below: 256))
                default: text.insert(UInt8(random.int(below: 128)), at: place)
                }
            }
            if let seconds = InternetTime.seconds(String(decoding: text, as: UTF8.self)) {
                #expect(seconds.isFinite)
            }
        }
    }
}
