#!/usr/bin/env python3
"""Tests the plugin `etcd` against etcd itself (Debian: etcd-server)."""

import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import plugin_host as host

SCRIPT = r"""
local etcd_service = rest.service { name = "etcd", base_url = "http://127.0.0.1:PORT" }
local etcd = require "resthost.etcd"

rest.spawn(function()
  emit("none", etcd.get(etcd_service, "missing"))
  local bytes = "a\0b\255/é"
  local first = etcd.put(etcd_service, "k/1", bytes)
  etcd.put(etcd_service, "k/2", "two")
  etcd.put(etcd_service, "l", "other")
  local entry = etcd.get(etcd_service, "k/1")
  emit("same", entry.value == bytes and entry.key == "k/1" and entry.modified == first and entry.version == 1)
  emit("old", etcd.get(etcd_service, "k/2", { revision = first }))
  local entries, revision = etcd.range(etcd_service, "k/")
  emit("range", { #entries, entries[2].value, revision > first })
  emit("limited", #etcd.range(etcd_service, "", { limit = 2 }))
  emit("everything", #etcd.range(etcd_service, ""))

  emit("lock taken", etcd.put(etcd_service, "k/1", "x", { if_revision = 0 }))
  emit("lock free", etcd.put(etcd_service, "lock", "me", { if_revision = 0 }) ~= false)
  emit("changed", etcd.put(etcd_service, "k/1", "new", { if_revision = entry.modified }) ~= false)

  local seen = {}
  local job = rest.spawn(function()
    return etcd.watch(etcd_service, "k/", function(change)
      local before = change.previous and change.previous.value
      if before == bytes then before = "bytes" end
      seen[#seen + 1] = { change.type, change.entry.key, change.entry.value, before }
      return #seen < 3
    end, { prefix = true, previous = true, revision = revision + 1 })
  end)
  rest.sleep(0.2)
  emit("deleted", etcd.delete(etcd_service, "k/2"))
  etcd.put(etcd_service, "other", "not watched")
  etcd.put(etcd_service, "k/3", "three")
  emit("watch ended", job:await())
  emit("seen", seen)

  local lease = etcd.grant(etcd_service, 60)
  etcd.put(etcd_service, "leased", "x", { lease = lease })
  emit("lease", etcd.get(etcd_service, "leased").lease == lease)
  emit("left", etcd.keep_alive(etcd_service, lease))
  etcd.revoke(etcd_service, lease)
  emit("gone", etcd.get(etcd_service, "leased"))
  local left, err = etcd.keep_alive(etcd_service, lease)
  emit("ended", left == nil and tostring(err))
  local _, latest = etcd.range(etcd_service, "x")
  etcd_service:resource("/v3/kv/compaction"):request("POST", { json = { revision = latest } }):await()
  local _, old = etcd.watch(etcd_service, "k/", function() end, { prefix = true, revision = 2 })
  emit("compacted", tostring(old))
  local _, wrong = etcd.put(etcd_service, "", "x")
  emit("refused", { tostring(wrong), wrong.http_status_code })
  emit("wiped", etcd.delete(etcd_service, "", { prefix = true }))
end)
"""

program = host.program("etcd", "etcd-server")
port, peer = host.free_port(), host.free_port()
with tempfile.TemporaryDirectory() as folder:
    client = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [
            program,
            "--data-dir",
            folder,
            "--listen-client-urls",
            client,
            "--advertise-client-urls",
            client,
            "--listen-peer-urls",
            f"http://127.0.0.1:{peer}",
            "--log-level",
            "error",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        host.wait_for(client + "/health", server)
        values = host.run(SCRIPT.replace("PORT", str(port)))
    finally:
        server.terminate()
        server.wait()

host.check("a key that is missing", values["none"], False)
host.check("bytes in a value", values["same"], True)
host.check("an old revision", values["old"], False)
host.check("a range", values["range"], [2, "two", True])
host.check("a limited range", values["limited"], 2)
host.check("all keys", values["everything"], 3)
host.check("a lock that is taken", values["lock taken"], False)
host.check("a lock that is free", values["lock free"], True)
host.check("a write at a revision", values["changed"], True)
host.check("deleted entries", values["deleted"], 1)
host.check("the watch", values["watch ended"], True)
host.check(
    "changes",
    values["seen"],
    [
        ["put", "k/1", "new", "bytes"],
        ["delete", "k/2", "", "two"],
        ["put", "k/3", "three"],
    ],
)
host.check("a lease", [values["lease"], values["left"], values["gone"]], [True, 60, False])
host.check_contains("a lease that has ended", values["ended"], "has ended")
host.check_contains("a compacted revision", values["compacted"], "are compacted: read the keys again")
host.check_contains("an empty key", values["refused"], "key is not provided")
host.check("all entries deleted", values["wiped"] >= 4, True)
print("etcd: entries, ranges, locks, watches, leases, compaction and errors with etcd")
