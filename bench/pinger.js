// A worker that asks Neovim for an answer every few milliseconds over a channel of its own, so that neither the redraw
// events nor the garbage of the benchmark itself are in what it measures. `stop`: it posts how long each answer took.
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { parentPort, workerData } from 'node:worker_threads';
import msgpack from 'msgpack-lite';

const EVERY_MS = 4;

const socket = connect(workerData.address);
const sent = new Map();
const took = [];
let id = 0;
let stopping = false;

const timer = setInterval(() => {
  sent.set(++id, performance.now());
  socket.write(msgpack.encode([0, id, 'nvim_eval', ['1']]));
}, EVERY_MS);

function finish() {
  if (!stopping || sent.size > 0) return;
  parentPort.postMessage(took);
  parentPort.close();
  socket.destroy();
}

const answers = msgpack.createDecodeStream({ codec: msgpack.createCodec() });
socket.pipe(answers).on('data', ([, answered]) => {
  took.push(performance.now() - sent.get(answered));
  sent.delete(answered);
  finish();
});

parentPort.once('message', () => {
  clearInterval(timer);
  stopping = true;
  finish();
});
