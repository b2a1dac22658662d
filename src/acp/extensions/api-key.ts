/**
 * API keys: `_meta["api-key"] {provider}` of a way to log in. `authenticate` takes the key under the same name: as
 * `{apiKey}` (codex-acp), or as it is (gemini, whose provider is `google`). Without one, the agent takes that of its environment.
 */
import { object } from '../coerce';
import type { Extension } from './extension';

export const apiKey: Extension = {
  login(method) {
    const about = object(object(method._meta)?.['api-key']);
    if (!about) return undefined;
    const bare = about.provider === 'google';
    return {
      type: 'fields',
      fields: [
        {
          name: 'apiKey',
          title: 'API key (empty: the one in the agent’s environment)',
          required: false,
          secret: true,
        },
      ],
      meta: ({ apiKey: key }) => {
        return key === undefined ? {} : { 'api-key': bare ? key : { apiKey: key } };
      },
    };
  },
};
