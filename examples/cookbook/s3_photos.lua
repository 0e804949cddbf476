-- Keeps photos in S3: uploads go there by way of this host, downloads come from S3 with a link that ends
-- soon.
--
--   AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… resthost run s3_photos.lua
--   curl --data-binary @lake.jpg http://127.0.0.1:8080/photos/lake.jpg
local rest = require "resthost"
local s3 = require "resthost.s3"

local service = rest.service {
  name = "s3", base_url = rest.env.BUCKET_URL or "https://photos.s3.eu-central-1.amazonaws.com",
}
local bucket = s3.open(service, {
  region = rest.env.AWS_REGION or "eu-central-1",
  access_key_id = rest.env.AWS_ACCESS_KEY_ID or "AKIDEXAMPLE",
  secret_access_key = rest.env.AWS_SECRET_ACCESS_KEY or "a key for trying out",
})

local gateway = rest.gateway { expose = {}, limits = { body = "20MiB" } }

-- The first bytes say what a file is, whatever its name is.
local kinds = { ["\xFF\xD8\xFF"] = "image/jpeg", ["\x89PNG"] = "image/png", ["GIF8"] = "image/gif" }

local function kind_of(bytes)
  for mark, kind in pairs(kinds) do
    if bytes:sub(1, #mark) == mark then return kind end
  end
end

local function is_name(name) return name:find "^[%w_-]+%.%w+$" ~= nil end

gateway:route("POST", "/photos/{name}", function(request)
  local kind = kind_of(request.body)
  if not kind or not is_name(request.params.name) then
    return rest.response { status = 422, json = { error = "JPEG, PNG and GIF are taken, with a plain name" } }
  end
  local entity, err = bucket:put("photos/" .. request.params.name, request.body, { content_type = kind })
  if not entity then return nil, err end
  return rest.response { status = 201, headers = { Location = "/photos/" .. request.params.name } }
end)

gateway:route("GET", "/photos/{name}", function(request)
  if not is_name(request.params.name) then return rest.response { status = 404 } end
  local url, problem = bucket:presign("photos/" .. request.params.name, { expires = 300 })
  if not url then return nil, rest.error { user_message = problem } end
  return rest.response { status = 302, headers = { Location = url } }
end)
