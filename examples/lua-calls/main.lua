-- Sends the definitions of people.lua, one way after the other. See `run`.
local rest = require "resthost"
local people = require "people"

local function names(list)
  local found = {}
  for i, item in ipairs(list) do found[i] = item.name or item.login end
  return table.concat(found, ", ")
end

rest.spawn(function()
  print "A GET has content, which is its resource's:"
  print("  " .. people.user("octocat"):get().name)

  print "An answer has status, headers and content:"
  local entity = people.user("octocat"):send():await()
  print(("  %d, %s, %s"):format(entity.status, entity.headers["Content-Type"], entity.content.login))

  print "A modifier makes another definition:"
  local all = people.repositories "octocat"
  local page = all:adding { query = { { "page", 2 }, { "per_page", 2 } } }
  print(("  %d in all, %s on the second page"):format(#all:get(), names(page:get())))
  print("  " .. tostring(people.repositories("octocat", 2) == page))

  print "Values of a path are escaped, or refused where they would lead elsewhere:"
  print("  " .. people.user("a/b c").url:match "/users/.*")
  print("  " .. select(2, pcall(people.user, "..")):gsub("^.-:%d+: ", ""))

  print "A body is encoded when it is defined:"
  local ada = people.add { login = "ada", name = "Ada" }
  print("  " .. ada.method .. " " .. ada.body_kind .. " " .. ada.headers["Content-Type"])
  print("  " .. ada:send():await().content.login .. " is there: " .. people.user("ada"):send():await().content.name)
  people.delete("ada"):send():await()
  local _, err = people.user("ada"):send():await()
  print(("  and gone: %s (%d)"):format(err.user_message, err.http_status_code))

  print "Credentials are asked for with each request:"
  _, err = people.all_notes:send():await()
  print(("  %s (%d)"):format(err.user_message, err.http_status_code))
  rest.sleep(0)
  people.log_in()
  print(("  %d notes"):format(#people.all_notes:send():await().content))

  print "A command line, and where a header comes from:"
  print("  " .. people.all_notes:curl():gsub("127%.0%.0%.1:%d+", "127.0.0.1"))
  for _, property in ipairs(people.all_notes:explain().properties) do
    print(("  %s %s: %s"):format(property.kind, property.name, property.origin:match "[^/]+$"))
  end
end)
