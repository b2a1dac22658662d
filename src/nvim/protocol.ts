/**
 * The door between Lua and the sidecar: every method of both directions, with its parameters.
 *
 * Lua → sidecar are notifications, sidecar → Lua are requests (the reasons stand in ARCHITECTURE.md, "The door").
 * `params` is always one map. `session` is our own id, made by Lua; an agent's session id never crosses.
 * The Lua half of this list is the handler table of `lua/acp/rpc.lua` and the classes of `lua/acp/types/door.lua`;
 * a test holds the three together.
 */
export type * from './config';
export type * from './draft';
export type * from './status';
export type * from './question';
export type * from './rows';
export type * from './to-sidecar';
export type * from './to-editor';
