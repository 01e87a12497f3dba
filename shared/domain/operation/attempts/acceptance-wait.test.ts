import { describe, it } from 'vitest';
import { accepted, admitted, given, noMoney, started } from '../testing/given.ts';
import { rejectAbandoned } from './acceptance-wait.ts';

describe('abandoned create', () => {
  it('is rejected after the acceptance wait, not before', () => {
    const history = given(admitted(), started());
    history.when(rejectAbandoned, '2026-01-31T12:00:14.999Z').thenNothing();
    history
      .when(rejectAbandoned, '2026-01-31T12:00:15.000Z')
      .thenEvents(
        { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'acceptance_timeout' } },
      );
  });

  it('is not rejected once it is accepted', () => {
    given(admitted(), started(), accepted())
      .when(rejectAbandoned, '2027-01-01T00:00:00.000Z')
      .thenNothing();
  });
});
