import { fillerFor } from '#shared/application/log/filler.ts';
import { keyUseStream } from '#shared/domain/key-use/events.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { readEventSignature } from '#shared/platform/event-store/signature.ts';
import { newId } from '#shared/platform/ids.ts';
import { dayMs } from '#shared/domain/day.ts';
import { logKey, nextCommon, nextKey, otherKey, signEvent, signEvents } from '../signed-log.ts';
import { movedFrom } from '../figures.ts';
import { type Corruption, type Corruptions, corruptionsFor, find } from './changes.ts';

const hourMs = 3_600_000;
/** A log whose events are signed, changed afterwards. */
const signed = (change: (log: RawEvent[]) => void): Corruption => ({
  written: (log) => {
    signEvents(log);
    change(log);
  },
});
/** The event of this type as another one, or with other content. */
const forged = (type: string, change: (event: RawEvent) => Partial<RawEvent>): Corruption =>
  signed((log) => {
    const event = find(log, type);
    Object.assign(event, change(event));
  });
const signedBy = (type: string, service: string): Corruption =>
  signed((log) => signEvent(find(log, type), logKey(service)));
const findEntry = (log: RawEvent[], kind: string): RawEvent =>
  log.find(
    ({ type, data }) => type === 'EntryPosted' && data.includes(`"kind":"${kind}"`),
  ) as RawEvent;
/** An entry of this kind, signed with the key of another service. */
const entrySigned = (kind: string, service: string): Corruption =>
  signed((log) => signEvent(findEntry(log, kind), logKey(service)));
const replaced = (bytes: Buffer, from: string | RegExp, to: string): Buffer =>
  Buffer.from(bytes.toString('utf8').replace(from, to));
const later = ({ createdTicks }: RawEvent, ms: number): string =>
  String(BigInt(createdTicks) + BigInt(ms) * 10_000n);

/** Appends an event after all others, a time after the last one. */
export function appendLate(
  log: RawEvent[],
  change: Partial<RawEvent> & Pick<RawEvent, 'stream' | 'type' | 'revision'>,
  afterMs = 10,
): RawEvent {
  const last = log.at(-1) as RawEvent;
  const event = {
    ...last,
    id: newId(),
    position: last.position + 100,
    createdTicks: later(last, afterMs),
    metadata: Buffer.from(
      '{"correlation_id":"c","actor":"service:merchant-api","schema_version":1}',
    ),
    ...change,
  };
  log.push(event);
  return event;
}

const moved = { stream: 'log', type: 'LogMoved' };
/** The end of a move of the log, after which the log is open here. */
export function appendMoved(log: RawEvent[], revision = 0): void {
  const data = Buffer.from(JSON.stringify(movedFrom(log)));
  const event = appendLate(log, { ...moved, revision, data });
  event.metadata = replaced(event.metadata, 'service:merchant-api', 'service:move');
  signEvent(event, logKey('move'));
}

/** A service records the key that all of them share, a time after the last event. */
export function appendKeyEvent(
  log: RawEvent[],
  event: { type: 'LogKeyBegan' | 'LogKeyRequired'; revision: number; key_id?: string },
  afterMs?: number,
): void {
  const { key_id = logKey('log').id, ...place } = event;
  const data = Buffer.from(JSON.stringify({ key_id }));
  signEvent(appendLate(log, { stream: 'log-keys', ...place, data }, afterMs), withCommon);
}

/** From here on every event needs a signature that all services can verify. */
export function requireCommonKey(log: RawEvent[]): void {
  appendKeyEvent(log, { type: 'LogKeyBegan', revision: 0 });
  appendKeyEvent(log, { type: 'LogKeyRequired', revision: 1 }, dayMs);
}

