import { list, nextId, object, propertiesOf, string, textOf, type Api, type Json } from './api';
import type { Message, Reply } from './script';

/** Anthropic's Messages. */
export const anthropic: Api = {
  path: /\/messages$/,

  read(body) {
    const format = object(object(body.output_config).format ?? body.output_format);
    return {
      messages: list(body.messages).flatMap((message): Message[] => {
        const parts = list(message.content);
        const result = parts.filter(({ type }) => type === 'tool_result');
        const said = parts.filter(({ type }) => type === 'text');
        const text = textOf(parts.length > 0 ? said : message.content);
        const calls = parts.some(({ type }) => type === 'tool_use');
        if (message.role === 'assistant') return [{ role: 'assistant', text, calls }];
        // What the user says after a rejection stands in one message with it.
        return [
          ...(result.length > 0 ? [{ role: 'tool', text: textOf(result), calls } as const] : []),
          ...(text ? [{ role: 'user', text, calls } as const] : []),
        ];
      }),
      tools: list(body.tools).map((tool) => ({
        name: string(tool.name),
        custom: false,
        properties: propertiesOf(tool.input_schema),
      })),
      ...(format.schema ? { fields: propertiesOf(format.schema) } : {}),
    };
  },

  whole(body, reply) {
    return { ...head(body), content: blocks(reply), ...end(reply), usage: usage(reply) };
  },

  async stream(body, reply, send, pause) {
    const event = (type: string, data: Json) => send({ type, ...data }, type);
    const started = { ...head(body), content: [], stop_reason: null, usage: usage(reply) };
    event('message_start', { message: started });
    for (const [index, block] of blocks(reply).entries()) {
      const deltas =
        block.type === 'text'
          ? reply.pieces.map((text) => ({ type: 'text_delta', text }))
          : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
      const empty = block.type === 'text' ? { text: '' } : { input: {} };
      event('content_block_start', { index, content_block: { ...block, ...empty } });
      for (const delta of deltas) {
        event('content_block_delta', { index, delta });
        await pause();
      }
      event('content_block_stop', { index });
    }
    event('message_delta', { delta: end(reply), usage: usage(reply) });
    event('message_stop', {});
  },
};

function head(body: Json): Json {
  return { id: nextId('msg'), type: 'message', role: 'assistant', model: body.model };
}

function blocks({ pieces, call }: Reply): Json[] {
  return [
    ...(pieces.length > 0 ? [{ type: 'text', text: pieces.join('') }] : []),
    ...(call
      ? [{ type: 'tool_use', id: nextId('toolu'), name: call.name, input: call.input }]
      : []),
  ];
}

function end({ call }: Reply): Json {
  return { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
}

function usage({ pieces }: Reply): Json {
  return {
    input_tokens: 1000,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: pieces.length + 1,
  };
}
