-- The failed pipelines of a project of GitLab, and a retry of one of them.
--
--   resthost run gitlab_pipelines.lua
--   curl 'http://127.0.0.1:8080/failed?project=group%2Fname'
local rest = require "resthost"
local pages = require "resthost.pages"

local gitlab = rest.service { name = "gitlab", base_url = "https://gitlab.com/api/v4" }
gitlab:use("api_key", { header = "PRIVATE-TOKEN", value = rest.env.GITLAB_TOKEN or "no-token" })

-- GitLab takes the path of a project as one component: group%2Fname.
local function pipelines_of(project)
  return gitlab:resource("/projects"):child(rest.raw(rest.url.encode(project))):child("pipelines")
end

local gateway = rest.gateway { expose = {} }

gateway:route("GET", "/failed", function(request)
  local first = pipelines_of(request.query.project or ""):with_params { status = "failed", order_by = "id" }
  local list = rest.json.array {}
  local failed, err = pages.all(first, { limit = 100, max_pages = 10 })
  if not failed then return nil, err end
  for _, pipeline in ipairs(failed) do
    list[#list + 1] = { id = pipeline.id, branch = pipeline.ref, url = pipeline.web_url }
  end
  return list
end)

gateway:route("POST", "/retry/{id}", function(request)
  local pipeline = pipelines_of(request.query.project or ""):child(request.params.id)
  local entity, err = pipeline:child("retry"):request("POST"):await()
  if not entity then return nil, err end
  return rest.response { status = 202, json = { status = entity.json.status } }
end)
