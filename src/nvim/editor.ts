import type { ToEditor, ToEditorMethod } from './protocol';

/** What the sidecar may ask of Neovim. Code above this file never imports the RPC client; tests give it a fake. */
export interface Editor {
  request<M extends ToEditorMethod>(method: M, params: ToEditor[M][0]): Promise<ToEditor[M][1]>;
}
