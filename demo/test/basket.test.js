import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Basket, euros } from '../src/basket.js';

test('an empty basket costs nothing', () => {
  assert.equal(new Basket().total(), 0);
});

test('the total counts each item as often as it was added', () => {
  assert.equal(new Basket().add('apple', 50, 3).add('bread', 320).total(), 470);
});

test('a basket knows what is in it', () => {
  assert.ok(new Basket().add('apple', 50).has('apple'));
});

test('prices have two digits', () => {
  assert.equal(euros(320), '€ 3.20');
});
