import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initializeParams } from '../../src/acp/capabilities';
import { updateEvents } from '../../src/acp/v1';
import { TranscriptView } from '../../src/render/view';
import { transcriptMarkdown } from '../../src/session/markdown';
import { newTranscript, type MessageBlock } from '../../src/session/model';
import { Reducer } from '../../src/session/reduce';
import { Screen } from './render-screen';

const KEYS = ['claude-pty-acp/streaming-preview', 'claude-code-acp/streaming-preview'];

/** What an agent tells that drafts, and what of it is to be seen. */
class Talk {
  readonly transcript = newTranscript('/project');
  readonly reducer = new Reducer(this.transcript);
  readonly screen = new Screen();
  readonly view = new TranscriptView(this.transcript, {
    columns: 80,
    toolRows: 6,
    icons: 'unicode',
  });

  prompt(text = 'go'): this {
    this.reducer.turnStarted(this.reducer.user(text, [], 0, false), 0);
    return this;
  }

  draft(turn: number | undefined, text: string, key = KEYS[0]!): this {
    return this.#say(text, { [key]: { provisional: true, turn } });
  }

  final(turn: number | undefined, text: string, key = KEYS[0]!): this {
    return this.#say(text, { [key]: { replaceProvisional: true, turn } });
  }

  says(text: string): this {
    return this.#say(text);
  }

  tool(id: string, status = 'in_progress'): this {
    const update = { sessionUpdate: 'tool_call_update', toolCallId: id, title: id, status };
    for (const event of updateEvents(update)) this.reducer.apply(event, 0);
    return this;
  }

  end(stopReason = 'end_turn'): this {
    this.reducer.turnEnded(stopReason, 0);
    return this;
  }

  #say(text: string, meta?: object): this {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    for (const event of updateEvents(update, meta)) this.reducer.apply(event, 0);
    return this;
  }

  /** Sends what has changed. */
  flush(): this {
    for (const id of this.reducer.take()) this.view.touch(id);
    do this.screen.apply(this.view.take({ bytes: 64, lines: 4 }));
    while (this.view.pending);
    return this;
  }

  get messages(): MessageBlock[] {
    return this.transcript.order.flatMap((id) => {
      const block = this.transcript.blocks.get(id)!;
      return block.kind === 'message' ? [block] : [];
    });
  }

  /** The conversation in short: texts, and ids of tool calls. */
  get said(): string[] {
    return this.transcript.order.flatMap((id) => {
      const block = this.transcript.blocks.get(id)!;
      if (block.kind === 'message') return [block.text.toString()];
      return block.kind === 'tool' ? [`<${block.toolCallId}>`] : [];
    });
  }
}

