local t = require "resthost.test"

local base = "https://photos.s3.eu-central-1.amazonaws.com/photos/"
local jpeg = "\xFF\xD8\xFF\xE0 a photo"
local host

t.before_each(function() host = t.load "s3_photos.lua" end)

local function upload(name, bytes) return host:request("POST", "/photos/" .. name, { body = bytes }) end

t.test("a photo is put into the bucket, signed", function()
  local stub = host:stub("PUT", base .. "lake.jpg", {})
  local answer = upload("lake.jpg", jpeg)
  t.equal({ answer.status, answer.headers.Location }, { 201, "/photos/lake.jpg" })
  local request = stub.requests[1]
  t.equal(request.body, jpeg)
  t.equal(request.headers["content-type"], "image/jpeg")
  t.matches(
    request.headers.authorization,
    "^AWS4%-HMAC%-SHA256 Credential=AKIDEXAMPLE/%d+/eu%-central%-1/s3/aws4_request"
  )
end)

t.test("a download is a link for five minutes", function()
  local answer = host:request("GET", "/photos/lake.jpg")
  t.equal(answer.status, 302)
  t.matches(answer.headers.Location, "^" .. base:gsub("%p", "%%%0") .. "lake.jpg%?")
  t.matches(answer.headers.Location, "X%-Amz%-Expires=300")
  t.matches(answer.headers.Location, "X%-Amz%-Signature=%x+")
end)

t.test("other files and names are refused", function()
  t.equal(upload("page.html", "<script>").status, 422)
  t.equal(upload(".htaccess", jpeg).status, 422)
  t.equal(host:request("GET", "/photos/.htaccess").status, 404)
end)

t.test("a failure of S3 is a failure here", function()
  host:stub("PUT", base .. "lake.jpg", { status = 403, text = "<Error><Code>AccessDenied</Code></Error>" })
  t.equal(upload("lake.jpg", jpeg).status, 403)
end)
