import RestClient

/// The same API as types.
enum PeopleService: APIService {
    static let baseURL = CommandLine.arguments[1]
    static let configuration = APIRequest.Configuration(timeout: .seconds(10))
    static let decoder = TreeDecoder(keys: .snakeCase)

    static var sharedProperties: APIRequest.Properties {
        Headers {
            Header.accept(.applicationJSON)
        }
    }

    enum Users: APIEndpoint {
        static let path = "users"
        typealias Parent = PeopleService

        static let all = APIRequest(.get, parent: Users.self)

        @RequestBuilder<Users>
        static func get(_ login: String) -> Call<User> {
            Method.get
            PathComponents { login }
        }

        @RequestBuilder<Users>
        static func repositories(of login: String, page: Int) -> Call<[Repository]> {
            Method.get
            PathComponents {
                login
                "repos"
            }
            QueryItems {
                ("page", page)
                ("per_page", 2)
            }
        }
    }
}
