import type { ResolvedEvent } from '@eventstore/db-client';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ReadAnswer } from '../reading/decode.ts';
import { inOrder } from './reads.ts';

const eventAt = (commit: bigint): ResolvedEvent => ({
  event: {
    streamId: 'operation-1',
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    type: 'Happened',
    revision: commit,
    data: { at: Number(commit) },
    metadata: { actor: 'service:test' },
    isJson: true,
    created: new Date(1_700_000_000_123),
    position: { commit, prepare: commit },
  },
});

const placeOf = (answer: ReadAnswer) =>
  answer.kind === 'event'
    ? answer.event.position
    : answer.kind === 'checkpoint'
      ? 'checkpoint'
      : answer.kind;

it('tells a checkpoint after the events that came before it, however slowly they are taken', async () => {
  const client = new PassThrough({ objectMode: true });
  const { call, note } = inOrder(client, { cancel: async () => undefined });
  const taken: unknown[] = [];
  call.on('data', (answer) => taken.push(placeOf(answer)));
  await turn();
  call.pause();
  client.pause();
  for (const commit of [1n, 2n, 3n]) client.push(eventAt(commit));
  note({ kind: 'checkpoint', commit: 3, prepare: 3 });
  client.push(eventAt(4n));
  note({ kind: 'caught_up' });
  await turn();
  expect(taken).toEqual([]);
  client.resume();
  call.resume();
  await turn();
  await turn();
  expect(taken).toEqual([1, 2, 3, 'checkpoint', 4, 'caught_up']);
  note({ kind: 'checkpoint', commit: 5, prepare: 5 });
  await turn();
  expect(taken.at(-1)).toBe('checkpoint');
});

it('gives the content of an event as the gateway wrote it', async () => {
  const client = new PassThrough({ objectMode: true });
  const { call } = inOrder(client, { cancel: async () => undefined });
  const first = new Promise<ReadAnswer>((resolve) => call.on('data', resolve));
  client.push(eventAt(7n));
  expect(await first).toEqual({
    kind: 'event',
    event: {
      position: 7,
      stream: 'operation-1',
      revision: 7,
      id: '01890a5d-ac96-774b-bcce-b302099a8057',
      type: 'Happened',
      contentType: 'application/json',
      createdTicks: '17000000001230000',
      data: Buffer.from('{"at":7}'),
      metadata: Buffer.from('{"actor":"service:test"}'),
    },
  });
});
