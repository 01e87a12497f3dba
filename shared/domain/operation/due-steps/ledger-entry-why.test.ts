import { expect, it } from 'vitest';
import { figuresFor } from '../../commission.ts';
import { isTerminalEventType } from '../events.ts';
import { fold } from '../evolve.ts';
import { dueEntries } from './ledger-entries.ts';
import type { Operation } from '../state.ts';
import { sampleHistories } from '../testing/histories.ts';
import { whySettled } from './ledger-entry-why.ts';

/** All due entries of random histories, with their reasons. */
const entries = sampleHistories(1_500, 7).flatMap(({ events }) => {
  const end = events.findLast(({ type }) => isTerminalEventType(type));
  if (!end) return [];
  const operation = fold(events) as Operation;
  return dueEntries(operation).map((entry) => ({
    end,
    operation,
    entry,
    why: whySettled(operation, entry, end.type),
  }));
});

it('names the terminal event as the cause, and a provider of the operation (R12.15)', () => {
  for (const { end, operation, why } of entries) {
    expect(why.cause).toBe(end.type);
    expect(operation.attempts.map(({ route }) => route.provider)).toContain(why.provider);
  }
  const kinds = new Set(
    entries.map(({ entry, why }) => `${entry.kind}${why.source ? ' converted' : ''}`),
  );
  expect(kinds.size).toBe(6);
});

it('names the converted amount, whose conversion gives the recorded amount (R12.15)', () => {
  const converted = entries.flatMap(({ operation, entry, why: { source } }) =>
    source && entry.kind !== 'release' ? [{ operation, entry, source }] : [],
  );
  expect(converted.length).toBeGreaterThan(10);
  const commission = { percent: '0.00', fixed: '0.00' };
  for (const { operation, entry, source } of converted) {
    const { type, request, settled } = operation;
    expect(source).toMatchObject({ amount: settled?.actual_amount, currency: request.currency });
    const { currency } = entry;
    const terms = { type, currency, commission, fxRate: source.fx_rate };
    const figures = figuresFor(source.amount, terms);
    expect(figures.recorded_amount).toBe(entry.recorded);
  }
});
