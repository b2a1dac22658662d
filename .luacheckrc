std = 'luajit'
cache = true
codes = true
read_globals = { 'vim' }
globals = { 'vim.g', 'vim.b', 'vim.w', 'vim.o', 'vim.bo', 'vim.wo', 'vim.go', 'vim.env' }
max_line_length = 120
-- A field of LuaCATS is one line.
files['lua/acp/types/*.lua'] = { max_line_length = false }
