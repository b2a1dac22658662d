import { list, nextId, object, propertiesOf, string, textOf, type Api, type Json } from './api';
import type { Message, Reply } from './script';

/** OpenAI's Chat Completions. */
export const chat: Api = {
  path: /\/chat\/completions$/,

  read(body) {
    return {
      messages: list(body.messages)
        .filter(({ role }) => role !== 'system' && role !== 'developer')
        .map((message) => ({
          role: message.role as Message['role'],
          text: textOf(message.content),
          calls: list(message.tool_calls).length > 0,
        })),
      tools: list(body.tools).map((tool) => ({
        name: string(object(tool.function).name),
        custom: false,
        properties: propertiesOf(object(tool.function).parameters),
      })),
    };
  },

  whole(body, reply) {
    const message = { role: 'assistant', content: reply.pieces.join(''), ...toolCalls(reply) };
    const choices = [{ index: 0, message, finish_reason: reason(reply) }];
    return { ...head(body), object: 'chat.completion', choices, usage: usage(reply) };
  },

  async stream(body, reply, send, pause) {
    const chunk = { ...head(body), object: 'chat.completion.chunk' };
    const delta = (delta: Json, finish_reason: string | null = null) =>
      send({ ...chunk, choices: [{ index: 0, delta, finish_reason }] });
    delta({ role: 'assistant', content: '' });
    for (const content of reply.pieces) {
      delta({ content });
      await pause();
    }
    if (reply.call) delta(toolCalls(reply));
    delta({}, reason(reply));
    send({ ...chunk, choices: [], usage: usage(reply) });
    send('[DONE]');
  },
};

function head(body: Json): Json {
  const created = Math.floor(Date.now() / 1000);
  return { id: nextId('chatcmpl'), created, model: body.model };
}

function toolCalls({ call }: Reply): Json {
  if (!call) return {};
  const fn = { name: call.name, arguments: JSON.stringify(call.input) };
  return { tool_calls: [{ index: 0, id: nextId('call'), type: 'function', function: fn }] };
}

function reason({ call }: Reply): string {
  return call ? 'tool_calls' : 'stop';
}

function usage({ pieces }: Reply): Json {
  const completion_tokens = pieces.length + 1;
  return { prompt_tokens: 1000, completion_tokens, total_tokens: 1000 + completion_tokens };
}
