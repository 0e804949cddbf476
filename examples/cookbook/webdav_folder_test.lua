local t = require "resthost.test"

local base = "http://127.0.0.1:8081/dav/"
local host

t.before_each(function() host = t.load "webdav_folder.lua" end)

local answer = [[<?xml version="1.0" encoding="utf-8"?>
<D:multistatus xmlns:D="DAV:">
 <D:response><D:href>/dav/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype>
  </D:prop></D:propstat></D:response>
 <D:response><D:href>/dav/tea%20%26%20cake.txt</D:href><D:propstat><D:prop><D:resourcetype/>
  <D:getcontentlength>12</D:getcontentlength><D:getetag>"2"</D:getetag></D:prop></D:propstat></D:response>
 <D:response><D:href>/dav/old</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype>
  </D:prop></D:propstat></D:response>
 <D:response><D:href>/dav/plan.txt</D:href><D:propstat><D:prop><D:resourcetype/>
  <D:getcontentlength>3</D:getcontentlength><D:getetag>"1"</D:getetag></D:prop></D:propstat></D:response>
</D:multistatus>]]

local function put(name, headers)
  return host:request("PUT", "/files/" .. name, { body = "new", headers = headers })
end

t.test("files are listed by name, without folders", function()
  local stub = host:stub("PROPFIND", base, {
    status = 207, body = answer, headers = { ["Content-Type"] = "application/xml" },
  })
  t.equal(host:request("GET", "/files").json, {
    { name = "plan.txt", bytes = 3, etag = '"1"' }, { name = "tea & cake.txt", bytes = 12, etag = '"2"' },
  })
  t.equal(stub.requests[1].headers.depth, "1")
  t.matches(stub.requests[1].body, "propfind")
end)

t.test("a new file replaces nothing", function()
  local stub = host:stub("PUT", base .. "*", { status = 201 })
  t.equal(put("new%20plan.txt").status, 201)
  t.equal(stub.requests[1].url, base .. "new%20plan.txt")
  t.equal(stub.requests[1].headers["if-none-match"], "*")
  host:stub("PUT", base .. "*", { status = 412 })
  t.equal(put("plan.txt").status, 412)
end)

t.test("a file that the client knows is replaced", function()
  local stub = host:stub("PUT", base .. "plan.txt", { status = 204 })
  t.equal(put("plan.txt", { ["If-Match"] = '"1"' }).status, 204)
  t.equal({ stub.requests[1].headers["if-match"], stub.requests[1].headers["if-none-match"] }, { '"1"' })
end)
