import RestClient

/// The code under test.
public struct Shop: Sendable {
    private let articles: Endpoint

    public init(_ service: Service) throws {
        articles = try service.endpoint("articles") {
            Configure {
                var retry = RetryPolicy()
                retry.base = .seconds(1)
                $0.retry = retry
            }
        }
    }

    public var all: Call<[Article]> { articles.get() }

    public func article(_ name: String) -> Call<Article> { articles.get("\(name)") }

    public func add(_ article: Article) -> Call<Article> { articles.post { Body { article } } }
}

public struct Article: Codable, Sendable, Equatable {
    public var title: String

    public init(title: String) { self.title = title }
}
