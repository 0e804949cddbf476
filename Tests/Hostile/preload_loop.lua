-- Has require call a function that loops.
-- expected: budget
package.preload.mine = function() while true do end end
while true do pcall(require, "mine") end
