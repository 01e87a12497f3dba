import { expect, it, vi } from 'vitest';
import { describeConnector } from './suite.ts';
import { createTemplateConnector, templateCredentials } from '../template/connector.ts';
import { startTemplateSimulator } from '../template/simulator.ts';
import type { Harness } from './harness.ts';

// A second currency is a payment method (shared/domain/methods/table.ts) and needs no change in a
// connector.
vi.mock('#shared/domain/methods/table.ts', async (original) => {
  const { table, ...rest } = await original<typeof import('#shared/domain/methods/table.ts')>();
  return {
    ...rest,
    table: { ...table, WT_USD_CARD: { ...Object.values(table)[0], currency: 'USD' } },
  };
});

const { key } = templateCredentials.example;
/** The template connector, limited to some currencies. */
const connectWith = (carried: (currency: string) => boolean): Harness['connect'] => {
  return (url, wrong) => {
    const { connector, close } = createTemplateConnector({ url, key: wrong?.key ?? key });
    const carries = connector.carries.filter(({ currency }) => carried(currency));
    return { connector: { ...connector, carries }, close };
  };
};
const harness: Harness = {
  // The template's own suite covers RUB.
  connect: connectWith((currency) => currency === 'USD'),
  wrongCredentials: { key: 'a-key-of-nobody-at-all' },
  start: startTemplateSimulator,
};
it('supports each currency of the methods that the connector carries', async () => {
  const { connector, close } = connectWith(() => true)('http://127.0.0.1:9');
  expect(new Set(connector.carries.map(({ currency }) => currency))).toEqual(
    new Set(['RUB', 'USD']),
  );
  await close();
});
describeConnector(harness);
