import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fold } from '../evolve.ts';
import { histories } from '../testing/histories.ts';
import { fieldSchemas, operationObject } from './derive.ts';
import type { Place } from './entry.ts';
import { snapshotState } from './snapshot.ts';
import { operationFields } from './table.ts';

const places: readonly Place[] = ['create', 'state', 'list', 'webhook', 'operators'];

it('shows each field in every place but those that it names (R5.1, R10.11, R14.2)', () => {
  const missing = Object.fromEntries(
    places.map((place) => {
      const shown = Object.keys(fieldSchemas(place));
      return [place, Object.keys(operationFields).filter((name) => !shown.includes(name))];
    }),
  );
  expect(missing).toEqual({
    create: ['merchant_operation_id', 'client_id', 'created_at', 'returned_amount'],
    state: [],
    list: ['number', 'name', 'bankname', 'bankname_details', 'transfer_purpose'],
    webhook: ['number', 'name', 'returned_amount'],
    operators: [],
  });
});

it('has no member without a schema, and no value that its schema refuses', () => {
  const schemas: Record<Place, Record<string, z.ZodType>> = Object.fromEntries(
    places.map((place) => [place, fieldSchemas(place)]),
  ) as never;
  fc.assert(
    fc.property(histories, ({ events }) => {
      const state = fold(events);
      if (state.phase !== 'admitted' || state.status === 'creating') return;
      const snapshot = { ...snapshotState(state), created_at: '2026-01-31T12:00:00.000Z' };
      for (const place of places) {
        const object = operationObject(place, snapshot);
        expect(z.strictObject(schemas[place]).parse(object)).toEqual(object);
      }
    }),
    { numRuns: 200 },
  );
});

it('says of each field what it is, but for those whose name does', () => {
  const silent = Object.entries(operationFields).flatMap(([name, entry]) =>
    'about' in entry ? [] : [name],
  );
  expect(silent).toEqual(['type', 'method', 'commission_amount']);
});
