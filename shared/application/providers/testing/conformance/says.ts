import { describe, expect, it } from 'vitest';
import { isMethod, methods } from '#shared/domain/methods/index.ts';
import type { ProviderConnector } from '../../connector.ts';

/** A payer watches the page until it shows "paid". */
const longestWaitMs = 60_000;

export function describeDeclarations(declared: ProviderConnector): void {
  describe('declarations', () => {
    it('list methods, each in its own currency', () => {
      expect(declared.carries.length).toBeGreaterThan(0);
      for (const { method, currency } of declared.carries) {
        expect(isMethod(method)).toBe(true);
        expect(methods[method].currency).toBe(currency);
      }
      const kinds = declared.carries.map(({ type, method }) => `${type} ${method}`);
      expect(new Set(kinds).size).toBe(kinds.length);
    });

    it('include a name valid for routes, folders and actors', () => {
      expect(declared.name).toMatch(/^[a-z][a-z0-9-]{0,63}$/);
    });

    it('include reports by callbacks, or by polls at intervals that suit a payer', () => {
      if (declared.reports.by === 'callbacks')
        return expect(declared.reports.readCallback).toBeTypeOf('function');
      const { firstAfterMs, everyMs, longestMs } = declared.reports.rhythm;
      for (const ms of [firstAfterMs, everyMs, longestMs]) expect(ms).toBeGreaterThanOrEqual(100);
      expect(firstAfterMs).toBeLessThanOrEqual(longestMs);
      expect(everyMs).toBeLessThanOrEqual(longestMs);
      expect(longestMs).toBeLessThanOrEqual(longestWaitMs);
    });

    it('state whether a submission is repeatable, or how long it may still arrive', () => {
      const { repeatable, mayArriveForMs } = declared.submissions;
      if (!repeatable || mayArriveForMs !== undefined)
        expect(mayArriveForMs).toBeGreaterThanOrEqual(1_000);
      else expect(repeatable).toBe(true);
    });
  });
}