/** The next key begins, and a day later it is required. */
export function replaceCommonKey(log: RawEvent[], meanwhile = (): void => undefined): void {
  const next = { ...logKey('merchant-api'), common: [nextCommon] };
  const data = Buffer.from(JSON.stringify({ key_id: nextCommon.id }));
  const record = (type: string, revision: number, afterMs?: number) =>
    signEvent(appendLate(log, { stream: 'log-keys', type, revision, data }, afterMs), next);
  record('LogKeyBegan', 2);
  meanwhile();
  record('LogKeyRequired', 3, dayMs);
}

/** These events of keys follow a log that was signed from its start, a day after each other. */
const keysRecorded = (
  ...events: readonly (readonly [
    'LogKeyBegan' | 'LogKeyRequired',
    key?: string | undefined,
    afterMs?: number,
  ])[]
): Corruption =>
  signed((log) => {
    for (const [revision, [type, key_id, afterMs = dayMs]] of events.entries())
      appendKeyEvent(log, { type, revision, ...(key_id !== undefined && { key_id }) }, afterMs);
  });

const withCommon = { ...logKey('merchant-api'), common: [logKey('log')] };

/** Removes the signatures of an event. */
function strip(event: RawEvent): void {
  const text = event.metadata.toString('utf8');
  event.metadata = Buffer.from(text.replaceAll(/,"(?:common_)?signature":"[^"]*"/g, ''));
}

/** A use of a key, whose stream retains only the newest. */
export const keyUsed = (revision: number, at = '2026-01-31T12:00:00.000Z') => ({
  stream: keyUseStream('k'),
  type: 'ApiKeyUsed',
  revision,
  data: Buffer.from(JSON.stringify({ key_id: 'k', used_at: at })),
});

export const signatures = {
  'log.unsigned': {
    'an event without a signature in a log that is signed from its start': forged(
      'LegReceived',
      ({ metadata }) => ({ metadata: replaced(metadata, ',"signature"', ',"signed"') }),
    ),
    'one a day after the first signature, with a time that was set back': {
      written: (log) => {
        signEvents(log.slice(log.length / 2));
        signEvent(appendLate(log, keyUsed(0), 2 * dayMs));
        appendLate(log, keyUsed(1), -2 * dayMs);
      },
    },
    'one a day after the first signature, before services begin to sign anew': {
      written: (log) => {
        signEvents(log.slice(log.length / 2));
        appendLate(log, keyUsed(0), 2 * dayMs);
        appendKeyEvent(log, { type: 'LogKeyBegan', revision: 0 });
      },
    },
    'one a day after services began to sign anew': {
      written: (log) => {
        signEvents(log.slice(log.length / 2));
        appendKeyEvent(log, { type: 'LogKeyBegan', revision: 0 });
        appendKeyEvent(log, { type: 'LogKeyBegan', revision: 1 }, 2 * dayMs);
        signEvent(appendLate(log, keyUsed(0), 2 * dayMs));
        appendLate(log, keyUsed(1));
      },
    },
    'one after services require signatures, with a time that was set back': {
      written: (log) => {
        signEvents(log.slice(log.length / 2));
        appendLate(log, keyUsed(0));
        requireCommonKey(log);
        appendLate(log, keyUsed(1), -dayMs);
      },
    },
    'all of them, since what requires them is not signed': {
      written: (log) => {
        signEvents(log);
        requireCommonKey(log);
        signEvent(appendLate(log, keyUsed(0)), withCommon);
        for (const event of log) strip(event);
      },
    },
    'what is about keys within the day of an upgrade': {
      written: (log) => {
        signEvents(log.slice(log.length / 2));
        requireCommonKey(log);
        for (const event of log.slice(-2)) strip(event);
      },
    },
    'one without the signature that all services verify, after they require it': {
      written: (log) => {
        signEvents(log);
        requireCommonKey(log);
        signEvent(appendLate(log, keyUsed(0)));
      },
    },
  },
  'log.keys': {
    'a key that is required although it never began': keysRecorded(['LogKeyRequired']),
    'a key that is required at once in a log that had events': keysRecorded(
      ['LogKeyBegan'],
      ['LogKeyRequired', undefined, 10],
    ),
    'a key that begins twice within a day': keysRecorded(
      ['LogKeyBegan'],
      ['LogKeyBegan', undefined, hourMs],
    ),
    'a key that begins again after it is required': keysRecorded(
      ['LogKeyBegan'],
      ['LogKeyRequired'],
      ['LogKeyBegan'],
    ),
    'a key that is required twice': keysRecorded(
      ['LogKeyBegan'],
      ['LogKeyRequired'],
      ['LogKeyRequired'],
    ),
    'a key that begins without a signature that all services verify': signed((log) => {
      const data = Buffer.from(JSON.stringify({ key_id: logKey('log').id }));
      const place = { stream: 'log-keys', type: 'LogKeyBegan', revision: 0, data };
      signEvent(appendLate(log, place), logKey('merchant-api'));
    }),
    'a key that begins with the signature of another one': keysRecorded([
      'LogKeyBegan',
      nextCommon.id,
    ]),
    'a key that the audit has not got': keysRecorded(['LogKeyBegan', 'deadbeef']),
  },
  'log.signature': {
    'a made-up signature that all services verify': signed((log) => {
      requireCommonKey(log);
      const event = appendLate(log, keyUsed(0));
      const made = ',"common_signature":"00000000.AAAAAAAAAAAAAAAAAAAAAA"}';
      event.metadata = replaced(event.metadata, /}$/, made);
      signEvent(event, logKey('merchant-api'));
    }),
    'another event’s signature that all services verify': signed((log) => {
      requireCommonKey(log);
      signEvent(appendLate(log, keyUsed(0)), withCommon);
      const { signed: both } = readEventSignature(log.at(-1)?.metadata ?? Buffer.alloc(0)) ?? {};
      const event = appendLate(log, keyUsed(1, '2026-01-31T13:00:00.000Z'));
      event.metadata = Buffer.from(`${both?.toString('utf8')}}`);
      signEvent(event, logKey('merchant-api'));
    }),
    'a key of all services that another one replaced': signed((log) => {
      requireCommonKey(log);
      replaceCommonKey(log);
      signEvent(appendLate(log, keyUsed(0)), withCommon);
    }),
    'other data': forged('LegReceived', ({ data }) => ({ data: replaced(data, '40.00', '49.00') })),
    'another actor': forged('LegReceived', ({ metadata }) => ({
      metadata: replaced(metadata, /"actor":"\w+:/, '"actor":"operator:'),
    })),
    'another id': forged('LegReceived', () => ({ id: newId() })),
    'another stream': forged('StatementFindingClosed', ({ stream }) => ({ stream: `${stream}-2` })),
    'a signed event again, at the next revision': signed((log) => {
      const event = log.findLast(({ type }) => type === 'EntryPosted') as RawEvent;
      const { stream, type, revision, data, metadata } = event;
      appendLate(log, { stream, type, revision: revision + 1, data, metadata });
    }),
    'the signature of another event': signed((log) => {
      const [first, second] = log.filter(({ type }) => type === 'EntryPosted');
      if (first && second) second.metadata = first.metadata;
    }),
    'a key that the audit has not got': forged('LegReceived', ({ metadata }) => ({
      metadata: replaced(metadata, /"signature":"\w{8}/, '"signature":"00000000'),
    })),
    'a key a day after another one replaced it': signed((log) => {
      signEvent(appendLate(log, keyUsed(0)), nextKey);
      signEvent(appendLate(log, keyUsed(1), 2 * dayMs), logKey('merchant-api'));
    }),
    'a use of a key that is no copy of the next one': signed((log) => {
      appendFillers(log, signedUse(log, 1));
      signEvent(appendLate(log, keyUsed(1, '2026-01-31T13:00:00.000Z')));
      appendMoved(log);
    }),
    'a use of a key that no other one follows': signed((log) => {
      appendFillers(log, signedUse(log, 1));
      appendMoved(log);
    }),
    'a copy of the next use of a key with another id than a move gives it': signed((log) => {
      const use = signedUse(log, 1);
      appendLate(log, { ...keyUsed(0), metadata: use.metadata });
      appendLate(log, use);
      appendMoved(log);
    }),
    'copies of the next use of a key after which the log was not moved': signed((log) => {
      const use = signedUse(log, 2);
      appendFillers(log, use);
      appendLate(log, { ...keyUsed(2), id: use.id, metadata: use.metadata });
    }),
  },
  'authority.signer': {
    'an entry by the key of projections': signedBy('EntryPosted', 'projections'),
    ...corruptionsFor(['merchant-api', 'processor', 'portal', 'webhooks'], (service) => [
      `an operator’s adjustment of a balance by the key of ${service}`,
      entrySigned('adjustment', service),
    ]),
    'an operator’s decision on late money by the key of the processor': entrySigned(
      'resolution',
      'processor',
    ),
    'a merchant’s reservation by the key of webhooks': entrySigned('reserve', 'webhooks'),
    'the processor’s credit by the key of the portal': entrySigned('credit', 'portal'),
    'a late entry of the portal’s own': signed((log) => {
      const event = findEntry(log, 'suspense');
      event.metadata = replaced(event.metadata, /"actor":"[^"]*"/, '"actor":"service:portal"');
      signEvent(event);
    }),
    'an adjustment of an older version by the key of projections': signed((log) => {
      const event = findEntry(log, 'adjustment');
      event.metadata = replaced(event.metadata, /"schema_version":\d+/, '"schema_version":3');
      signEvent(event, logKey('projections'));
    }),
    'money of a provider by the key of the payment page, without a receipt': signedBy(
      'LegReceived',
      'payment-page',
    ),
    'a callback by the key of the merchant API': signed((log) => {
      const uploaded = find(log, 'ReceiptUploaded');
      const report = { id: 'i', timestamp: '1', secret_hint: 'h' };
      const caused = log.find(
        ({ stream, position }) => stream === uploaded.stream && position > uploaded.position,
      ) as RawEvent;
      const { signed: metadata } = readEventSignature(caused.metadata) ?? {};
      caused.metadata = Buffer.from(
        JSON.stringify({
          ...(JSON.parse(`${metadata?.toString('utf8')}}`) as object),
          actor: 'provider:sandbox',
          report,
        }),
      );
      signEvent(caused, logKey('merchant-api'));
    }),
    'money by the key of webhooks': signedBy('LegReceived', 'webhooks'),
    'a command of an operator by the key of the merchant API': signedBy(
      'AdjustmentRequested',
      'merchant-api',
    ),
    'an event of the processor by the key of the merchant API': signedBy(
      'PersonalKeyCreated',
      'merchant-api',
    ),
    'money of the portal’s own': signed((log) => {
      const event = find(log, 'LegReceived');
      event.metadata = replaced(event.metadata, /"actor":"[^"]*"/, '"actor":"service:portal"');
      signEvent(event);
    }),
    'a move of the log by the processor': signed((log) => {
      const data = Buffer.from(JSON.stringify(movedFrom(log)));
      signEvent(appendLate(log, { stream: 'log', type: 'LogMoved', revision: 0, data }));
    }),
    'an event by a key that signs nothing': signed((log) =>
      signEvent(find(log, 'LegReceived'), otherKey),
    ),
  },
} satisfies Corruptions;

/** What a move appends in place of the uses before this one. */
export function appendFillers(log: RawEvent[], use: RawEvent): void {
  for (let revision = 0; revision < use.revision; revision += 1) {
    const { id, metadata } = fillerFor(use, revision);
    appendLate(log, { ...keyUsed(revision), id, metadata });
  }
}

/** A signed use at another revision, which is not in the log. */
export function signedUse(log: readonly RawEvent[], revision: number): RawEvent {
  const event = appendLate([...log], keyUsed(revision));
  signEvent(event);
  return event;
}
