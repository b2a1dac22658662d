--- Keys of the chat's windows, by group. The shape of options stands in `schema.lua`.

--- @param maps [string, string|string[]|false, string][] name, default, description
--- @return acp.config.Option[]
local function keys(maps)
  return vim.tbl_map(function(map)
    return { map[1], type = 'keys', default = map[2], desc = map[3] }
  end, maps)
end

--- @type acp.config.Option[]
return {
  {
    'prompt',
    type = 'group',
    desc = 'Keys of the prompt window.',
    fields = keys({
      { 'send', '<CR>', 'Send, in normal mode.' },
      { 'send_insert', '<C-s>', 'Send, in normal and insert mode.' },
      {
        'send_now',
        '<M-CR>',
        'Send now: cancels what the agent does, in normal and insert mode.',
      },
      { 'steer', '<M-s>', 'Send into the turn that runs, in normal and insert mode.' },
      { 'history_prev', '<C-p>', 'The prompt before, in normal and insert mode.' },
      { 'history_next', '<C-n>', 'The prompt after, in normal and insert mode.' },
      { 'history_search', '<M-r>', 'Search what was sent, in normal and insert mode.' },
      {
        'expand',
        '<C-g>',
        'Write in a window as large as the screen, in normal and insert mode.',
      },
      { 'queue', '<M-q>', 'Edit the prompts that wait, in normal and insert mode.' },
      { 'remove', '<M-d>', 'Take an attachment away, in normal and insert mode.' },
      {
        'paste_image',
        '<M-v>',
        'Attach the image in the clipboard, in normal and insert mode.',
      },
      {
        'suggestion',
        '<Tab>',
        'Take over what the agent suggests, in normal and insert mode.',
      },
      { 'cancel', '<C-c>', 'Cancel the turn, in normal and insert mode.' },
      { 'permission', '<C-y>', 'Answer what the agent asks, in normal mode.' },
      { 'hide', 'q', 'Hide the chat.' },
      { 'help', 'g?', 'Show these keys.' },
    }),
  },
  {
    'transcript',
    type = 'group',
    desc = 'Keys of the conversation.',
    fields = keys({
      { 'next_block', ']]', 'The next block.' },
      { 'prev_block', '[[', 'The block before.' },
      { 'open', '<CR>', 'Answer, open the path or the review, or fold the block.' },
      { 'file', 'gf', 'Open the path.' },
      { 'fold', 'za', 'Fold or unfold the block.' },
      { 'unfold_all', 'zR', 'Unfold all.' },
      { 'fold_all', 'zM', 'Fold all.' },
      { 'details', 'K', 'Everything about the block: raw input, output.' },
      { 'diff', 'gd', 'The diff of the block in a float.' },
      { 'inner_block', 'ib', 'The text of the block, as a text object.' },
      { 'a_block', 'ab', 'The block and its blank lines, as a text object.' },
      { 'yank_code', 'yc', 'Yank the code at the cursor.' },
      {
        'edit',
        'cc',
        'Change the prompt at the cursor, and go on from there in another session.',
      },
      { 'prompt', { 'i', 'a', 'o' }, 'Go to the prompt.' },
      { 'cancel', '<C-c>', 'Cancel the turn.' },
      { 'cancel_subagent', 'X', 'Cancel the subagent at the cursor, where its agent can.' },
      { 'permission', '<C-y>', 'Answer what the agent asks.' },
      { 'hide', 'q', 'Hide the chat.' },
      { 'help', 'g?', 'Show these keys.' },
    }),
  },
  {
    'diff',
    type = 'group',
    desc = 'Keys of proposed edits, in the float and inline. `<CR>` asks the question.',
    fields = keys({
      { 'next_hunk', ']c', 'The next hunk.' },
      { 'prev_hunk', '[c', 'The hunk before.' },
      { 'next_file', ']f', 'The next file.' },
      { 'prev_file', '[f', 'The file before.' },
      { 'open', 'gf', 'Open the file at this line.' },
      { 'edit', 'e', 'Change the proposal by hand.' },
      { 'close', 'q', 'Close; a question stays open.' },
      { 'help', 'g?', 'Show these keys.' },
    }),
  },
  {
    'terminal',
    type = 'group',
    desc = 'Keys of the float with the output of a command.',
    fields = keys({
      { 'details', 'K', 'Everything about the call: input, raw result.' },
      { 'file', 'gf', 'Open the path.' },
      { 'next', ']t', 'The next terminal of the call.' },
      { 'prev', '[t', 'The terminal before.' },
      { 'stop', '<C-x>', 'End the command, where the agent left it to Neovim.' },
      { 'close', { 'q', '<Esc>' }, 'Close; the command goes on.' },
      { 'help', 'g?', 'Show these keys.' },
    }),
  },
  {
    'review',
    type = 'group',
    desc = 'Keys in the buffers that are reviewed, and in the list.',
    fields = keys({
      { 'next_hunk', ']c', 'The next hunk.' },
      { 'prev_hunk', '[c', 'The hunk before.' },
      { 'next_file', ']f', 'The next file.' },
      { 'prev_file', '[f', 'The file before.' },
      { 'keep', 'ga', 'Keep the hunk.' },
      { 'reject', 'gr', 'Reject the hunk.' },
      { 'keep_file', 'gA', 'Keep all of the file.' },
      { 'reject_file', 'gR', 'Reject all of the file.' },
      { 'close', 'gQ', 'End the review; what is not decided stays to be reviewed.' },
      { 'help', 'g?', 'Show these keys.' },
    }),
  },
  {
    'question',
    type = 'group',
    desc = 'Keys of forms to be filled in, of pages to be opened, and of plans to be approved.',
    fields = keys({
      { 'accept', '<C-s>', 'Send the form, as `:w` does; open the page.' },
      { 'choose', { '<CR>', '<Tab>' }, 'Choose what stands in the line, or no longer.' },
      { 'decline', 'gr', 'Decline to answer; reject a plan with words.' },
      { 'cancel', '<C-c>', 'Cancel the question.' },
      { 'copy', 'gy', 'Copy the address of the page.' },
      { 'close', 'q', 'Close; the question stays open.' },
      { 'help', 'g?', 'Show these keys.' },
    }),
  },
}
