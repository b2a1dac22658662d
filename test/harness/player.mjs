// What the agents of the tests have in common: a record of what they saw, and frames on stdio.
//
// RECORD gets one JSON line for each thing that happens: {"start":pid}, {"frame":…} received, {"raw":…} received
// but not JSON, {"child":pid} started, {"ended":true} for the end of our input, {"fault":…} for a script that went wrong,
// {"awaits":method} where a replay waits for the client, {"played":true} at its end.
import { Buffer } from 'node:buffer';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

const [settingsFile, recordFile] = process.argv.slice(2);

export const settings = JSON.parse(readFileSync(settingsFile, 'utf8'));

export const record = (entry) => appendFileSync(recordFile, `${JSON.stringify(entry)}\n`);

/** How often it was started before. */
export function starts() {
  try {
    return readFileSync(recordFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{"start"')).length;
  } catch {
    return 0;
  }
}

/** Straight to the descriptor, so that nothing is lost when the process ends. */
export function write(data) {
  let bytes = Buffer.from(data);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

export const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Records the start, then each message, and gives it to `receive`. */
export function listen(receive, onEnd) {
  record({ start: process.pid });
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      let frame;
      try {
        frame = JSON.parse(line);
      } catch {
        record({ raw: line });
        return;
      }
      record({ frame });
      receive(frame);
    })
    .on('close', () => {
      record({ ended: true });
      onEnd();
    });
}
