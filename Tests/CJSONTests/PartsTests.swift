import Testing

@Suite struct `Values in parts` {
    /// Documents with nested large arrays and objects, beside small values of every kind.
    private static let documents = #"""
        local rows, names = {}, {}
        for i = 1, 3000 do
          rows[i] = { id = i, name = "n" .. i, real = i / 8, tags = array {}, deep = { { x = i, ["a longer name than others " .. i] = null } } }
          names["name " .. i] = i % 2 == 0 and "even" or array { i, true, {} }
        end
        local deep = rows
        for i = 1, 200 do deep = i % 3 == 0 and { k = deep, other = rows[i] } or { i, deep, names = nil } end
        local numbers = {}
        for i = 1, 50000 do numbers[i] = i end
        local documents = {
          rows, names, numbers, deep, { rows, {}, array {}, names, rows },
          { users = rows, more = { a = rows, b = { rows, names }, c = array {} }, s = ("x"):rep(50000), n = null },
          { [("key"):rep(10000)] = rows }, {}, array {}, { 1 }, { a = 1 },
        }

        """#

    @Test func `however large the parts are, the value is that of the tree`() {
        run(
            Self.documents
                + #"""
                for number, document in ipairs(documents) do
                  local bytes = tree(document)
                  local whole = encode(push(bytes))
                  for _, size in ipairs { 100, 5000, 1 << 30 } do
                    if size > 100 or #bytes < 100000 then
                      local made, rounds = parts(bytes, size)
                      assert(tree(made) == bytes and encode(made) == whole, number)
                      assert(is_array(made) == is_array(push(bytes)))
                      assert(size < 1 << 30 or rounds == 0)
                      assert(#bytes < size + 40000 or rounds > 0, number)
                    end
                  end
                end
                """#)
    }

    @Test func `it is a value like any other, and nothing of its making stays`() {
        run(
            Self.documents
                + #"""
                local bytes = tree(documents[6])
                local made = parts(bytes, 5000)
                assert(#made.users == 3000 and made.users[7].deep[1].x == 7 and made.n == null)
                assert(is_array(made.users) and is_array(made.more.b) and not is_array(made.more))
                made.users[3001], made.fresh = "more", 1
                assert(#made.users == 3001 and made.fresh == 1)
                made = nil
                collectgarbage() collectgarbage()
                local before = collectgarbage "count"
                for _ = 1, 5 do parts(bytes, 5000) end
                collectgarbage() collectgarbage()
                assert(collectgarbage "count" - before < 100)
                """#)
    }
}
