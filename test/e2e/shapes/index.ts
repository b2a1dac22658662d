import { claude } from './claude';
import { codex } from './codex';
import { gemini } from './gemini';
import { nanocoder } from './nanocoder';
import { opencode } from './opencode';
import type { Shape } from './shape';

/** One of each way in which recorded agents edit files. */
export const SHAPES: Shape[] = [claude, codex, opencode, nanocoder, gemini];

export { ORDERS } from './opencode';
export type { Act, Edit, Project, Shape } from './shape';
