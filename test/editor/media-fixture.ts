/** The least of files that are images and sounds. */

const u16 = (value: number, little = false): Buffer => {
  const bytes = Buffer.alloc(2);
  if (little) bytes.writeUInt16LE(value);
  else bytes.writeUInt16BE(value);
  return bytes;
};

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const riff = (kind: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0'), Buffer.from(kind), body]);

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A PNG as far as anyone looks who only wants its size. */
export function png(width: number, height: number): Buffer {
  return Buffer.concat([PNG, u32(13), Buffer.from('IHDR'), u32(width), u32(height)]);
}

const jpeg = Buffer.concat([
  Buffer.from('ffd8ffe0', 'hex'),
  u16(16),
  Buffer.alloc(14),
  // A segment that is larger than what is read at once, with what looks like a frame in it.
  Buffer.from('ffe1', 'hex'),
  u16(60_000),
  Buffer.concat([Buffer.from('ffc000110801000100', 'hex'), Buffer.alloc(59_998 - 9)]),
  Buffer.from('ffc4', 'hex'),
  u16(4),
  Buffer.alloc(2),
  Buffer.from('ffc2', 'hex'),
  u16(17),
  Buffer.from([8]),
  u16(480),
  u16(640),
]);

/** Each 640×480 where it is an image. */
export const media = {
  png: png(640, 480),
  jpeg,
  gif: Buffer.concat([Buffer.from('GIF89a'), u16(640, true), u16(480, true)]),
  webp: riff('WEBP', Buffer.from('5650385800000000000000007f0200df0100', 'hex')),
  lossless: riff('WEBP', Buffer.from('5650384c000000002f7fc27700', 'hex')),
  lossy: riff('WEBP', Buffer.from('56503820000000000000009d012a8002e001', 'hex')),
  wav: riff('WAVE', Buffer.from('fmt ')),
  mp3: Buffer.from('fffb9064', 'hex'),
  id3: Buffer.from('ID3\x04'),
  ogg: Buffer.from('OggS\0'),
  flac: Buffer.from('fLaC\0'),
  m4a: Buffer.from('\0\0\0\x20ftypM4A \0\0'),
};
