---@meta resthost.s3
-- Written by `resthost types`; changes are lost.

---Objects in a bucket of S3, or of a server that speaks like it.
---@class resthost.s3
local s3 = {}

---@class resthost.s3.open.options
---@field region string The region of the bucket; for other servers often `us-east-1`.
---@field access_key_id? string The ID of the access key.
---@field secret_access_key? string The secret of the key.
---@field session_token? string The token that temporary credentials have.
---@field credentials? fun(): table Gives `access_key_id`, `secret_access_key`, `session_token` and `expires_at` (Unix seconds), in place of the other options. It may wait, and is called again before they expire.
---@field profile? string A profile of the file. Without any of these options: the environment, the profile in `AWS_PROFILE` or `default`, the container's endpoint, and the instance's metadata.
---@field credentials_file? string The file of profiles; default: `AWS_SHARED_CREDENTIALS_FILE` or `~/.aws/credentials`.

---A bucket, whose URL is the service's `base_url`. The service's requests are then signed, also those for clients of a gateway that exposes the service. A bucket has the methods `get`, `head`, `put`, `delete` and `list`, which wait, and `presign`.
---@param service resthost.service
---@param options resthost.s3.open.options
---@return table
function s3.open(service, options) end

return s3
