import { expect, it } from 'vitest';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { createLogKey, signMetadata } from '#shared/platform/event-store/signature.ts';
import { NotACopy } from './compare.ts';
import { finish, refuseOtherMove } from './finish.ts';
import type { MoveLog } from './logs.ts';
import type { LogCopy } from './move.ts';

/** What happens in a move, in its order; with `fails` the log can't be closed. */
async function finishOrder({ fails = false } = {}): Promise<string[]> {
  const order: string[] = [];
  const log = (name: string): MoveLog => {
    const append: EventStore['append'] = async ({ events }) => {
      if (fails) return { outcome: 'unknown', cause: new Error('no answer') };
      order.push(`${name}: ${events[0]?.type}`);
      return { outcome: 'appended', revision: 0, position: 0n, created: new Date() } as never;
    };
    const store = { read: async () => [], append } as unknown as EventStore;
    return { store, closable: true } as MoveLog;
  };
  const copying = {
    copyRest: async () => void order.push('the rest is copied'),
    events: () => 0,
    digest: () => ({ events: 0, source: 'same', target: 'same' }),
  } as unknown as LogCopy;
  const logs = { source: log('source'), target: log('target') };
  const { signal } = new AbortController();
  const onClosed = () => order.push('it is said to be closed');
  await finish(logs, copying, { from: 'a', to: 'b', signal, onClosed }).catch(() => undefined);
  return order;
}

it('says that the log is closed once it is, and before the rest is copied (R17.14)', async () => {
  expect(await finishOrder()).toEqual([
    'source: LogClosed',
    'it is said to be closed',
    'the rest is copied',
    'target: LogMoved',
  ]);
});

it('does not say so if the log could not be closed (R17.14)', async () => {
  expect(await finishOrder({ fails: true })).not.toContain('it is said to be closed');
});

it('is stopped by a move to another store only if a service has signed it (R17.14)', async () => {
  const key = (service: string) =>
    createLogKey(service, Buffer.alloc(32, service).toString('base64'));
  const metadata = Buffer.from('{"correlation_id":"c","actor":"service:move","schema_version":1}');
  const closed: RawEvent = {
    stream: 'log',
    revision: 0,
    position: 1,
    id: '0195c0de-0000-4000-8000-000000000000',
    type: 'LogClosed',
    contentType: 'application/json',
    createdTicks: '0',
    data: Buffer.from('{"to":"elsewhere:2113"}'),
    metadata,
  };
  const signer = { ...key('move'), common: [key('log')] };
  const signedEvent = { ...closed, metadata: signMetadata(signer, closed, closed) };
  const refused = (event: RawEvent, keys = [key('log')]) =>
    refuseOtherMove({ raw: { stream: async () => [event] } as never }, { to: 'here:2113', keys });
  await refused(closed);
  await expect(refused(closed, [])).rejects.toThrow(NotACopy);
  await expect(refused(signedEvent)).rejects.toThrow('elsewhere:2113');
});
