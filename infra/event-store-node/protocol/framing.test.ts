import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RefusedMessage, createFrameParser, frame } from './framing.ts';

it('parses messages wherever the bytes are split', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
      (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(frame));
        const received: Buffer[] = [];
        const parser = createFrameParser(100, (message) => received.push(Buffer.from(message)));
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const length = cuts[turn % cuts.length] ?? 1;
          parser.push(bytes.subarray(at, at + length));
          at += length;
        }
        expect(received).toEqual(sent.map((message) => Buffer.from(message)));
      },
    ),
  );
});

it('rejects a too large message before it has arrived', () => {
  const parser = createFrameParser(100, () => undefined);
  const header = Buffer.from([0, 0, 0, 0, 101]);
  expect(() => parser.push(header)).toThrow(
    new RefusedMessage(
      8,
      'Received message exceeds the maximum configured message size of 100 bytes.',
    ),
  );
});

it('rejects a compressed message', () => {
  const parser = createFrameParser(100, () => undefined);
  expect(() => parser.push(Buffer.from([1, 0, 0, 0, 0]))).toThrow(RefusedMessage);
});
