"""A GraphQL API of countries made with strawberry, for the recipe `graphql_gateway`. GET /-/requests says how
many requests came; the country ?? is an error."""

import sys
from typing import List, Optional

import strawberry
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from strawberry.asgi import GraphQL
from strawberry.schema.config import StrawberryConfig

requests = []


@strawberry.type
class Language:
    name: str


@strawberry.type
class Country:
    code: strawberry.ID
    name: str
    capital: Optional[str]
    currency: Optional[str]
    languages: List[Language]


@strawberry.type
class Continent:
    code: strawberry.ID
    name: str
    countries: List[Country]


def country(code, name, capital, currency, *languages):
    spoken = [Language(name=language) for language in languages]
    return Country(code=code, name=name, capital=capital, currency=currency, languages=spoken)


COUNTRIES = [
    country("AQ", "Antarctica", None, None),
    country("IS", "Iceland", "Reykjavik", "ISK", "Icelandic"),
    country("FI", "Finland", "Helsinki", "EUR", "Finnish", "Swedish"),
    country("IE", "Ireland", "Dublin", "EUR", "English"),
]


@strawberry.type
class Query:
    @strawberry.field
    def country(self, code: strawberry.ID) -> Optional[Country]:
        if code == "??":
            raise ValueError("the country is unknown to all")
        return next((country for country in COUNTRIES if country.code == code), None)

    @strawberry.field
    def continent(self, code: strawberry.ID) -> Optional[Continent]:
        names = {"EU": "Europe", "AN": "Antarctica"}
        inside = [country for country in COUNTRIES if (country.code == "AQ") == (code == "AN")]
        return Continent(code=code, name=names[code], countries=inside) if code in names else None


class WithCount:
    def __init__(self, inner):
        self.inner = inner

    async def __call__(self, scope, receive, send):
        requests.append(scope["method"])
        await self.inner(scope, receive, send)


async def show_requests(request):
    return JSONResponse(requests)


schema = strawberry.Schema(Query, config=StrawberryConfig(batching_config={"max_operations": 5}))
application = Starlette(
    routes=[Route("/-/requests", show_requests), Mount("/graphql", WithCount(GraphQL(schema)))]
)

if __name__ == "__main__":
    uvicorn.run(application, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical")
