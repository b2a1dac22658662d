import { describe, it } from 'vitest';
import { Life, type Victim } from './chaos';
import { Chance } from './chance';

/** How many kills: `make chaos KILLS=200`, which takes its time. `SEED` begins with another. */
const KILLS = Number(process.env.KILLS ?? 5);
const SEED = Number(process.env.SEED ?? 1);
const KILLS_PER_LIFE = 5;
const VICTIMS: Victim[] = ['nvim', 'sidecar', 'agent'];

const lives = Array.from({ length: Math.ceil(KILLS / KILLS_PER_LIFE) }, (_, life) => ({
  seed: SEED + life,
  kills: Math.min(KILLS_PER_LIFE, KILLS - life * KILLS_PER_LIFE),
}));

describe('nothing that was typed or said is lost or doubled by SIGKILL', () => {
  it.each(lives)('seed $seed, $kills kills', { timeout: 180_000 }, async ({ seed, kills }) => {
    const chance = new Chance(-seed);
    const first = chance.below(VICTIMS.length);
    const life = await Life.begin(seed);
    try {
      // Each in its turn, so that a few kills meet them all.
      for (let n = 0; n < kills; n++) await life.survive(VICTIMS[(first + n) % VICTIMS.length]!);
      await life.finish();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n\n${life.story()}`, { cause: error });
    }
  });
});
