import CLua
import Platform

/// One Lua state: its values, limits and coroutines. It belongs to the thread that made it; any other thread
/// that touches it stops the process.
///
/// Host functions that hold the state keep it alive, so call `close()` rather than rely on `deinit`.
public final class LuaState {
    let core: OpaquePointer
    let home = LuaHome()
    let owner: pthread_t
    let ownerName: String
    let options: LuaOptions
    private var watch: RunWatch?

    /// The sandbox of `compile` and `spawn`.
    public private(set) lazy var mainSandbox = LuaSandbox(mainOf: self, options)
    /// May push the value that scripts get for a Swift error, and then answers true. Uncaught, the value
    /// still comes back out as the same `LuaError.cause`.
    public var errorPresenter: ((any Error, Lua) -> Bool)?

    /// Called after a run that left the state with a good deal more than it held when ``expectGrowth()`` was
    /// called last, or at the beginning; once, until that is called again. Must not touch the state.
    public var onGrowth: (() -> Void)?

    /// Empty between entries.
    var entry = Entry()
    var waiting: [ObjectIdentifier: LuaCoroutine] = [:]
    var idleThreads: [AnchoredThread] = []
    /// One that has ended, to be used again: most hooks never wait.
    var idleCoroutine: LuaCoroutine?
    var nextSlot = 1
    var freeSlots: [Int] = []
    var releasedSlots: [Int] = []
    /// Keeps the classes whose metatables are keyed by their address.
    var classes: [LuaClass] = []
    /// For messages that name what was expected. No dictionary, whose keys' type would cost each start the
    /// look through all conformances.
    var classNames: [(type: ObjectIdentifier, name: String)] = []
    /// Chunk names as Lua shortens them for messages, with the paths they stand for.
    var chunkPaths: [String: String] = [:]
    /// Lines with code of the files that are covered, by path; nil when none is.
    var coveredLines: [String: Set<Int>]?
    /// The last refusal to wait, by which it is known again when it comes back as an error.
    var waitRefusal = ""
    private(set) var isClosed = false
    /// Code that runs when waits are cancelled may not wait again.
    private(set) var isClosing = false

    public init(_ options: LuaOptions = LuaOptions()) {
        owner = pthread_self()
        ownerName = NamedThread.currentDescription
        self.options = options
        guard let core = clua_open(options.memoryLimit, Self.callbacks) else {
            Shortage.stop("there is no memory for a Lua state")
        }
        self.core = core
        // Unretained: the C state is closed before this object goes.
        clua_set_owner(core, Unmanaged.passUnretained(self).toOpaque())
        clua_open_libraries(clua_main(core))
        for (name, advice) in options.advice { clua_advise(clua_main(core), name, advice) }
        if let onHang = options.onHang {
            let watch = RunWatch(notify: onHang)
            clua_set_run_status(core, watch.status.pointer)
            options.watchdog.add(watch)
            self.watch = watch
        }
        mainSandbox.openSandbox()
    }

    deinit { _ = close() }

    /// The main thread's stack. It can't wait: use `spawn` for that.
    public var main: Lua { Lua(mainThread, self) }

    /// A function of the script is under way and has used up its time: all further calls of Lua in it end at
    /// once.
    public var isSpent: Bool { clua_is_spent(core) }

    /// A function of the script is under way, or work that counts as one's.
    public var isRunning: Bool { entry.phase != nil }

    /// See ``Lua/poll()``, for C that may not call anything. Lives as long as the state.
    public var spentFlag: UnsafePointer<Bool>? { clua_spent_flag(core) }

    /// A number of the outermost run of the script that is under way, or was last.
    public var runNumber: UInt64 { clua_run_number(core) }

    /// Bytes that scripts may hold.
    public var memoryLimit: Int { options.memoryLimit }

    /// Bytes that Lua holds now.
    public var memoryUsed: Int {
        verifyOwner()
        return isClosed ? 0 : clua_used(core)
    }

    /// CPU time of the scripts that ran in it, sampled a hundred times a second of CPU time.
    public var cpuSeconds: Double {
        verifyOwner()
        return isClosed ? 0 : clua_cpu_seconds(core)
    }

    /// Runs full garbage collections until nothing more is found; see `Lua.hold` for why one may not do.
    public func collectGarbage() {
        verifyOwner()
        guard !isClosed else { return }
        drainReleases()
        clua_collect(core)
    }

    /// A small part of ``collectGarbage()``, some tens of microseconds: Lua collects by itself only while a
    /// script allocates, so the garbage of a script that rests then stays. True when with this step
    /// everything is collected that was garbage at the first.
    public func collectStep() -> Bool {
        verifyOwner()
        guard !isClosed else { return true }
        drainReleases()
        return clua_collect_step(core)
    }

    /// ``onGrowth`` has been called, or would have been, since ``expectGrowth()``.
    public var hasGrown: Bool {
        verifyOwner()
        return !isClosed && clua_has_grown(core)
    }

