/**
 * Messages in the words of an agent that knows folders by other names. This is the one place where that happens: above
 * it all paths are ours, and on the wire all are the agent's. What is a path is known by the method and the field; texts,
 * diffs and outputs are left alone.
 */
import { FROM, PATH, PATHS, TO } from '../proposal/shapes';
import { object, type Json } from './coerce';
import type { PathMap, Way } from './path-map';

/** Where paths are in a value; in a list, in each of its items. `named`: wherever a name says that it is one. */
type Shape = 'path' | 'uri' | 'named' | { readonly [field: string]: Shape };

const CONTENT: Shape = { uri: 'uri', resource: { uri: 'uri' }, _meta: 'named' };

const TOOL_CALL = {
  locations: { path: 'path' },
  content: { ...CONTENT, path: 'path', content: CONTENT },
  rawInput: 'named',
  _meta: 'named',
} as const satisfies Shape;

const SESSION: Shape = {
  cwd: 'path',
  additionalDirectories: 'path',
  // Servers of the agent's are started where it lives.
  mcpServers: { command: 'path' },
  _meta: 'named',
};

const FILE: Shape = { path: 'path', _meta: 'named' };

/** The parameters of ACP's methods. What others have is known by its names alone. */
const PARAMS = new Map<unknown, Shape>([
  ['session/new', SESSION],
  ['session/load', SESSION],
  ['session/resume', SESSION],
  ['session/fork', SESSION],
  ['session/prompt', { prompt: CONTENT, _meta: 'named' }],
  [
    'session/update',
    {
      update: { ...TOOL_CALL, cwd: 'path', additionalDirectories: 'path', plan: { uri: 'uri' } },
      _meta: 'named',
    },
  ],
  ['session/request_permission', { toolCall: TOOL_CALL, _meta: 'named' }],
  ['fs/read_text_file', FILE],
  ['fs/write_text_file', FILE],
  // It runs here, so that a program of the project's is that of ours.
  ['terminal/create', { cwd: 'path', command: 'path', _meta: 'named' }],
  ['elicitation/create', { _meta: 'named' }],
]);

const NAMES = new Set([
  ...PATH,
  ...PATHS,
  ...FROM,
  ...TO,
  'additionalDirectories',
  'cwd',
  'dir_path',
  'directory',
  'notebook_path',
  'planPath',
  'planUri',
  'uri',
  'workdir',
  'working_directory',
]);

/** Deeper than agents nest what names a path. */
const MAX_DEPTH = 12;

export class Translation {
  readonly #map: PathMap;

  constructor(map: PathMap) {
    this.#map = map;
  }

  /** What goes to the agent, in its words. The message itself is left as it is. */
  outgoing<T extends object>(message: T): T {
    return this.#message(message, 'there');
  }

  /** What came from the agent, in ours. */
  incoming<T extends object>(message: T): T {
    return this.#message(message, 'here');
  }

  #message<T extends object>(message: T, way: Way): T {
    const { method, params, result, error } = message as Json;
    if (params !== undefined) {
      return { ...message, params: this.#apply(PARAMS.get(method) ?? 'named', params, way) };
    }
    // Answers hold no paths but under names, such as those of `session/list`.
    if (object(result)) return { ...message, result: this.#named(result, way) };
    const data = object(error)?.data;
    return object(data)
      ? { ...message, error: { ...object(error), data: this.#named(data, way) } }
      : message;
  }

  #apply(shape: Shape, value: unknown, way: Way): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#apply(shape, item, way));
    if (shape === 'named') return this.#named(value, way);
    if (typeof shape === 'string') {
      return typeof value === 'string' ? this.#map[shape](value, way) : value;
    }
    const fields = object(value);
    if (!fields) return value;
    return mapFields(fields, (field, key) => {
      const inner = Object.hasOwn(shape, key) ? shape[key] : undefined;
      return inner === undefined ? field : this.#apply(inner, field, way);
    });
  }

  #named(value: unknown, way: Way, depth = 0): unknown {
    if (depth === MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => this.#named(item, way, depth + 1));
    const fields = object(value);
    if (!fields) return value;
    return mapFields(fields, (field, key) => {
      const changes = key === 'changes' ? object(field) : undefined;
      if (changes) return this.#byPath(changes, way, depth + 2);
      return NAMES.has(key)
        ? this.#paths(field, way, depth + 1)
        : this.#named(field, way, depth + 1);
    });
  }

  /** One path, or a list of some. */
  #paths(value: unknown, way: Way, depth: number): unknown {
    if (typeof value === 'string') return this.#map.uri(value, way);
    if (Array.isArray(value) && depth < MAX_DEPTH) {
      return value.map((item) => this.#paths(item, way, depth + 1));
    }
    return this.#named(value, way, depth);
  }

  /** What is done to files, by their paths. */
  #byPath(changes: Json, way: Way, depth: number): Json {
    return Object.fromEntries(
      Object.entries(changes).map(([path, change]) => [
        this.#map.path(path, way),
        this.#named(change, way, depth),
      ]),
    );
  }
}

function mapFields(fields: Json, map: (field: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, map(field, key)]));
}
