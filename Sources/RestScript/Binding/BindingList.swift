import LuaRuntime
import RestEngine

/// All bindings. A new binding is a type in the folder of its feature, and a line here.
enum BindingList {
    /// Bindings that belong to a script, such as declarations, requests and waits.
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
            FormatTransformers.self,
            CacheBinding.self,
            SharedBinding.self,
            DraftBinding.self,
            StreamBinding.self,
            StatusBinding.self,
            EventBinding.self,
            WorkBinding.self,
            GatherBinding.self,
            GatewayBinding.self,
            GatewayRouteBinding.self,
            ServedRequestBinding.self,
            ServedBodyBinding.self,
            ServedPartBinding.self,
            RouteResponseBinding.self,
            ParametersBinding.self,
            FileBinding.self,
            EnvBinding.self,
            PermissionsBinding.self,
            LifetimeBinding.self,
            LogBinding.self,
        ]
    }

    /// Bindings that make values from values. Transformer modules get them too.
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
            JSONToolsBinding.self,
            SchemaBinding.self,
            YAMLBinding.self,
            XMLBinding.self,
            CSVBinding.self,
            RecordReaderBinding.self,
            MessagePackBinding.self,
            CBORBinding.self,
            Base64Binding.self,
            HexBinding.self,
            CryptoBinding.self,
            SecretBinding.self,
            URLBinding.self,
        ]
    }
}

/// The functions and classes with which a feature appears in scripts. The functions may be called as long as
/// the context lives.
@EngineActor
protocol ScriptBinding {
    init(context: ScriptContext)
    var context: ScriptContext { get }
    var bindings: BindingSet { get }
}

/// The functions and classes with which a feature appears in scripts and in transformer modules.
protocol ValueBinding {
    init(values: ScriptValues)
    var values: ScriptValues { get }
    var bindings: BindingSet { get }
}

// MARK: The state behind bindings

extension ScriptBinding {
    var engine: Engine { context.engine }
    var options: ScriptOptions { context.options }
    var sandbox: LuaSandbox { context.sandbox }
    var state: LuaState { context.state }
    var values: ScriptValues { context.values }
    var trees: TreeExchange { context.values.trees }
    var phases: ScriptPhases { context.phases }
    /// Some bindings only help others and declare nothing.
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
