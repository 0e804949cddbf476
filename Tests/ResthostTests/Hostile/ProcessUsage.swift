#if os(Linux)
    import Platform
    import RestEngine

    /// The kernel's numbers about a running program.
    struct ProcessUsage {
        private let id: pid_t
        private let engineThread: String

        /// Nil if it has no engine loop, or none any more.
        init?(of id: pid_t) {
            self.id = id
            let threads = Self.names(in: "/proc/\(id)/task")
            guard
                let engine = threads.first(where: {
                    Self.text("/proc/\(id)/task/\($0)/comm") == "engine loop\n"
                })
            else { return nil }
            engineThread = engine
        }

        /// CPU seconds of the engine's thread.
        var engineSeconds: Double {
            let fields = Self.text("/proc/\(id)/task/\(engineThread)/schedstat").split(separator: " ")
            return (fields.first.flatMap { Double($0) } ?? 0) / 1e9
        }

        /// Bytes of its own memory. Pages of the program's file come and go with the system's cache.
        var residentBytes: Int {
            let status = Self.text("/proc/\(id)/status")
            return status.firstMatch(of: #/RssAnon:\s+(\d+) kB/#).flatMap { Int($0.1) }.map { $0 << 10 } ?? 0
        }

        private static func text(_ path: String) -> String {
            let bytes = try? WholeFile.read(path, limit: 1 << 20)
            return String(decoding: bytes ?? [], as: UTF8.self)
        }

        private static func names(in folder: String) -> [String] {
            guard let directory = opendir(folder) else { return [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
                }
            }
            return names
        }
    }
#endif
