import Platform

/// The progress of a transfer, 0…1: the weighted mean of its four parts (rule 12.7), adjusted so that it
/// never decreases when a part turns out shorter or longer than expected (12.9).
struct ProgressTracker {
    private struct Parts {
        var connect = ProgressPart(weight: 0.3, estimate: 2.5)
        var upload: ProgressPart
        var response = ProgressPart(weight: 0.3, estimate: 1.2)
        var download: ProgressPart

        init(isGet: Bool) {
            upload = ProgressPart(weight: isGet ? 0 : 1, estimate: 8192)
            download = ProgressPart(weight: isGet ? 1 : 0.1, estimate: 65536)
        }

        var mean: Double {
            let all = [connect, upload, response, download]
            return all.reduce(0) { $0 + $1.weight * $1.fraction } / all.reduce(0) { $0 + $1.weight }
        }
    }

    private var parts: Parts
    private var began: Double
    private var beganToWait: Double?
    /// The factor between the rest of the progress and the rest of the mean.
    private var scale = 1.0
    /// The value after the last update.
    private(set) var fraction = 0.0

    /// - Parameter now: Seconds on a clock that never jumps.
    init(isGet: Bool, now: Double) {
        parts = Parts(isGet: isGet)
        began = now
    }

    @discardableResult
    mutating func update(_ counters: TransferProgress, now: Double) -> Double {
        let toSend = Self.known(counters.bytesToSend)
        let toReceive = Self.known(counters.bytesToReceive)
        if parts.upload.total != toSend || parts.download.total != toReceive {
            hold {
                $0.upload.total = toSend
                $0.download.total = toReceive
            }
        }
        parts.upload.done = Double(counters.bytesSent)
        parts.download.done = Double(counters.bytesReceived)
        waitFor(counters, now: now)
        fraction = max(fraction, value)
        return fraction
    }

    /// The same request is sent to another address: all parts start again, in the remaining range.
    mutating func restart(isGet: Bool, now: Double) {
        began = now
        beganToWait = nil
        hold { $0 = Parts(isGet: isGet) }
    }

    /// The two waits grow with time: for the connection until a byte has moved, for the response after the
    /// whole body is sent (12.10).
    private mutating func waitFor(_ counters: TransferProgress, now: Double) {
        if counters.bytesSent > 0 || counters.bytesReceived > 0 {
            if !parts.connect.isOver { hold { $0.connect.isOver = true } }
        } else {
            parts.connect.done = now - began
        }
        if counters.bytesReceived > 0 {
            if !parts.response.isOver { hold { $0.response.isOver = true } }
        } else if counters.bytesSent > 0, counters.bytesSent == counters.bytesToSend {
            let since = beganToWait ?? now
            beganToWait = since
            parts.response.done = now - since
        }
    }

    private var value: Double { min(1, max(0, 1 - (1 - parts.mean) * scale)) }

    /// Changes the expectations of the parts; the value stays the same, and only the rest is scaled again.
    private mutating func hold(_ change: (inout Parts) -> Void) {
        let before = max(fraction, value)
        change(&parts)
        let mean = parts.mean
        if mean < 1 { scale = (1 - before) / (1 - mean) }
    }

    /// Zero and negative numbers count as unknown (12.12).
    private static func known(_ total: Int64?) -> Double? {
        guard let total, total > 0 else { return nil }
        return Double(total)
    }
}

/// A part of a transfer: bytes out of a total, bytes of an unknown total, or seconds of a wait.
private struct ProgressPart {
    let weight: Double
    /// The number at which the curve of an unknown total reaches 75 % (12.8).
    let estimate: Double
    var done = 0.0
    var total: Double?
    var isOver = false

    /// The curve never reaches 1, not even by rounding.
    private static let mostUnknown = 0.999_999

    init(weight: Double, estimate: Double) {
        self.weight = weight
        self.estimate = estimate
    }

    var fraction: Double {
        if isOver { return 1 }
        if let total { return min(1, max(0, done / total)) }
        return min(Self.mostUnknown, 1 - exp2(-2 * max(0, done) / estimate))
    }
}
