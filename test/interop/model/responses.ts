import { list, nextId, object, propertiesOf, string, textOf, type Api, type Json } from './api';
import { SEARCH, type Message, type Reply, type Tool } from './script';

/** OpenAI's Responses, as Codex uses it. */
export const responses: Api = {
  path: /\/responses$/,

  read(body) {
    const items = list(body.input);
    const schema = object(object(body.text).format).schema;
    // Newer versions send tools as an item of the input, too, and those of servers when they were searched for.
    const more = items.filter(({ type }) =>
      /^(additional_tools|tool_search_output)$/.test(string(type)),
    );
    const tools = [...list(body.tools), ...more.flatMap((item) => list(item.tools))];
    return {
      messages: items.flatMap((item) => message(item) ?? []),
      tools: tools.flatMap(toolsOf),
      ...(schema ? { fields: propertiesOf(schema) } : {}),
    };
  },

  whole(body, reply) {
    return { ...head(body), status: 'completed', output: output(reply), usage: usage(reply) };
  },

  async stream(body, reply, send, pause) {
    let sequence_number = 0;
    const event = (type: string, data: Json) =>
      send({ type, sequence_number: sequence_number++, ...data }, type);
    const response = head(body);
    const items = output(reply);
    event('response.created', { response });
    for (const [output_index, item] of items.entries()) {
      const at = { item_id: item.id, output_index };
      const empty = item.type === 'message' ? { content: [] } : {};
      const added = { ...item, ...empty, status: 'in_progress' };
      event('response.output_item.added', { output_index, item: added });
      if (item.type === 'message') {
        const content = { ...at, content_index: 0 };
        const part = { type: 'output_text', text: '', annotations: [] };
        event('response.content_part.added', { ...content, part });
        for (const delta of reply.pieces) {
          event('response.output_text.delta', { ...content, delta });
          await pause();
        }
        event('response.output_text.done', { ...content, text: reply.pieces.join('') });
      }
      event('response.output_item.done', { output_index, item });
    }
    const completed = { ...response, status: 'completed', output: items, usage: usage(reply) };
    event('response.completed', { response: completed });
  },
};

function message(item: Json): Message | null {
  const type = string(item.type) || 'message';
  if (type === 'tool_search_call') return { role: 'assistant', text: '', calls: false };
  if (/_call$/.test(type)) return { role: 'assistant', text: '', calls: true };
  if (/_output$/.test(type)) return { role: 'tool', text: textOf(item.output), calls: false };
  if (type !== 'message' || (item.role !== 'user' && item.role !== 'assistant')) return null;
  return { role: item.role, text: textOf(item.content), calls: false };
}

function toolsOf(tool: Json): Tool[] {
  if (tool.type === 'namespace') {
    const namespace = string(tool.name);
    return list(tool.tools).flatMap((each) => toolsOf(each).map((it) => ({ ...it, namespace })));
  }
  if (tool.type === 'tool_search') return [{ name: SEARCH, custom: false, properties: [] }];
  const custom = tool.type === 'custom';
  if (!custom && tool.type !== 'function') return [];
  return [{ name: string(tool.name), custom, properties: propertiesOf(tool.parameters) }];
}

function head(body: Json): Json {
  const created_at = Math.floor(Date.now() / 1000);
  const rest = { object: 'response', status: 'in_progress', output: [], error: null };
  return { id: nextId('resp'), created_at, model: body.model, ...rest };
}

function output({ pieces, call }: Reply): Json[] {
  const items: Json[] = [];
  if (pieces.length > 0) {
    const part = { type: 'output_text', text: pieces.join(''), annotations: [] };
    items.push({ type: 'message', id: nextId('msg'), role: 'assistant', content: [part] });
  }
  if (call?.name === SEARCH) {
    const { input } = call;
    const ids = { id: nextId('item'), call_id: nextId('call') };
    items.push({ type: 'tool_search_call', ...ids, execution: 'client', arguments: input });
  } else if (call) {
    const { name, namespace, input } = call;
    items.push({
      ...(typeof input === 'string'
        ? { type: 'custom_tool_call', input }
        : { type: 'function_call', arguments: JSON.stringify(input) }),
      id: nextId('item'),
      call_id: nextId('call'),
      name,
      ...(namespace !== undefined && { namespace }),
    });
  }
  return items.map((item) => ({ ...item, status: 'completed' }));
}

function usage({ pieces }: Reply): Json {
  const output_tokens = pieces.length + 1;
  return {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1000 + output_tokens,
  };
}
