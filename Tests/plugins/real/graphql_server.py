"""A GraphQL API made with strawberry. Persisted documents are not part of strawberry: a class below adds
Apollo's protocol to it. GET /-/counts says how many operations and requests came."""

import asyncio
import hashlib
import json
import sys
from typing import AsyncGenerator, List, Optional

import strawberry
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from strawberry.asgi import GraphQL
from strawberry.schema.config import StrawberryConfig

counts = {"requests": 0, "lists": 0, "users": 0, "texts": 0, "hashes": 0}
notes: List[str] = []


@strawberry.type
class User:
    login: str

    @strawberry.field
    def email(self) -> Optional[str]:
        if self.login == "bob":
            raise ValueError("bob hides his email")
        return f"{self.login}@example.com"


@strawberry.type
class Query:
    @strawberry.field
    def user(self, login: str) -> User:
        counts["users"] += 1
        return User(login=login)

    @strawberry.field
    def users(self) -> List[User]:
        return [User(login="ada"), User(login="bob")]

    @strawberry.field
    def notes(self) -> List[str]:
        return notes


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add_note(self, text: str) -> int:
        notes.append(text)
        return len(notes)


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def count(self, to: int) -> AsyncGenerator[int, None]:
        for number in range(1, to + 1):
            yield number
            await asyncio.sleep(0.01)

    @strawberry.subscription
    async def failing(self) -> AsyncGenerator[int, None]:
        yield 1
        raise ValueError("the sensor broke")


class WithPersistedDocuments:
    """Apollo's automatic persisted queries, for single documents and lists, in front of an application."""

    def __init__(self, inner):
        self.inner = inner
        self.documents = {}

    def answer_or_none(self, one):
        extension = one.get("extensions", {}).get("persistedQuery")
        if not extension:
            counts["texts"] += 1
            return None
        digest = extension["sha256Hash"]
        if "query" in one:
            counts["texts"] += 1
            if hashlib.sha256(one["query"].encode()).hexdigest() != digest:
                return {"errors": [{"message": "provided sha does not match query"}]}
            self.documents[digest] = one["query"]
        else:
            counts["hashes"] += 1
        if digest not in self.documents:
            code = {"code": "PERSISTED_QUERY_NOT_FOUND"}
            return {"errors": [{"message": "PersistedQueryNotFound", "extensions": code}]}
        one["query"] = self.documents[digest]
        return None

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "POST":
            return await self.inner(scope, receive, send)
        counts["requests"] += 1
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        content = json.loads(body)
        if isinstance(content, list):
            counts["lists"] += 1
        items = content if isinstance(content, list) else [content]
        answers = [self.answer_or_none(one) for one in items]
        if any(answers):
            shown = [answer or {"errors": [{"message": "PersistedQueryNotFound"}]} for answer in answers]
            response = JSONResponse(shown if isinstance(content, list) else shown[0])
            return await response(scope, receive, send)
        body, is_read = json.dumps(content).encode(), False

        async def again():
            nonlocal is_read
            if is_read:
                return await receive()
            is_read = True
            return {"type": "http.request", "body": body, "more_body": False}

        return await self.inner(scope, again, send)


schema = strawberry.Schema(
    Query, Mutation, Subscription, config=StrawberryConfig(batching_config={"max_operations": 5})
)


async def show_counts(request):
    return JSONResponse(counts)


application = Starlette(
    routes=[
        Route("/-/counts", show_counts),
        Mount("/graphql", WithPersistedDocuments(GraphQL(schema, subscription_protocols=["graphql-sse"]))),
    ]
)

if __name__ == "__main__":
    uvicorn.run(application, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical")
