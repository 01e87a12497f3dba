import { expect, it } from 'vitest';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { createPatientLog } from './patient-log.ts';

const dropped = new Error('the event store has not answered for 30 s');

/** A log of six events, two in a batch, whose connection drops before each batch but the first. */
function droppingLog(error: Error): RawLog {
  let drops = 0;
  return {
    read: async function* (after) {
      for (let position = after + 1; position < 7; position += 2) {
        if (position > 1 && (drops += 1) % 2 === 1) throw error;
        yield [position, position + 1].map((at) => ({ position: at }) as RawEvent);
      }
    },
    head: async () => 6,
    stream: async () => [],
    at: async () => undefined,
    close: async () => undefined,
  };
}

async function positionsIn(log: RawLog): Promise<number[]> {
  const positions: number[] = [];
  for await (const batch of log.read(0)) positions.push(...batch.map(({ position }) => position));
  return positions;
}

it('goes on with the next event after each dropped connection', async () => {
  const troubles: unknown[] = [];
  const log = createPatientLog(droppingLog(dropped), {
    pauseMs: 0,
    onTrouble: (error) => troubles.push(error),
  });
  expect(await positionsIn(log)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(troubles).toEqual([dropped, dropped]);
});

it('ends with an error that does not pass, and when the store stays away', async () => {
  const onTrouble = () => undefined;
  const broken = new Error('the events are no events');
  const patient = createPatientLog(droppingLog(broken), { pauseMs: 0, onTrouble });
  await expect(positionsIn(patient)).rejects.toBe(broken);
  const impatient = createPatientLog(droppingLog(dropped), {
    pauseMs: 0,
    patienceMs: -1,
    onTrouble,
  });
  await expect(positionsIn(impatient)).rejects.toBe(dropped);
});
