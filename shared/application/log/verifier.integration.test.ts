import { expect, it, onTestFinished, vi } from 'vitest';
import { ownLogForFile, startOwnLog } from '#infra/verify/harness/stores/own-log.ts';
import { useStore } from '#infra/verify/harness/stores/store.ts';
import { decodeLogEvent, logKeysStream, logStream } from '#shared/domain/log/events.ts';
import { UntrustedEvent } from '#shared/domain/decode.ts';
import { newId } from '#shared/platform/ids.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { LogIsClosed } from '#shared/platform/event-store/log-gate.ts';
import { connectRawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { createLogKey, readCommonSignature } from '#shared/platform/event-store/signature.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { NO_STREAM, type NewEvent } from '#shared/platform/event-store/types.ts';
import type { VerifierPorts } from '#shared/platform/event-store/verifier.ts';
import { createVerifier } from './verifier.ts';

const key = (service: string, text = service) =>
  createLogKey(service, Buffer.alloc(32, text).toString('base64'));
const [common, nextCommon] = [key('log'), key('log', 'the next one')];
const dayMs = 24 * 3_600_000;

const aDayLater = () => Date.now() + dayMs + 1_000;

const reopened = () => newEvent({ type: 'LogReopened', data: { reason: 'a test' } });
const log = ownLogForFile();

/** The store of a service, which verifies, and signs what it appends. */
function openService({ keys = [common], now = Date.now, followed = true, url = log.url } = {}) {
  const signer = { ...key('processor'), common: keys };
  const untrusted: string[] = [];
  const onUntrusted = ({ stream }: RawEvent) => void untrusted.push(stream);
  const options = { signer, onUntrusted, now };
  const verify = { create: (ports: VerifierPorts) => createVerifier(ports, options), followed };
  return { ...signAppends(useStore(url, { verify }), signer), untrusted };
}
const openRaw = () => useStore(log.url);
type Store = ReturnType<typeof openRaw>;

const requestOf = (stream: string, expectedRevision: number) => ({
  stream,
  expectedRevision,
  events: [reopened()],
});
const append = async (store: Store, stream: string, expectedRevision = NO_STREAM) =>
  (await store.append(requestOf(stream, expectedRevision))).outcome;
const decodeAll = async (store: Store, stream: string) =>
  (await store.read(stream)).map((event) => decodeLogEvent(event).type);

it('decides only on what a service has signed, and on older events (R17.15)', async () => {
  const [raw, old, shop, planted] = [openRaw(), newStream(), newStream(), newStream()];
  await append(raw, old);
  const service = openService();
  await append(service, shop);
  // The log had events, so that instances of an older version may still run.
  await append(raw, old, 0);
  expect(await decodeAll(service, old)).toHaveLength(2);

  const later = openService({ now: aDayLater });
  await append(later, shop, 0);
  expect(await decodeAll(later, old)).toHaveLength(2);
  expect(await decodeAll(later, shop)).toHaveLength(2);
  await append(raw, planted);
  await append(raw, shop, 1);
  for (const stream of [planted, shop])
    await expect(decodeAll(later, stream)).rejects.toThrow(UntrustedEvent);
  expect(later.untrusted).toEqual([planted, shop]);
  // Other streams are not affected.
  await append(later, old, 1);
  expect(await decodeAll(later, old)).toHaveLength(3);
});

it('does not take an event again, elsewhere or with other content (R17.15)', async () => {
  const [raw, service, shop] = [openRaw(), openService(), newStream()];
  await append(service, shop);
  const [event] = await raw.read(shop);
  const again = { ...(event as NewEvent), id: newId() };
  const copy = newStream();
  await raw.append({ stream: copy, expectedRevision: NO_STREAM, events: [event as NewEvent] });
  await raw.append({ stream: shop, expectedRevision: 0, events: [again] });
  for (const stream of [copy, shop])
    await expect(decodeAll(service, stream)).rejects.toThrow('its signature does not match it');
});

it('takes no key that another one has replaced a day ago (R17.15)', async () => {
  const [shop, both] = [newStream(), [nextCommon, common]];
  await append(openService(), shop);
  await append(openService({ keys: both }), shop, 0);
  await append(openService(), shop, 1);
  const later = openService({ keys: both, now: aDayLater });
  await append(later, shop, 2);
  expect(await decodeAll(later, shop)).toHaveLength(4);
  // A service that still signs with the old one appends nothing any more.
  expect(await append(openService({ keys: [common, nextCommon] }), shop, 3)).toBe('unknown');
  const stolen = { ...key('processor'), common: [common] };
  await append(signAppends(openRaw(), stolen), shop, 3);
  await expect(decodeAll(later, shop)).rejects.toThrow('was replaced before it');
});

it('gives older instances another day if it was rolled back before its key was required (R17.15)', async () => {
  // No key is required in this log yet.
  const { url, stop } = await startOwnLog();
  onTestFinished(stop);
  const [raw, old, shop] = [useStore(url), newStream(), newStream()];
  await append(raw, old);
  await append(openService({ url }), shop);
  let now = aDayLater;
  const again = openService({ url, now: () => now() });
  await append(again, shop, 0);
  now = Date.now;
  await append(raw, old, 0);
  expect(await decodeAll(again, old)).toHaveLength(2);
  expect((await raw.read(logKeysStream)).map(({ type }) => type)).toEqual([
    'LogKeyBegan',
    'LogKeyBegan',
  ]);
});

/** Events of the store's own bytes. */
async function readRaw(url: string, stream: string): Promise<RawEvent[]> {
  const raw = connectRawLog(url);
  try {
    return await raw.stream(stream);
  } finally {
    await raw.close();
  }
}
const strip = (event: RawEvent): RawEvent => ({
  ...event,
  metadata: readCommonSignature(event.metadata)
    ? Buffer.from(event.metadata.toString().replaceAll(/,"(common_)?signature":"[^"]*"/g, ''))
    : event.metadata,
});
/** A verifier of a log whose events of `log-keys` these are. */
function verifierOf(events: () => readonly RawEvent[]) {
  const ports: VerifierPorts = {
    read: async () => [...events()],
    append: async () => ({ outcome: 'conflict', actualRevision: 1 }),
    isNew: async () => false,
  };
  const reasons: (string | undefined)[] = [];
  const signer = { ...key('processor'), common: [common] };
  const verifier = createVerifier(ports, {
    signer,
    refreshEveryMs: 5,
    onRefused: (reason) => reasons.push(reason),
  });
  onTestFinished(() => verifier.stop());
  return { ...verifier, reasons };
}
/** A new log, whose key is required from its second event on, and an event after that. */
async function writeRequiringLog() {
  const { url, stop } = await startOwnLog();
  onTestFinished(stop);
  const shop = newStream();
  expect(await append(openService({ url }), shop)).toBe('appended');
  const [event] = await readRaw(url, shop);
  return { url, shop, event: event as RawEvent, recorded: await readRaw(url, logKeysStream) };
}

it('does not let who has not got a key begin or require it (R17.15)', async () => {
  const { url, shop, recorded } = await writeRequiringLog();
  const stolen = signAppends(useStore(url), { ...key('webhooks'), common: [common] });
  const events = ['LogKeyBegan', 'LogKeyRequired'].map((type) =>
    newEvent({ type, data: { key_id: 'deadbeef' } }),
  );
  const expectedRevision = recorded.length - 1;
  await stolen.append({ stream: logKeysStream, expectedRevision, events });
  const service = openService({ url, now: aDayLater });
  expect(await append(service, shop, 0)).toBe('appended');
  expect(await decodeAll(service, shop)).toHaveLength(2);
  // They are named, and alarm.
  expect(new Set(service.untrusted)).toEqual(new Set([logKeysStream]));
});

it('still requires signatures when all of them were removed from the log (R17.15)', async () => {
  const { event, recorded } = await writeRequiringLog();
  const restarted = verifierOf(() => recorded.map(strip));
  await restarted.ready();
  expect([event, strip(event)].map(restarted.isTrusted)).toEqual([true, false]);
  // A log from before signatures has no such record.
  const older = verifierOf(() => []);
  await older.ready();
  expect(older.isTrusted(strip(event))).toBe(true);
});

it.each([
  ['is about another key', 'are other ones than before'],
  ['lacks what requires it', 'are other ones than before'],
])('goes by what it has read when the record %s afterwards (R17.15)', async (how, reason) => {
  const { event, recorded } = await writeRequiringLog();
  let now = recorded;
  const running = verifierOf(() => now);
  await running.ready();
  const other = Buffer.from('{"key_id":"deadbeef"}');
  const changed = recorded.map((each) => ({ ...strip(each), data: other }));
  now =
    how === 'is about another key' ? changed : [recorded[0] as RawEvent, changed[1] as RawEvent];
  await vi.waitFor(() => expect(running.reasons[0]).toContain(reason));
  expect((await running.beginToSign())?.message).toContain(reason);
  expect(running.isTrusted(strip(event))).toBe(false);
  now = recorded;
  expect(await running.beginToSign()).toBeUndefined();
  expect(running.reasons.at(-1)).toBeUndefined();
});

it('lets nothing be appended if the record names none of its keys (R17.15)', async () => {
  const { recorded } = await writeRequiringLog();
  const data = Buffer.from('{"key_id":"deadbeef"}');
  const verifier = verifierOf(() => recorded.map((each) => ({ ...strip(each), data })));
  expect((await verifier.beginToSign())?.message).toContain('name no key of LOG_SIGNING_KEYS');
});

it('closes and opens the log only by what a service has signed (R17.14, R17.15)', async () => {
  const { url, shop } = await writeRequiringLog();
  const about = (type: string, revision: number) => ({
    stream: logStream,
    expectedRevision: revision - 1,
    events: [newEvent({ type, data: type === 'LogClosed' ? { to: 'a:1' } : { reason: 'a test' } })],
  });
  const move = { ...key('move'), common: [common] };
  const moving = signAppends(useStore(url), move);
  // The embedded store goes by any LogClosed, so that it, and not the service, refuses.
  await useStore(url).append({ ...about('LogClosed', 0), expectedRevision: NO_STREAM });
  const service = openService({ url });
  const refused = await service.append({ ...requestOf(shop, 0), deadlineMs: 300 });
  expect(refused.outcome).toBe('unknown');
  expect(refused.outcome === 'unknown' && refused.cause).not.toBeInstanceOf(LogIsClosed);
  expect(service.untrusted).toContain(logStream);
  await moving.append(about('LogReopened', 1));
  expect(await append(openService({ url }), shop, 0)).toBe('appended');

  await moving.append(about('LogClosed', 2));
  await useStore(url).append(about('LogReopened', 3));
  const late = await openService({ url }).append(requestOf(shop, 1));
  expect(late).toMatchObject({ outcome: 'unknown', cause: expect.any(LogIsClosed) });
});

it('appends nothing while a key that it lacks has closed or opened the log (R17.14, R17.15)', async () => {
  const { url, shop } = await writeRequiringLog();
  const moving = signAppends(useStore(url), { ...key('move'), common: [nextCommon] });
  const move = (type: string, expectedRevision: number) =>
    moving.append({ stream: logStream, expectedRevision, events: [newEvent({ type, data: {} })] });
  await move('LogClosed', NO_STREAM);
  await move('LogReopened', 0);
  const refused = await openService({ url }).append({ ...requestOf(shop, 0), deadlineMs: 300 });
  expect(refused.outcome).toBe('unknown');
  const message = refused.outcome === 'unknown' ? String(refused.cause) : '';
  // The last of the tries may have had no time left.
  expect(message).toMatch(/LOG_SIGNING_KEYS lacks|no reply from the event store/);
  expect(await useStore(url).read(shop)).toHaveLength(1);
});

it('reads the record of the keys once for all appends that wait for it (R17.15)', async () => {
  let reads = 0;
  const ports: VerifierPorts = {
    read: async () => {
      reads += 1;
      return [{ revision: 1 } as RawEvent];
    },
    append: async () => ({ outcome: 'conflict', actualRevision: 1 }),
    isNew: async () => false,
  };
  const verifier = createVerifier(ports, { signer: { ...key('processor'), common: [common] } });
  onTestFinished(() => verifier.stop());
  for (const soFar of [1, 2]) {
    const refusals = await Promise.all(Array.from({ length: 50 }, verifier.beginToSign));
    expect(refusals.every((refusal) => refusal?.message.includes('are gone'))).toBe(true);
    expect(reads).toBe(soFar);
  }
});

it.each([
  ['was cut off at its start', [1]],
  ['is gone', []],
])('lets nothing be appended if the record of the keys %s (R17.15)', async (_how, revisions) => {
  const rest = revisions.map((revision) => ({ revision }) as RawEvent);
  const ports: VerifierPorts = {
    read: async () => rest,
    append: async () => ({ outcome: 'conflict', actualRevision: 1 }),
    isNew: async () => false,
  };
  const verifier = createVerifier(ports, { signer: { ...key('processor'), common: [common] } });
  onTestFinished(() => verifier.stop());
  expect((await verifier.beginToSign())?.message).toContain('are gone');
});

const newStream = () => `test-${newId()}`;
