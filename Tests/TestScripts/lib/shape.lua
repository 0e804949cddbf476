local shape = {}

function shape.user(user)
  return { login = user.login }
end

function shape.unused(...)
  local list = { ... }
  return #list
end

return shape
