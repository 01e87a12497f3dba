import { describe, expect, it } from 'vitest';
import { isMethod, methods } from '#shared/domain/methods/index.ts';
import type { ProviderConnector } from '../../connector.ts';

/** A payer looks at the page until it says "paid". */
const longestWaitMs = 60_000;

export function describeSayings(says: ProviderConnector): void {
  describe('declares', () => {
    it('its methods, each in the method’s currency', () => {
      expect(says.carries.length).toBeGreaterThan(0);
      for (const { method, currency } of says.carries) {
        expect(isMethod(method)).toBe(true);
        expect(methods[method].currency).toBe(currency);
      }
      const kinds = says.carries.map(({ type, method }) => `${type} ${method}`);
      expect(new Set(kinds).size).toBe(kinds.length);
    });

    it('a name that is valid for routes, folders and actors', () => {
      expect(says.name).toMatch(/^[a-z][a-z0-9-]{0,63}$/);
    });

    it('how it reports: by callbacks, or by polls at intervals that suit a payer', () => {
      if (says.reports.by === 'callbacks')
        return expect(says.reports.readCallback).toBeTypeOf('function');
      const { firstAfterMs, everyMs, longestMs } = says.reports.rhythm;
      for (const ms of [firstAfterMs, everyMs, longestMs]) expect(ms).toBeGreaterThanOrEqual(100);
      expect(firstAfterMs).toBeLessThanOrEqual(longestMs);
      expect(everyMs).toBeLessThanOrEqual(longestMs);
      expect(longestMs).toBeLessThanOrEqual(longestWaitMs);
    });

    it('whether a submission may be repeated, or for how long it may still arrive', () => {
      const { repeatable, mayArriveForMs } = says.submissions;
      if (!repeatable || mayArriveForMs !== undefined)
        expect(mayArriveForMs).toBeGreaterThanOrEqual(1_000);
      else expect(repeatable).toBe(true);
    });
  });
}
