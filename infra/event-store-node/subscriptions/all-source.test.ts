import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../protocol/recorded-event.ts';
import type { From, LogPosition } from '../protocol/read-request.ts';
import type { RecordedEvent } from '../storage/stored-event.ts';
import { createAllSource } from './all-source.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { SubscriptionSource } from './run-subscription.ts';

const SIZE = 100;

function eventAt(position: number, type: string, streamId = 1): RecordedEvent {
  const nothing = Buffer.alloc(0);
  const content = { revision: 0, position, type, contentType: 'application/json', createdMs: 1 };
  const record = encodeRecord({ ...content, stream: 's', metadata: nothing, data: nothing });
  return { position, streamId, revision: 0, id: Buffer.alloc(16), type, createdMs: 1, record };
}

/** A log with an event of each type, one per 100 positions; lower-case types are hidden. */
function logOf(types: string): RecordedEvent[] {
  return Array.from(types, (type, index) =>
    eventAt((index + 1) * SIZE, type, type === type.toLowerCase() ? 0 : 1),
  );
}

type Setting = {
  readonly log: RecordedEvent[];
  readonly from?: From<LogPosition>;
  readonly window?: number;
  readonly wanted?: string;
  readonly onRead?: (limit: number) => void;
};

function sourceOf(setting: Setting): SubscriptionSource {
  const { log, from = { kind: 'start' }, window, wanted = 'A', onRead } = setting;
  return createAllSource({
    from,
    filtering:
      window === undefined
        ? undefined
        : {
            matches: (event) => event.type === wanted,
            window,
            checkpoints: createCheckpoints(window),
          },
    records(position, limit) {
      onRead?.(limit);
      return log.filter((event) => event.position >= position).slice(0, limit);
    },
    logEnd: () => (log.length + 1) * SIZE,
    frameOf: (event) => Buffer.from(`${event.type}${event.position} `),
    listen: () => () => undefined,
  });
}

/** Events as they are framed above, checkpoints as `=commit/prepare`. */
function text(frames: readonly Buffer[]): string {
  return frames
    .map((frame) => (frame[0] === 0 ? checkpointText(frame) : frame.toString()))
    .join('')
    .trim();
}

function checkpointText(frame: Buffer): string {
  const hex = frame.subarray(7).toString('hex');
  const numbers = /^08((?:[89a-f].)*[0-7].)10((?:[89a-f].)*[0-7].)$/.exec(hex);
  const decode = (bytes = ''): number =>
    Buffer.from(bytes, 'hex').reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return `=${decode(numbers?.[1])}/${decode(numbers?.[2])} `;
}

function catchUp(source: SubscriptionSource): string[] {
  const pages: string[] = [];
  for (let page = 0; page < 50; page += 1) {
    const { frames, state } = source.catchUp();
    pages.push(text(frames));
    if (state !== 'more') return pages;
  }
  throw new Error('the catch-up does not end');
}

describe('catch-up on $all', () => {
  it('returns every event except hidden ones', () => {
    expect(catchUp(sourceOf({ log: logOf('AxB') }))).toEqual(['A100 B300']);
  });

  it.each([
    ['a position is exclusive', { commit: 200, prepare: 200 }, 'C300'],
    ["a page's start is before its record", { commit: 200, prepare: 0 }, 'B200 C300'],
    ['a position behind the end', { commit: 90_000, prepare: 90_000 }, ''],
  ])('starts correctly: %s', (_, at, expected) => {
    expect(catchUp(sourceOf({ log: logOf('ABC'), from: { kind: 'at', at } }))).toEqual([expected]);
  });

  it('returns one checkpoint per window: the last match, else the start of the page', () => {
    const source = sourceOf({ log: logOf('BBABABBBB'), window: 3 });
    expect(catchUp(source)).toEqual(['A300 =300/300', 'A500 =500/500', '=700/0', '']);
  });

  it('sends the starts of pages as checkpoints when nothing matches', () => {
    expect(catchUp(sourceOf({ log: logOf('BBBB'), window: 2 }))).toEqual(['=0/0', '=300/0', '']);
  });

  it('sends every match when there are more than fit on a page', () => {
    const log = logOf('A'.repeat(100));
    const all = catchUp(sourceOf({ log, window: 1000 })).join(' ');
    expect(all.match(/A\d+/g)).toHaveLength(100);
  });

  it('reads a bounded part of the log per turn, for any window', () => {
    const reads: number[] = [];
    const log = logOf('B'.repeat(1200));
    const source = sourceOf({ log, window: 1000, onRead: (limit) => reads.push(limit) });
    const steps: [number, string][] = [];
    for (let state = 'more'; state === 'more'; reads.length = 0) {
      const step = source.catchUp();
      ({ state } = step);
      steps.push([reads.reduce((sum, limit) => sum + limit, 0), text(step.frames)]);
    }
    // The checkpoint is that of the whole window.
    expect(steps).toEqual([
      [256, ''],
      [256, ''],
      [256, ''],
      [232, '=0/0'],
      [256, ''],
    ]);
  });

  it('loses nothing when it is resumed from any of its checkpoints', () => {
    const log = logOf('ABBABAABBBBABBAAAABBBBBBBBABAB');
    for (const window of [1, 2, 3, 7]) {
      const pages = catchUp(sourceOf({ log, window })).join(' ').split(' ');
      for (const [index, entry] of pages.entries()) {
        const position = /^=(\d+)\/(\d+)$/.exec(entry);
        if (position === null) continue;
        const from = {
          kind: 'at',
          at: { commit: Number(position[1]), prepare: Number(position[2]) },
        } as const;
        const rest = catchUp(sourceOf({ log, window, from })).join(' ');
        const expected = pages.slice(index).filter((event) => event.startsWith('A'));
        expect(rest.match(/A\d+/g) ?? []).toEqual(expected);
      }
    }
  });
});

describe('live events', () => {
  it('continue after the catch-up, with a checkpoint at every n-th event', () => {
    const source = sourceOf({ log: logOf('AB'), window: 4 });
    catchUp(source);
    const events = logOf('ABABAB').map((event) => ({ stream: 's', event }));
    expect(text(source.live(events).frames)).toBe('A300 =400/400 A500');
  });

  it('begin after a position in the future', () => {
    const source = sourceOf({
      log: logOf('A'),
      from: { kind: 'at', at: { commit: 300, prepare: 300 } },
    });
    catchUp(source);
    const events = logOf('ABCD').map((event) => ({ stream: 's', event }));
    expect(text(source.live(events).frames)).toBe('D400');
  });
});
