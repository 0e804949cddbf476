/// The steps of leases, updates, limits and invalidations in the server. `VirtualServer` of the simulator is
/// the model of all but updates.
enum CoordinationScripts {
    /// Seconds for which the server keeps a number and the list of those who wait. A holder that takes longer
    /// finds no number, and writes nothing.
    private static let kept = 600
    /// Messages that a host's stream keeps, about. A host that misses one waits for the end of the lease.
    private static let mostMessages = 1000

    /// The server's time in microseconds. Servers before version 5 write after they read it only if told so.
    private static let clock = """
        if redis.replicate_commands then redis.replicate_commands() end
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local function text(number) return string.format('%.0f', number) end

        """

    /// A number that is larger than the last one, and than all numbers of a server that lost its data.
    private static let next =
        clock + """
            local function next(last) return text(math.max(tonumber(last or 0) + 1, now)) end
            local function wake(waiters, prefix, name)
                for _, host in ipairs(redis.call('SMEMBERS', waiters)) do
                    redis.call('XADD', prefix .. host, 'MAXLEN', '~', \(mostMessages), '*', 'k', name)
                    redis.call('EXPIRE', prefix .. host, \(kept))
                end
                redis.call('DEL', waiters)
            end

            """

    /// Sends a name to all hosts that follow it, but to this one.
    private static let announcement = """
        local function announce(followers, prefix, name, own)
            redis.call('ZREMRANGEBYSCORE', followers, '-inf', text(now))
            for _, host in ipairs(redis.call('ZRANGE', followers, 0, -1)) do
                if host ~= own then
                    redis.call('XADD', prefix .. host, 'MAXLEN', '~', \(mostMessages), '*', 'd', name)
                    redis.call('EXPIRE', prefix .. host, \(kept))
                end
            end
        end

        """

    /// Keys: followers. Arguments: host, seconds.
    static let follow = RedisScript(
        clock + """
            redis.call('ZADD', KEYS[1], text(now + ARGV[2] * 1000000), ARGV[1])
            redis.call('EXPIRE', KEYS[1], ARGV[2])
            return 1
            """)

    /// Keys: followers. Arguments: host, prefix of messages, name.
    static let announce = RedisScript(
        clock + announcement + """
            announce(KEYS[1], ARGV[2], ARGV[3], ARGV[1])
            return 1
            """)

    /// Keys: numbers, lease, waiters, generation. Arguments: token, milliseconds, host.
    static let acquire = RedisScript(
        next + """
            local holder = redis.call('GET', KEYS[2])
            if holder and holder ~= ARGV[1] then
                redis.call('SADD', KEYS[3], ARGV[3])
                redis.call('EXPIRE', KEYS[3], \(kept))
                return {0, redis.call('HGET', KEYS[1], 'n') or '0', redis.call('PTTL', KEYS[2])}
            end
            local number = next(redis.call('HGET', KEYS[1], 'n'))
            redis.call('HSET', KEYS[1], 'n', number)
            redis.call('EXPIRE', KEYS[1], \(kept))
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
            local written = redis.call('HGET', KEYS[1], 't')
            local since = written and text(now - tonumber(written)) or '-1'
            return {1, number, redis.call('GET', KEYS[4]) or '0', since}
            """)

    /// Keys: numbers, lease. Arguments: token, milliseconds.
    static let renew = RedisScript(
        """
        if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
        redis.call('PEXPIRE', KEYS[2], ARGV[2])
        redis.call('EXPIRE', KEYS[1], \(kept))
        return 1
        """)

    /// Keys: numbers, lease, waiters, generation, value, followers. Arguments: token, number, generation,
    /// value, milliseconds, prefix of messages, name, host, 1 if there is new data.
    static let finish = RedisScript(
        next + announcement + """
            local isOwn = false
            local generation = redis.call('GET', KEYS[4]) or '0'
            local isNewest = ARGV[2] ~= '' and generation == ARGV[3]
                and redis.call('HGET', KEYS[1], 'n') == ARGV[2]
            if isNewest and ARGV[4] ~= '' then
                redis.call('HSET', KEYS[5], 'g', generation)
                redis.call('HSET', KEYS[5], 'v', ARGV[4])
                redis.call('PEXPIRE', KEYS[5], ARGV[5])
                redis.call('HSET', KEYS[1], 't', text(now))
                isOwn = true
            end
            if redis.call('GET', KEYS[2]) == ARGV[1] then
                redis.call('DEL', KEYS[2])
                isOwn = true
            end
            if isOwn then wake(KEYS[3], ARGV[6], ARGV[7]) end
            if isNewest and ARGV[9] == '1' then announce(KEYS[6], ARGV[6], ARGV[7], ARGV[8]) end
            return isOwn and 1 or 0
            """)

    /// Writes the entry of a cache, if the grant is the newest. Keys: numbers, generation, entry. Arguments:
    /// number, generation, entry, milliseconds.
    static let write = RedisScript(
        clock + """
            if redis.call('HGET', KEYS[1], 'n') ~= ARGV[1] then return 0 end
            if (redis.call('GET', KEYS[2]) or '0') ~= ARGV[2] then return 0 end
            redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[4])
            redis.call('HSET', KEYS[1], 't', text(now))
            return 1
            """)

    /// Keys: value, generation.
    static let read = RedisScript(
        """
        local value = redis.call('HMGET', KEYS[1], 'v', 'g')
        if value[2] == (redis.call('GET', KEYS[2]) or '0') then return value[1] end
        return false
        """, changesData: false)

