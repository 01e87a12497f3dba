import { describe, expect, it } from 'vitest';
import { bounds, type Subject } from './subject.ts';

export function describeCheck(subject: Subject): void {
  describe('a check of credentials', () => {
    it('accepts valid credentials, any number of times', async () => {
      expect(await subject.connector.check?.(bounds)).toEqual({ outcome: 'ok' });
      expect(await subject.connector.check?.(bounds)).toEqual({ outcome: 'ok' });
    });

    it('refuses invalid credentials, only by the provider’s own response', async () => {
      expect(await subject.stranger().check?.(bounds)).toEqual({ outcome: 'refused' });
    });
  });
}
