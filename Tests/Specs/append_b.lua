return {
  description = "b", input = "text", transform_errors = true,
  transform = function(content)
    if content:find "fail" then error("no " .. content) end
    return content .. "b"
  end,
}
