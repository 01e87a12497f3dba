import { describe, expect, it } from 'vitest';
import { bounds, type Subject } from './subject.ts';

export function describeCheck(subject: Subject): void {
  describe('a check of credentials', () => {
    it('says that those that the provider takes are good, however often it is asked', async () => {
      expect(await subject.connector.check?.(bounds)).toEqual({ outcome: 'ok' });
      expect(await subject.connector.check?.(bounds)).toEqual({ outcome: 'ok' });
    });

    it('says that those which it does not take are refused, by its own word alone', async () => {
      expect(await subject.stranger().check?.(bounds)).toEqual({ outcome: 'refused' });
    });
  });
}
