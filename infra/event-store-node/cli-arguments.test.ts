import { expect, it } from 'vitest';
import { parseArguments } from './cli-arguments.ts';

it('parses the command line', () => {
  expect(parseArguments(['--port', '2113', '--dir', 'data'])).toEqual({
    directory: 'data',
    host: '127.0.0.1',
    port: 2113,
    sameUserOnly: false,
  });
  expect(parseArguments(['--port=0', '--dir=x', '--host=::1'])?.host).toBe('::1');
  expect(parseArguments(['--port=0', '--dir=x', '--same-user'])?.sameUserOnly).toBe(true);
  const bounded = parseArguments(['--port=0', '--dir=x', '--max-events-behind=32']);
  expect(bounded?.maxEventsBehind).toBe(32);
});

it.each([
  [['--dir', 'x']],
  [['--port', '1']],
  [['--port', 'x', '--dir', 'x']],
  [['--port', '', '--dir', 'x']],
  [['--port', '65536', '--dir', 'x']],
  [['--port', '1.5', '--dir', 'x']],
  [['--port', '1', '--dir', 'x', '--bogus']],
  [['--port', '1', '--dir', 'x', '--max-events-behind', '0']],
  [['--port', '1', '--dir', 'x', '--max-events-behind', 'x']],
  [['--port', '1', '--dir', 'x', 'extra']],
])('rejects %j', (args) => {
  expect(parseArguments(args)).toBeUndefined();
});
