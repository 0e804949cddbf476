import Platform

/// How many times more CPU time of this thread `work` takes for `factor` times as many items: about `factor`
/// if it is linear, about its square if it is quadratic. The best of several runs counts, so that a busy
/// machine doesn't matter.
public func growth(from count: Int, by factor: Int, _ work: (Int) throws -> Void) throws -> Double {
    func best(_ count: Int) throws -> Double {
        var best = Double.infinity
        for _ in 0..<5 {
            let begin = threadSeconds()
            try work(count)
            best = min(best, threadSeconds() - begin)
        }
        return best
    }
    let few = try best(count)
    return try best(count * factor) / max(few, 1e-6)
}

private func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
