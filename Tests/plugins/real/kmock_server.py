"""Runs the emulator of Kubernetes of the package kmock, which knows pods: kmock_server.py PORT."""

import asyncio
import sys

import kmock


class Emulator(kmock.KubernetesEmulator):
    """Kubernetes takes `watch=1` and `watch=true`, and kmock only the latter."""

    async def __call__(self, request):
        if request.query.get("watch") == "1":
            request = request.clone(rel_url=request.rel_url.update_query(watch="true"))
        return await super().__call__(request)


async def main(port):
    async with Emulator() as emulator, kmock.Server(emulator, port=port):
        emulator.resources["v1/pods"] = {"kind": "Pod", "namespaced": True, "verbs": ["list", "watch"]}
        await asyncio.Event().wait()


asyncio.run(main(int(sys.argv[1])))
