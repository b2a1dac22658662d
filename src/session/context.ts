import type { AgentPool } from '../agent/pool';
import type { Editor } from '../nvim/editor';
import type { SidecarConfig } from '../nvim/protocol';
import type { Flush } from '../render/flush';
import type { Store } from '../store/store';
import type { Catalog } from './catalog';
import type { Conflicts } from './conflicts';

/** What sessions share. */
export interface SessionContext {
  editor: Editor;
  pool: AgentPool;
  flush: Flush;
  config: SidecarConfig;
  store: Store;
  catalog: Catalog;
  now: () => number;
  conflicts: Conflicts;
  /** Settings that the user wants and an agent does not offer, as they were named. */
  named: Set<string>;
  /** Something went wrong that no person waits for. */
  onFault: (where: string, error: unknown) => void;
}
