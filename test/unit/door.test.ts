/** The three halves of the door say the same: `src/nvim`, the handlers of `rpc.lua`, the classes for LuaLS. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Fields = Record<string, 'optional' | 'required'>;

const types = new Map<string, ts.TypeNode | ts.InterfaceDeclaration>();
for (const path of [
  ...readdirSync(join(ROOT, 'src/nvim')).map((name) => `src/nvim/${name}`),
  'src/diff/file-diff.ts',
  'src/review/view.ts',
  'src/render/ops.ts',
]) {
  ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest).forEachChild((node) => {
    if (ts.isInterfaceDeclaration(node)) types.set(node.name.text, node);
    if (ts.isTypeAliasDeclaration(node)) types.set(node.name.text, node.type);
  });
}

function members(name: string): ts.PropertySignature[] {
  const node = types.get(name);
  if (!node || !ts.isInterfaceDeclaration(node)) throw new Error(`no interface ${name}`);
  return node.members.filter(ts.isPropertySignature);
}

const nameOf = (member: ts.PropertySignature): string =>
  (member.name as ts.Identifier | ts.StringLiteral).text;

function fieldsOf(properties: readonly ts.TypeElement[]): Fields {
  return Object.fromEntries(
    properties
      .filter(ts.isPropertySignature)
      .map((it) => [nameOf(it), it.questionToken ? 'optional' : 'required']),
  );
}

/** The fields of a literal type, of an interface, or of several that are one; `Record<…>` has none. */
function fieldsOfType(type: ts.TypeNode): Fields {
  if (ts.isTypeLiteralNode(type)) return fieldsOf(type.members);
  if (ts.isIntersectionTypeNode(type)) {
    return Object.fromEntries(type.types.flatMap((it) => Object.entries(fieldsOfType(it))));
  }
  if (!ts.isTypeReferenceNode(type)) throw new Error('no type with fields');
  const name = (type.typeName as ts.Identifier).text;
  return name === 'Record' ? {} : fieldsOf(members(name));
}

/** Method → its parameters. `ToEditor` holds pairs of parameters and result. */
function methodsOf(name: string): Record<string, Fields> {
  return Object.fromEntries(
    members(name).map((member) => {
      const type = member.type!;
      const params = ts.isTupleTypeNode(type) ? type.elements[0]! : type;
      return [nameOf(member), fieldsOfType(params)];
    }),
  );
}

const lua = read('lua/acp/types/door.lua') + read('lua/acp/state.lua');

/** The `@field` lines of a class: name, `?`, type. */
function luaFields(name: string): { field: string; optional: boolean; type: string }[] {
  const block = new RegExp(
    `@class (?:\\(exact\\) )?acp\\.${name}(?: .*)?\\n((?:--- @field .*\\n)*)`,
  ).exec(lua)?.[1];
  if (!block) throw new Error(`no class acp.${name}`);
  return [...block.matchAll(/@field (?:\['(.+?)'\]|(\w+))(\??) (.*)/g)].map((match) => ({
    field: match[1] ?? match[2]!,
    optional: match[3] === '?',
    type: match[4]!,
  }));
}

function luaMethods(name: string): Record<string, Fields> {
  return Object.fromEntries(
    luaFields(name).map(({ field, type }) => [
      field,
      Object.fromEntries(
        // Top level only: nested tables are taken away first.
        [
          ...type
            .slice(1)
            .replace(/\{.*?\}/g, '')
            .matchAll(/(\w+)(\??): /g),
        ].map(([, key, mark]) => [key!, mark ? 'optional' : 'required'] as const),
      ),
    ]),
  );
}

describe('methods', () => {
  test.each(['ToSidecar', 'ToEditor'])('%s has the same methods and parameters', (name) => {
    expect(luaMethods(name)).toEqual(methodsOf(name));
  });

  test('rpc.lua handles what the sidecar may call, and nothing else', () => {
    const handlers = /M\.handlers = \{\n([^]*?)\n\}/.exec(read('lua/acp/rpc.lua'))![1]!;
    const names = [...handlers.matchAll(/^ {2}(?:\['(.+?)'\]|(\w+)) = /gm)].map(
      (match) => match[1] ?? match[2],
    );
    expect(names.sort()).toEqual(Object.keys(methodsOf('ToEditor')).sort());
  });

  test('Lua sends only methods that there are', () => {
    const known = Object.keys(methodsOf('ToSidecar'));
    const sources = readdirSync(join(ROOT, 'lua'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.lua'))
      .map((path) => join('lua', path));
    const sent = sources.flatMap((path) =>
      [...read(path).matchAll(/(?:rpc'?\)?\.notify|\bsend\w*)\('(\w+\.\w+)'/g)].map(
        (match) => match[1]!,
      ),
    );
    expect(sent).toContain('review.decide');
    expect(sent).toContain('prompt.send');
    expect(sent.filter((method) => !known.includes(method))).toEqual([]);
  });
});

describe('payloads', () => {
  test.each([
    ...['AgentSpec', 'SidecarConfig', 'Question', 'Frame', 'FileDiff', 'TerminalView'],
    ...['ReviewOf', 'ReviewFile', 'ReviewHunk', 'UndoPlan'],
  ])('acp.%s has the fields of the interface', (name) => {
    const fields = Object.fromEntries(
      luaFields(name).map(({ field, optional }) => [field, optional ? 'optional' : 'required']),
    );
    expect(fields).toEqual(fieldsOf(members(name)));
  });

  test('acp.Status has the fields of Status; what can be null may be absent', () => {
    const fields = Object.fromEntries(
      luaFields('Status').map(({ field, optional }) => [field, optional]),
    );
    const expected = Object.fromEntries(
      members('Status').map((member) => [
        nameOf(member),
        ts.isUnionTypeNode(member.type!) &&
          member.type.types.some(
            (type) => ts.isLiteralTypeNode(type) && type.literal.kind === ts.SyntaxKind.NullKeyword,
          ),
      ]),
    );
    expect(fields).toEqual(expected);
  });

  test('acp.Op has the fields of all operations', () => {
    const names = ['PutOp', 'AppendOp', 'DelOp', 'Decoration'];
    const expected = new Set(names.flatMap((name) => members(name).map(nameOf)));
    expect(
      luaFields('Op')
        .map(({ field }) => field)
        .sort(),
    ).toEqual([...expected].sort());
  });
});
