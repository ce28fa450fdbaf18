std = "luajit"
max_line_length = 110
max_comment_line_length = 120
exclude_files = { "scripts/node_modules" }
read_globals = { "vim" }
-- Options and variables are set by assigning to fields of `vim`.
globals = { "vim.v", "vim.bo", "vim.wo", "vim.b", "vim.g", "vim.o", "vim.w", "vim.ui" }
-- Generated: an alias of many words is one line.
files["lua/ensemble/protocol.lua"] = { max_comment_line_length = false }