    /// Takes the present size as the expected one; see ``onGrowth``.
    public func expectGrowth() {
        verifyOwner()
        if !isClosed { clua_expect_growth(core) }
    }

    /// Cancels what waits, finalizes all values and frees the state. Safe to call twice; nothing else is,
    /// afterwards.
    @discardableResult
    public func close() -> LeakReport {
        verifyOwner()
        guard !isClosed else {
            return LeakReport(hostObjects: 0, references: home.live, waitingCoroutines: 0, bytes: 0)
        }
        let waitingCount = waiting.count
        isClosing = true
        for coroutine in Array(waiting.values) { coroutine.cancel() }
        mainSandbox.letGo()
        drainReleases()
        home.close()
        isClosed = true
        clua_set_run_status(core, nil)
        if let watch { options.watchdog.remove(watch) }
        watch = nil
        let bytes = clua_close(core)
        let report = LeakReport(
            hostObjects: Int(clua_userdata_count(core)), references: home.live,
            waitingCoroutines: waitingCount,
            bytes: bytes)
        clua_free(core)
        return report
    }

    var mainThread: OpaquePointer {
        verifyOwner()
        guard !isClosed else {
            Misuse.stop(
                "misuse of Lua", what: "a closed Lua state was used", why: "its memory is gone",
                here: "after LuaState.close()",
                home: "before it")
        }
        return clua_main(core)
    }

    @inline(__always)
    func verifyOwner() {
        if pthread_self() != owner {
            Misuse.wrongThread(what: "a Lua state", owner: "\(ownerName); get there before you call")
        }
    }
}

extension LuaState {
    /// Entries nest: a host function may call back into Lua. Answers what `leave` puts back.
    func enter(_ phase: RunPhase, coroutine: LuaCoroutine? = nil) -> Entry {
        drainReleases()
        let outer = entry
        entry = Entry(phase: phase, coroutine: coroutine)
        return outer
    }

    func leave(_ outer: Entry) {
        entry = outer
    }
}

/// The phase and coroutine whose rules apply while a script runs.
struct Entry {
    var phase: RunPhase?
    var coroutine: LuaCoroutine?
}

/// The limits, folders and outputs of a `LuaState`.
public struct LuaOptions {
    /// Bytes that scripts may hold. Beyond it a script's allocation fails as a Lua error.
    public var memoryLimit: Int
    /// Ends the message of such an error: what to do.
    public var memoryAdvice: String
    /// Called for runs that don't come back, on the watchdog's thread; see ``LuaWatchdog``.
    public var onHang: (@Sendable (LuaHang) -> Void)?
    /// The watchdog that looks for such runs.
    public var watchdog = LuaWatchdog.shared
    /// Folders in which `require` looks, in this order: the script's own first. No file outside them is
    /// reachable, except by links in the folders after the first, which are followed wherever they lead:
    /// check a folder before you name it.
    public var searchRoots: [String]
    /// Gets what `print` and `io.write` write, line ends included: the bytes of Lua's strings, whatever they
    /// are.
    public var output: ([UInt8]) -> Void
    /// The advice for a script that calls a function it doesn't get, "io.open", or requires a module that is
    /// written in C, "lfs".
    public var advice: [String: String] = [:]
    /// Answers `os.getenv`; the default grants no name.
    public var environment: (String) -> String?

    public init(
        memoryLimit: Int = 256 << 20,
        memoryAdvice: String = "",
        searchRoots: [String] = [],
        output: @escaping ([UInt8]) -> Void = { _ in },
        environment: @escaping (String) -> String? = { _ in nil }
    ) {
        self.memoryLimit = memoryLimit
        self.memoryAdvice = memoryAdvice
        self.searchRoots = searchRoots
        self.output = output
        self.environment = environment
    }
}

/// The objects that were still alive when a state closed.
public struct LeakReport: Equatable, Sendable {
    /// Swift objects and functions that Lua never let go of. Not zero means a fault of this module.
    public let hostObjects: Int
    /// `LuaReference`s that are still held. They are useless now.
    public let references: Int
    /// Coroutines that waited; closing cancelled them.
    public let waitingCoroutines: Int
    /// Bytes that Lua did not give back.
    public let bytes: Int

    public var isClean: Bool { hostObjects == 0 && references == 0 && waitingCoroutines == 0 && bytes == 0 }
}

/// For tests: makes the nth allocation of a script fail.
extension LuaState {
    /// Counts from now; 0 turns it off.
    func refuseAllocation(_ nth: Int) {
        clua_refuse(core, Int64(nth))
    }

    var hasRefusedAllocation: Bool { clua_refused(core) }

    /// Swift objects and functions that Lua holds.
    var hostObjectCount: Int { Int(clua_userdata_count(core)) }

    /// The number of `LuaReference`s that are held.
    var referenceCount: Int { home.live }
}
