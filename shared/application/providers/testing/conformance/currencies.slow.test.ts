import { expect, it, vi } from 'vitest';
import { describeConnector } from './suite.ts';
import { createTemplateConnector, templateCredentials } from '../template/connector.ts';
import { startTemplateSimulator } from '../template/simulator.ts';
import type { Harness } from './harness.ts';

// A second currency is a payment method in it (shared/domain/methods/table.ts), and nothing in a
// connector.
vi.mock('#shared/domain/methods/table.ts', async (original) => {
  const { table, ...rest } = await original<typeof import('#shared/domain/methods/table.ts')>();
  return {
    ...rest,
    table: { ...table, WT_USD_CARD: { ...Object.values(table)[0], currency: 'USD' } },
  };
});

const { key } = templateCredentials.example;
/** The template, which carries every method, limited to some. */
const connectWith = (carried: (currency: string) => boolean): Harness['connect'] => {
  return (url, wrong) => {
    const { connector, close } = createTemplateConnector({ url, key: wrong?.key ?? key });
    const carries = connector.carries.filter(({ currency }) => carried(currency));
    return { connector: { ...connector, carries }, close };
  };
};
const harness: Harness = {
  // What the others have is the template's own suite.
  connect: connectWith((currency) => currency === 'USD'),
  wrongCredentials: { key: 'a-key-of-nobody-at-all' },
  start: startTemplateSimulator,
};
it('a connector with every method supports those of another currency', async () => {
  const { connector, close } = connectWith(() => true)('http://127.0.0.1:9');
  expect(new Set(connector.carries.map(({ currency }) => currency))).toEqual(
    new Set(['RUB', 'USD']),
  );
  await close();
});
describeConnector(harness);
