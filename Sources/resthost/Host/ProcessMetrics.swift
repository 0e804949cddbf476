import Gateway
import Platform
import RestEngine

extension HostFacts {
    /// The metrics that the gateway does not have itself.
    var metrics: [MetricFamily] {
        [
            MetricFamily(.generation, Double(generation)),
            MetricFamily(.generationsAlive, Double(1 + retiring)),
            MetricFamily(.jobs, Double(jobs)),
            MetricFamily(.failedJobs, Double(failedJobs)),
            MetricFamily(.luaMemory, byState(Double(luaMemory), Double(moduleMemory))),
            MetricFamily(.luaCPU, byState(luaSeconds, moduleSeconds)),
            MetricFamily(.lastReload, failure == nil ? 1 : 0),
            MetricFamily(.certificateRenewal, hasBadCertificate ? 0 : 1),
            MetricFamily(
                .certificateExpiry,
                certificateEnds.sorted { $0.key < $1.key }.map {
                    .init([.init("certificate", $0.key)], .number($0.value))
                }),
        ] + shared
    }

    private func byState(_ script: Double, _ modules: Double) -> [MetricFamily.Sample] {
        [("script", script), ("modules", modules)].map { .init([.init("state", $0.0)], .number($0.1)) }
    }
}

/// The metrics of this process from the system (proc(5)); empty where it has no such files.
@EngineActor
final class ProcessMetrics {
    private struct Thread {
        let name: String
        var seconds: Double
    }

    private let startTime = ClockReading.timeOfDay
    private var threads: [String: Thread] = [:]
    /// The CPU seconds of threads that have ended, by name.
    private var ended: [String: Double] = [:]

    var families: [MetricFamily] {
        var families = [MetricFamily(.startTime, startTime)]
        guard let own = Self.cpuSeconds else { return families }
        families.append(MetricFamily(.processCPU, own))
        if let bytes = ProcessMemory.residentBytes {
            families.append(MetricFamily(.residentMemory, Double(bytes)))
        }
        if let names = FolderNames.list("/proc/self/fd") {
            // One descriptor is that of the folder itself.
            families.append(MetricFamily(.openDescriptors, Double(max(0, names.count - 1))))
        }
        readThreads()
        var times = ended
        for thread in threads.values { times[thread.name, default: 0] += thread.seconds }
        families.append(
            MetricFamily(
                .threadCPU,
                times.sorted { $0.key < $1.key }.map { .init([.init("thread", $0.key)], .number($0.value)) }))
        return families
    }

    /// The CPU seconds of this process.
    static var cpuSeconds: Double? { ticks("/proc/self/stat") }

    private func readThreads() {
        let numbers = FolderNames.list("/proc/self/task") ?? []
        for (number, thread) in threads where !numbers.contains(number) {
            ended[thread.name, default: 0] += thread.seconds
            threads[number] = nil
        }
        for number in numbers {
            let folder = "/proc/self/task/\(number)"
            guard let seconds = Self.ticks(folder + "/stat"), let name = Self.read(folder + "/comm") else {
                continue
            }
            threads[number] = Thread(name: Self.group(name), seconds: seconds)
        }
    }

    /// The name of a thread without the number that distinguishes similar threads.
    private static func group(_ name: String) -> String {
        let end = name.lastIndex { !$0.isNumber && !"-#\n ".contains($0) }
        return end.map { String(name[...$0]) } ?? "other"
    }

    /// The CPU seconds: fields 14 and 15, counted from the end of the name, which may contain anything.
    private static func ticks(_ path: String) -> Double? {
        guard let text = read(path), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
            return nil
        }
        return (user + system) / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    private static func read(_ path: String) -> String? {
        (try? WholeFile.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }
}
