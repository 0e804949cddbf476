import LuaRuntime
import RestEngine

/// Everything that scripts see. A new binding is a type in the room of its feature, and a line here.
enum BindingList {
    /// What belongs to a script: it declares, asks and waits.
    @EngineActor
    static var ofScripts: [any ScriptBinding.Type] {
        [
            ServiceBinding.self,
            EndpointBinding.self,
            DefinitionBinding.self,
            ResourceBinding.self,
            RequestBinding.self,
            ResponseBinding.self,
            ChainBinding.self,
            CustomRequestBinding.self,
            RefreshBinding.self,
            AuthBinding.self,
            ConfigurationBinding.self,
            FieldsBinding.self,
            PatternBinding.self,
            PipelineBinding.self,
            TransformerBinding.self,
            CacheBinding.self,
            DraftBinding.self,
            StreamBinding.self,
            StatusBinding.self,
            EventBinding.self,
            WorkBinding.self,
            GatherBinding.self,
            GatewayBinding.self,
            GatewayRouteBinding.self,
            FileBinding.self,
            EnvBinding.self,
            PermissionsBinding.self,
            LifetimeBinding.self,
            LogBinding.self,
        ]
    }

    /// What makes values out of values: transformer modules see it too.
    static var ofValues: [any ValueBinding.Type] {
        [
            EntityBinding.self,
            ErrorBinding.self,
            HeadersBinding.self,
            BytesBinding.self,
            ImageBinding.self,
            StoreBinding.self,
            BasicsBinding.self,
            LogLevelBinding.self,
            JSONBinding.self,
            Base64Binding.self,
            HexBinding.self,
            CryptoBinding.self,
            SecretBinding.self,
            URLBinding.self,
        ]
    }
}

/// What a feature shows to scripts, with their state. Its functions may be called for as long as that lives.
@EngineActor
protocol ScriptBinding {
    init(context: ScriptContext)
    var context: ScriptContext { get }
    var bindings: BindingSet { get }
}

/// What a feature shows to scripts and to transformer modules alike.
protocol ValueBinding {
    init(values: ScriptValues)
    var values: ScriptValues { get }
    var bindings: BindingSet { get }
}

// MARK: What bindings ask

extension ScriptBinding {
    var engine: Engine { context.engine }
    var options: ScriptOptions { context.options }
    var sandbox: LuaSandbox { context.sandbox }
    var state: LuaState { context.state }
    var values: ScriptValues { context.values }
    var trees: TreeExchange { context.values.trees }
    var phases: ScriptPhases { context.phases }
    /// For those that only help others.
    var bindings: BindingSet { BindingSet() }

    func show(
        _ type: Any.Type, isListed: Bool = true, as make: @escaping @EngineActor () -> LuaClass
    ) -> BoundClass {
        BoundClass(type, isListed: isListed, onLoop(make))
    }
}

extension ValueBinding {
    var trees: TreeExchange { values.trees }
}
