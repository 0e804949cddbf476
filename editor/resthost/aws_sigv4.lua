---@meta resthost.aws_sigv4
-- Written by `resthost types`; changes are lost.

---@class resthost.aws_sigv4.options
---@field service string Its name, such as `s3` or `sqs`.
---@field region string The region, such as `us-east-1`.
---@field access_key_id? string The ID of the access key.
---@field secret_access_key? string The secret of the key.
---@field session_token? string The token that temporary credentials have.
---@field credentials? fun(): table Gives `access_key_id`, `secret_access_key`, `session_token` and `expires_at` (Unix seconds), in place of the other options. It may wait, and is called again before they expire.
---@field profile? string A profile of the file. Without any of these options: the environment, the profile in `AWS_PROFILE` or `default`, the container's endpoint, and the instance's metadata.
---@field credentials_file? string The file of profiles; default: `AWS_SHARED_CREDENTIALS_FILE` or `~/.aws/credentials`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Signs requests for AWS (Signature Version 4), and sends the query that it signed.
---@class resthost.aws_sigv4
local aws_sigv4 = {}

---@param service resthost.service
---@param options resthost.aws_sigv4.options
function aws_sigv4.use(service, options) end

---@class resthost.aws_sigv4.presign.options
---@field service string Its name, such as `s3` or `sqs`.
---@field region string The region, such as `us-east-1`.
---@field access_key_id? string The ID of the access key.
---@field secret_access_key? string The secret of the key.
---@field session_token? string The token that temporary credentials have.
---@field credentials? fun(): table Gives `access_key_id`, `secret_access_key`, `session_token` and `expires_at` (Unix seconds), in place of the other options. It may wait, and is called again before they expire.
---@field profile? string A profile of the file. Without any of these options: the environment, the profile in `AWS_PROFILE` or `default`, the container's endpoint, and the instance's metadata.
---@field credentials_file? string The file of profiles; default: `AWS_SHARED_CREDENTIALS_FILE` or `~/.aws/credentials`.
---@field method? string The method that it permits. Default: `"GET"`.
---@field expires? integer The time for which it is valid. In seconds. 1 to 604800. Default: `3600`.
---@field headers? table<string, string> Headers that the request must have, such as `Content-Type`.

---A URL that permits one kind of request until it expires, for somebody without credentials. It waits only while credentials are loaded.
---@param url string
---@param options resthost.aws_sigv4.presign.options
---@return string|nil
---@return string?
function aws_sigv4.presign(url, options) end

return aws_sigv4
