import { expect, it } from 'vitest';
import type { ConsoleView } from '../env.ts';
import { redeliverManyAction } from './webhooks.ts';

const view = { zone: 'Europe/Berlin' } as ConsoleView;

it('takes the times of the resend form in the reader’s zone, and continues in it', () => {
  const body = redeliverManyAction.body?.({ from: '2026-11-23T12:30', to: 'never' }, view);
  expect(body).toEqual({ from: '2026-11-23T11:30:00.000Z', to: 'never' });
  const done = {
    params: { shop_id: 'shop' },
    body: { status: 'exhausted', from: '2026-11-23T11:30:00.000Z' },
    answer: { count: 2000, next_cursor: 'next' },
  };
  const next = new URL(redeliverManyAction.next?.(done, view) ?? '', 'http://page');
  expect(Object.fromEntries(next.searchParams)).toEqual({
    status: 'exhausted',
    from: '2026-11-23T12:30:00',
    to: '',
    cursor: 'next',
  });
});
