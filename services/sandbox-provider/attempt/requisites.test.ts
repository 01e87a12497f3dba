import { describe, expect, it } from 'vitest';
import { rubBanks } from '#shared/domain/methods/index.ts';
import { luhnSum, requisitesFor, withCheckDigit } from './requisites.ts';

describe('requisites', () => {
  it('are cards that pass the Luhn check', () => {
    expect(withCheckDigit('7992739871')).toBe('79927398713');
    for (let attempt = 1; attempt <= 200; attempt += 1) {
      const { number } = requisitesFor(`op.${attempt}`, 'WT_RUB_C2C');
      expect(number).toMatch(/^22000000\d{8}$/);
      expect(luhnSum(number) % 10).toBe(0);
    }
  });

  it('are phone numbers with the code and name of a bank from the dictionary', () => {
    const banks = new Set<string>();
    for (let attempt = 1; attempt <= 200; attempt += 1) {
      const { number, name, bankname, bankname_details } = requisitesFor(
        `op.${attempt}`,
        'WT_RUB_PHONE',
      );
      expect(number).toMatch(/^\+7945\d{7}$/);
      expect(name).not.toBe('');
      expect(rubBanks[bankname ?? '']).toBe(bankname_details);
      banks.add(bankname ?? '');
    }
    expect(banks.size).toBeGreaterThan(10);
  });

  it('depend only on the key', () => {
    expect(requisitesFor('op.1', 'WT_RUB_C2C')).toEqual(requisitesFor('op.1', 'WT_RUB_C2C'));
    expect(requisitesFor('op.1', 'WT_RUB_C2C')).not.toEqual(requisitesFor('op.2', 'WT_RUB_C2C'));
  });
});
