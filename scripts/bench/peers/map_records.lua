-- Every contestant maps the records with this text, in LuaJIT, Lua 5.3 or Lua 5.4.
return function(content)
  local mapped = {}
  for i, user in ipairs(content.users) do
    mapped[i] = {
      id = user.id,
      name = user.first_name .. " " .. user.last_name,
      email = user.email:lower(),
      city = user.address.city,
      is_admin = user.role == "admin",
      tag_count = #user.tags,
      -- `%d` is used and not `..`, because lua-cjson reads every number as a float.
      link = ("/users/%d"):format(user.id),
    }
  end
  return mapped
end
