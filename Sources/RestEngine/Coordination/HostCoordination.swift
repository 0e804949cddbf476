package import Coordination

/// Connects an engine with the engines of other hosts.
///
/// Implementations answer within their own time limits, and without their server at once: a load that can't
/// be shared is this host's own.
@EngineActor
package protocol HostCoordination: AnyObject, Sendable {
    /// Decides who makes the load. Calls ``SharedLoad/load(under:)`` or ``SharedLoad/use(_:)``, at once or
    /// later.
    func begin(_ load: SharedLoad)
    /// Decides who renews credentials. Calls ``SharedRefresh/decide(_:)``, at once or later.
    func begin(_ refresh: SharedRefresh)
    /// Begins to hand data that other hosts load to a resource with observers, by
    /// ``Resource/sharedUpdate()``. It ends some time after the last observer is gone. No effect if the
    /// resource is followed already.
    func follow(_ resource: Resource)
    /// Says that this host has loaded new data by itself, and that the shared caches have it.
    func announce(_ resource: Resource)
    /// Tells the other hosts of a change that was made here. It may not wait.
    func publish(_ invalidation: Invalidation)
    /// Whether the other hosts can't know yet of a change of this resource that was made here: entries that
    /// hosts share may be from before it.
    func awaitsChange(of resource: Resource) -> Bool
    /// Asks for a share of a limit that all hosts have together.
    ///
    /// - Parameters:
    ///   - name: The same in all hosts.
    ///   - completion: Gets nil if there is no answer in time.
    func count(
        _ question: LimitQuestion, of name: String, _ limit: SharedLimit,
        completion: @escaping @EngineActor (LimitAnswer?) -> Void)
    /// The engine doesn't use it any more.
    func stop()
}