    /// Shares a limit as ``LimitCount`` does. Keys: the limit. Arguments: host, milliseconds, most permits or
    /// nothing, tokens in a second or nothing, burst, held permits, permits, tokens, returned tokens,
    /// seconds for which the key is kept, number, prefix of messages, name.
    static let count = RedisScript(
        clock + """
            local key, own, number = KEYS[1], ARGV[1], tonumber(ARGV[11])
            local holds, wants = tonumber(ARGV[6]), tonumber(ARGV[7])
            local me = {name = own, wants = wants, since = now}
            local all, taken = {me}, 0
            local fields = redis.call('HGETALL', key)
            for i = 1, #fields, 2 do
                local name = string.match(fields[i], '^h(.*)')
                if name then
                    local last, has, want, since, ends =
                        string.match(fields[i + 1], '(%S+) (%S+) (%S+) (%S+) (%S+)')
                    if name == own then
                        if tonumber(last) >= number then return {0, 0, 0, 1, 0} end
                        me.since = tonumber(since)
                    elseif tonumber(ends) <= now then
                        redis.call('HDEL', key, fields[i])
                    else
                        taken = taken + has
                        all[#all + 1] = {
                            name = name, wants = tonumber(want), since = tonumber(since), has = tonumber(has)}
                    end
                end
            end
            local hosts = #all
            local permits, has, scarce = 0, 0, 0
            local most = tonumber(ARGV[3])
            if most then
                table.sort(all, function(a, b) return a.wants < b.wants end)
                local level, rest, left = 0, most, hosts
                for _, host in ipairs(all) do
                    local part = math.floor(rest / left)
                    level = math.max(level, math.min(host.wants, part))
                    if host.wants > part then break end
                    rest, left = rest - host.wants, left - 1
                end
                local remainder, before = most, 0
                for _, host in ipairs(all) do
                    remainder = remainder - math.min(host.wants, level)
                    if host.wants > level
                        and (host.since < me.since or (host.since == me.since and host.name < own)) then
                        before = before + 1
                    end
                end
                local target = math.min(wants, level)
                if wants > level and before < remainder then target = target + 1 end
                permits = math.max(0, math.min(target, most - taken))
                has = math.max(permits, holds)
                if permits >= wants or permits > level then me.since = now end
                local sum = 0
                for _, host in ipairs(all) do sum = sum + host.wants end
                if sum > most then scarce = 1 end
                local free = most - taken - has
                table.sort(all, function(a, b) return a.since < b.since end)
                for _, host in ipairs(all) do
                    if free > 0 and host.has and host.has < host.wants then
                        free = free - 1
                        redis.call('XADD', ARGV[12] .. host.name, 'MAXLEN', '~', \(mostMessages), '*', 'l', ARGV[13])
                        redis.call('EXPIRE', ARGV[12] .. host.name, \(kept))
                    end
                end
            end
            local tokens, given, nextToken = 0, 0, 0
            local rate = tonumber(ARGV[4])
            if rate then
                local burst, asked = tonumber(ARGV[5]), tonumber(ARGV[8])
                local state = redis.call('HMGET', key, 't', 'f')
                tokens = burst
                if state[1] then
                    tokens = math.min(burst, tonumber(state[1]) + math.max(0, now - state[2]) * rate / 1000000)
                end
                tokens = math.min(burst, tokens + ARGV[9])
                given = math.max(0, math.min(asked, math.max(1, math.ceil(tokens / hosts)), math.floor(tokens)))
                tokens = tokens - given
                nextToken = math.max(0, (1 - tokens) / rate)
                redis.call('HSET', key, 't', string.format('%.17g', tokens))
                redis.call('HSET', key, 'f', text(now))
            end
            if wants == 0 and holds == 0 and tonumber(ARGV[8]) == 0 then
                redis.call('HDEL', key, 'h' .. own)
            else
                redis.call('HSET', key, 'h' .. own,
                    string.format('%.0f %d %d %s %s', number, has, wants, text(me.since),
                        text(now + ARGV[2] * 1000)))
            end
            redis.call('EXPIRE', key, ARGV[10])
            return {permits, given, math.floor(math.min(nextToken, 86400) * 1000), hosts, scarce}
            """)

    /// Keys: log, its head, generation, and for one resource numbers, lease, waiters, value. Arguments: host,
    /// serial, an identity for a new log, the most entries, prefix of messages, name, and the fields.
    static let invalidate = RedisScript(
        next + """
            if KEYS[4] then
                if redis.call('EXISTS', KEYS[4]) == 1 then
                    redis.call('HSET', KEYS[4], 'n', next(redis.call('HGET', KEYS[4], 'n')))
                    redis.call('HDEL', KEYS[4], 't')
                end
                redis.call('DEL', KEYS[5], KEYS[7])
                wake(KEYS[6], ARGV[5], ARGV[6])
            else
                redis.call('SET', KEYS[3], next(redis.call('GET', KEYS[3])))
            end
            redis.call('HSETNX', KEYS[2], 'e', ARGV[3])
            local number = redis.call('HINCRBY', KEYS[2], 'n', 1)
            local entry = {KEYS[1], 'MAXLEN', '~', ARGV[4], '*', 'h', ARGV[1], 'i', ARGV[2],
                'e', redis.call('HGET', KEYS[2], 'e'), 'n', number}
            for index = 7, #ARGV do entry[#entry + 1] = ARGV[index] end
            local id = redis.call('XADD', unpack(entry))
            redis.call('HSET', KEYS[2], 'l', id)
            return id
            """)
}