describe('a draft', () => {
  it('is asked for under both names', () => {
    const meta = initializeParams().clientCapabilities._meta as Record<string, unknown>;
    for (const key of KEYS) expect(meta[key]).toEqual({ provisionalReplace: true });
  });

  it.each(KEYS)('told under %s is shown dimly, and then what is said in its place', (key) => {
    const talk = new Talk().prompt().draft(1, 'Hello wrld\n', key).draft(1, 'how are', key).flush();
    expect(talk.screen.marked('AcpDraft')).toEqual(['Hello wrld', 'how are']);
    talk.final(1, 'Hello **world**,\nhow are you?', key).flush();
    expect(talk.screen.marked('AcpDraft')).toEqual([]);
    expect(talk.screen.marked('AcpBold')).toEqual(['**world**']);
    expect(talk.said).toEqual(['Hello **world**,\nhow are you?']);
  });

  it('is replaced in its block, in one operation', () => {
    const talk = new Talk().prompt().draft(1, 'draft').flush().final(1, 'the text');
    for (const id of talk.reducer.take()) talk.view.touch(id);
    expect(talk.view.take()).toMatchObject([{ op: 'put', id: talk.messages[0]!.id }]);
    expect(talk.view.pending).toBe(false);
  });

  it('of any usual length is replaced in one operation, too', () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `this is line ${i}\n`).join('');
    const talk = new Talk().prompt().draft(1, lines).flush().final(1, `# All\n${lines}`);
    for (const id of talk.reducer.take()) talk.view.touch(id);
    expect(talk.view.take()).toHaveLength(1);
    expect(talk.view.pending).toBe(false);
    talk.draft(2, lines).flush().end();
    for (const id of talk.reducer.take()) talk.view.touch(id);
    expect(talk.view.take().filter(({ op }) => op === 'append')).toEqual([]);
  });

  it('leaves the screen only when what takes its place is there', () => {
    const talk = new Talk().prompt().draft(1, 'one').tool('t').draft(1, 'two').flush();
    talk.final(1, 'Something else.');
    for (const id of talk.reducer.take()) talk.view.touch(id);
    expect(talk.view.take().map(({ op }) => op)).toEqual(['put', 'del']);
  });

  it('goes on behind a tool call, and the text is cut where its drafts were', () => {
    const talk = new Talk().prompt().draft(1, "I'll look at it.\n").tool('t', 'completed');
    talk
      .draft(1, 'It is fine. ')
      .draft(1, 'Done\n')
      .final(1, "I'll look at **it**.It is fine. Done");
    expect(talk.said).toEqual(["I'll look at **it**.", '<t>', 'It is fine. Done']);
  });

  it('cuts behind the sign with which a draft ends', () => {
    const talk = new Talk().prompt().draft(1, 'Let me see:\n').tool('t').draft(1, 'So it is');
    talk.final(1, 'Let me see:So it is.');
    expect(talk.said).toEqual(['Let me see:', '<t>', 'So it is.']);
  });

  it('gives way to a text that goes another way, which then stands behind the tool calls', () => {
    const talk = new Talk().prompt().draft(1, 'Thinking…').tool('t').draft(1, 'The answr');
    talk.final(1, 'The answer is 4.');
    expect(talk.said).toEqual(['<t>', 'The answer is 4.']);
  });

  it('that never becomes a text stays, says so, and is no longer dim', () => {
    const talk = new Talk().prompt().draft(1, 'as **far**').end('cancelled').flush();
    expect(talk.screen.facts(talk.messages[0]!.id)).toEqual(['draft']);
    expect(talk.screen.marked('AcpDraft')).toEqual([]);
    expect(talk.screen.marked('AcpBold')).toEqual(['**far**']);
    expect(transcriptMarkdown(talk.transcript)).toContain('*Draft:*\n\nas **far**');
  });

  it('is replaced late, after the turn and in the next, where it stands', () => {
    const talk = new Talk().prompt().draft(1, 'frst').end().prompt('more').draft(2, 'scnd');
    talk.final(1, 'first').flush();
    expect(talk.said).toEqual(['first', 'scnd']);
    expect(talk.screen.facts(talk.messages[0]!.id)).toEqual([]);
    expect(talk.screen.marked('AcpDraft')).toEqual(['scnd']);
    talk.final(2, 'second');
    expect(talk.said).toEqual(['first', 'second']);
  });

  it('that comes behind its text says nothing any more, and a second text takes the place of the first', () => {
    const talk = new Talk().prompt().draft(1, 'dra').final(1, 'text').draft(1, 'ft').end();
    expect(talk.draft(1, 'late').said).toEqual(['text']);
    expect(talk.final(1, 'better').said).toEqual(['better']);
  });

  it('is not mixed with what the agent says for good', () => {
    const talk = new Talk().prompt().says('sure. ').draft(1, 'dra').says('indeed. ').draft(1, 'ft');
    expect(talk.said).toEqual(['sure. ', 'dra', 'indeed. ', 'ft']);
    expect(talk.final(1, 'text').says(' more').said).toEqual([
      'sure. ',
      'indeed. ',
      'text',
      ' more',
    ]);
  });

  it('without a number is of the turn that runs', () => {
    const talk = new Talk().prompt().draft(undefined, 'on').final(undefined, 'one').end();
    talk.prompt().draft(undefined, 'tw').final(undefined, 'two');
    expect(talk.said).toEqual(['one', 'two']);
  });

  it('of an agent that counts anew has nothing to do with former ones', () => {
    const talk = new Talk().prompt().draft(1, 'one').end('lost');
    talk.reducer.agentAnew();
    talk.prompt().draft(1, 'tw').final(1, 'two');
    expect(talk.said).toEqual(['one', 'two']);
  });

  it('of an empty text goes', () => {
    expect(new Talk().prompt().draft(1, 'x').final(1, '').said).toEqual([]);
  });

  it('may be odd', () => {
    const odd = [null, 7, 'x', [], {}, { provisional: 'yes' }, { turn: {} }];
    for (const about of odd) {
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } };
      expect(updateEvents(update, { [KEYS[0]!]: about })).toMatchObject([{ type: 'chunk' }]);
    }
  });
});

describe('the end of a session', () => {
  it('is told by a chunk without a text', () => {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '' } };
    const told = (about: object) =>
      updateEvents(update, { [KEYS[1]!]: { sessionEnded: true, ...about } });
    expect(told({ code: 1, signal: 9 })).toEqual([{ type: 'session_ended', code: 1, signal: '9' }]);
    expect(told({})).toEqual([{ type: 'session_ended', code: null, signal: null }]);
  });
});

describe('any order of drafts, tool calls, ends and texts', () => {
  const words = fc.constantFrom('a', 'B c', ' d.\n', '\n', '**e**', '`f`', '…', 'é');
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(fc.constant('draft' as const), fc.nat(2), words) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('tool' as const), fc.nat(3), words) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('turn' as const), fc.nat(2), words) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('final' as const), fc.nat(2), words) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('flush' as const), fc.nat(2), words) },
  );
  const solid = (text: string) => text.replace(/\s/g, '');

  it('says each text once, whatever was drafted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, likeDraft) => {
        const talk = new Talk().prompt();
        const drafted = ['', '', ''];
        for (const [what, n, text] of steps) {
          if (what === 'draft') {
            talk.draft(n, text);
            drafted[n] += text;
          } else if (what === 'tool') talk.tool(`t${n}`);
          else if (what === 'turn') talk.end().prompt();
          else if (what === 'flush') talk.flush();
          else talk.final(n, likeDraft ? `${drafted[n]}` : text);
        }
        const finals = [0, 1, 2].map((n) => `«${n} ${likeDraft ? drafted[n] : 'all'}»`);
        finals.forEach((text, n) => talk.final(n, text));
        talk.flush();
        const said = solid(talk.messages.map(({ text }) => text.toString()).join(''));
        let length = 0;
        for (const text of finals) {
          length += solid(text).length;
          for (const char of new Set(solid(text))) expect(said).toContain(char);
        }
        expect(said).toHaveLength(length);
        expect(talk.screen.blocks).toEqual(new Screen().apply(talk.view.full()).blocks);
        expect(talk.screen.marked('AcpDraft')).toEqual([]);
      }),
    );
  });
});
