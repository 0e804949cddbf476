import ContentFormats
import LuaRuntime
import Platform
import RestEngine

// The bindings of formats have these forms in common.
extension ValueBinding {
    /// Pushes a decoded value, or nil and a message.
    func push(_ lua: Lua, _ decode: (StopFlag) throws(FormatError) -> Tree) throws -> CallResult {
        do throws(FormatError) {
            trees.push(try decode(StopFlag(values.state.spentFlag)), on: lua)
            return .one
        } catch {
            guard error != .stopped else { throw LuaUsageError.spent }
            lua.pushNil()
            lua.push("\(error)")
            return .results(2)
        }
    }

    /// Pushes the text of a value, which the script gave as argument 1.
    func pushText(
        of call: Arguments, as format: String, _ encode: (Tree, StopFlag) throws(FormatError) -> [UInt8]
    ) throws -> CallResult {
        let place = try call.any(1, "value")
        let tree: Tree
        do throws(LuaUsageError) { tree = try trees.tree(call.lua, place) } catch {
            throw error == .spent ? error : LuaUsageError("cannot encode as \(format): \(error.message)")
        }
        do throws(FormatError) {
            call.lua.push(bytes: try encode(tree, StopFlag(values.state.spentFlag)))
        } catch {
            guard error != .stopped else { throw LuaUsageError.spent }
            throw LuaUsageError("cannot encode as \(format): \(error.message)")
        }
        return .one
    }

    /// The limits of a value that becomes one of the state.
    func limits(depth: Int) -> FormatLimits {
        FormatLimits(depth: depth, bytes: max(1, values.state.memoryLimit))
    }
}

extension OptionField where Values == OptionTable {
    /// The depth of a document.
    static func depth(_ sentence: String, _ store: @escaping @Sendable (inout Target, Int) -> Void) -> Self {
        .count("max_depth", from: 1, to: FormatLimits.mostDepth, default: "256", sentence, store)
    }
}
