/// How a request is made, each time it is made: once for itself, and again for a repeat (rule 9.2).
struct RequestPlan {
    var method: String
    var mutations: [RequestMutation] = []
    var usesPipeline = true
    var authentication: (any RequestAuthentication)?
}
