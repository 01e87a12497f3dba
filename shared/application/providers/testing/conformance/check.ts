import { describe, expect, it } from 'vitest';
import { bounds, type Subject } from './subject.ts';

export function describeCheck(subject: Subject): void {
  describe('the credentials check', () => {
    it('accepts valid credentials repeatedly', async () => {
      expect(await subject.connector.check?.(bounds)).toEqual({ outcome: 'ok' });
      expect(await subject.connector.check?.(bounds)).toEqual({ outcome: 'ok' });
    });

    it('refuses invalid credentials', async () => {
      expect(await subject.stranger().check?.(bounds)).toEqual({ outcome: 'refused' });
    });
  });
}
