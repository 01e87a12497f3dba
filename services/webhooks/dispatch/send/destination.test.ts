import { expect, it } from 'vitest';
import { createDestinations } from './destination.ts';

const destinationOf = createDestinations({ allowPrivate: false });

it.each([
  ['https://merchant.example', '/'],
  ['https://merchant.example/hooks?', '/hooks?'],
  ['https://merchant.example/hooks?a=1&b', '/hooks?a=1&b'],
  ['https://merchant.example:8443/?#part', '/?'],
])('%s is called as configured', (url, path) => {
  expect(destinationOf(url)).toEqual({ origin: new URL(url).origin, path });
});
