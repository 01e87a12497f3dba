import { expect, it } from 'vitest';
import { faultyStore } from '#shared/application/ledger/testing/faulty-store.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { create } from '#shared/domain/operation/testing/create.ts';
import { accepted, admitted, leg, started } from '#shared/domain/operation/testing/given.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { toNewEvents } from '../commands/new-events.ts';
import { pollAttempt } from './poll-attempt.ts';
import { readOperation } from './streams.ts';

const origin = { actor: 'provider:sandbox', correlationId: 'c' };

it('does not know what a provider means by half a unit of a currency without decimals (R3.3)', async () => {
  const { operationId, request } = create();
  const memory = faultyStore();
  const store = { ...memory, recent: () => undefined } as unknown as EventStore;
  const inYen = admitted({ request: { ...request, currency: 'JPY' } });
  memory.force(operationStream(operationId), toNewEvents([inYen, started(), accepted()], origin));
  const operation = await readOperation(store, operationId);
  const [attempt] = operation?.attempts ?? [];
  if (!operation || !attempt) throw new Error('the operation has no attempt');
  const answer = { outcome: 'accepted', providerReference: 'ref' } as const;
  const report = { attempt: 1, status: 'open', legs: [leg('a', '40.50')] } as const;
  const ask = async () => ({ outcome: 'known', answer, report });
  const providers = new Map([['sandbox', { ask }]]) as unknown as Providers;
  const ports = { store, personal: testPersonalData(store), providers };
  const bounds = { timeoutMs: 1_000 };
  const polled = await pollAttempt(ports, { operation, attempt }, { bounds, origin, now: () => 0 });
  expect(polled).toMatchObject({ outcome: 'unknown', cause: expect.stringContaining('decimals') });
});
