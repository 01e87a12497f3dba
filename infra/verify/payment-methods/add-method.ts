import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Preloaded, it adds an entry to a process's table of payment methods, as a developer who adds a
 * method would. The file on disk is unchanged.
 */

const entry = `
  WT_USD_CARD: {
    currency: 'USD',
    destination: 'card',
    banks: { firstbank: 'Первый банк' },
    payer: {
      number: { ru: 'Номер долларовой карты', en: 'Dollar card number' },
      start: { ru: 'Выберите перевод в долларах.', en: 'Choose a transfer in dollars.' },
    },
    example: {
      name: 'dollar_card',
      payment: 'By dollar card',
      payout: 'To a dollar card',
      destination: { number: '4111 1111 1111 1111', bankname: 'firstbank' },
    },
  },
`;
const end = '} as const satisfies Record<string, MethodEntry>;';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/shared/domain/methods/table.ts')) return loaded;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    if (!source.includes(end)) throw new Error('the table of methods ends otherwise');
    return { ...loaded, source: source.replace(end, `${entry}${end}`) };
  },
});
