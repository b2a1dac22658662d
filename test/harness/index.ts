/** What tests need to drive a real Neovim and real agent processes. */
export { HarnessAgent, ScriptedAgent, isAlive, replayAgent, scriptedAgent } from './agent';
export type { RpcMessage, Step } from './agent';
export { eventually } from './eventually';
export { expectScreen, snapshot } from './golden';
export type { ScreenOptions } from './golden';
export { tempDir, whenDone } from './lifetime';
export { Nvim, nvimVersion, startNvim } from './nvim';
export type { NvimOptions, Version } from './nvim';
export type { Attrs, Cell } from './screen';
export { SessionAgent, sessionAgent } from './session-agent';
export type { KeptSession, SessionAgentOptions } from './session-agent';
