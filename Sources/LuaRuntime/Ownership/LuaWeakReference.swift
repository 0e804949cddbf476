import CLua

/// Refers to a Lua value that others keep: the script, and what `Lua.hold` made its owners.
///
/// A value whose owners died stays within reach of this reference, and of nothing else, so that it can still
/// be called at the end.
public struct LuaWeakReference: Sendable {
    let cell: LuaReference
}

/// Values that live for as long as an owner does: a table, or a host object. An owner that dies lets go of
/// its values even when they refer back to it. See owner.c for how.
///
/// A table dies when it is collected, and its attachment with it; a host object when neither a script nor
/// Swift holds it. The values of a dead owner stay within reach of their weak references: the host objects
/// that they refer to are released one collection cycle later than others. `LuaState.collectGarbage` runs as
/// many cycles as that takes.
extension Lua {
    public func weakReference(_ index: Int32) -> LuaWeakReference {
        pushValue(at: index)
        clua_new_cell(raw)
        return LuaWeakReference(cell: LuaReference(home: state.home, slot: state.anchor(raw)))
    }

    /// Pushes the value; false, and nothing pushed, when it is gone.
    public func push(_ reference: LuaWeakReference) -> Bool {
        push(reference.cell)
        return clua_open_cell(raw)
    }

    /// Makes the value live for as long as the host object, or the table with an attachment, at `owner`.
    /// False when that is neither, or when the value is gone. Several owners may hold one value.
    @discardableResult
    public func hold(_ reference: LuaWeakReference, by owner: Int32) -> Bool {
        let owner = absolute(owner)
        push(reference.cell)
        return clua_hold(raw, owner)
    }

    /// The Swift object that lives for as long as the table at `index`, if it has been given one.
    public func attachment<Object: AnyObject>(_ index: Int32, as type: Object.Type) -> Object? {
        clua_attachment_at(checked, index).flatMap {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as? Object
        }
    }

    /// Gives the table at `index` a Swift object that lives for as long as the table does, or as others hold
    /// it.
    public func attach(_ object: AnyObject, of index: Int32) {
        precondition(type(index) == .table, "only a table has an attachment")
        clua_attach(raw, absolute(index), Unmanaged.passRetained(object).toOpaque())
    }
}
