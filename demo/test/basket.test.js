import assert from 'node:assert/strict';
import { Basket, euros } from '../src/basket.js';

const tests = {
  'an empty basket costs nothing': () => {
    assert.equal(new Basket().total(), 0);
  },
  'the total counts each item as often as it was added': () => {
    assert.equal(new Basket().add('apple', 50, 3).add('bread', 320).total(), 470);
  },
  'a basket knows what is in it': () => {
    assert.ok(new Basket().add('apple', 50).has('apple'));
  },
  'prices have two digits': () => {
    assert.equal(euros(320), '€ 3.20');
  },
};

const red = (text) => `\x1b[31m${text}\x1b[0m`;
const green = (text) => `\x1b[32m${text}\x1b[0m`;

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
    console.log(`${green('✓')} ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`${red('✗')} ${name}\n  ${error.message}`);
  }
}
console.log(failed > 0 ? red(`${failed} failed`) : green('all passed'));
process.exitCode = failed > 0 ? 1 : 0;
