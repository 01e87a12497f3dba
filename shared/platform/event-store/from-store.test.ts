import { expect, it } from 'vitest';
import { Problem, toProblem } from '#shared/platform/http/problems.ts';
import { fromStore } from './from-store.ts';
import { StoreUnavailable } from './store-unavailable.ts';

async function problemFrom(rejection: Error) {
  try {
    return await fromStore(Promise.reject(rejection));
  } catch (error) {
    return toProblem(error);
  }
}

it('answers an unavailable store as not ready, and its refusals too', async () => {
  for (const error of [new StoreUnavailable('no answer'), new Error('14 UNAVAILABLE')]) {
    const { problem, fault } = await problemFrom(error);
    expect(problem).toMatchObject({ code: 'not_ready', cause: error });
    expect(fault).toBeUndefined();
  }
});

it('passes a problem on unchanged', async () => {
  const problem = new Problem('not_found');
  expect(await problemFrom(problem)).toEqual({ problem });
});

it('answers a bug as an internal error, which is logged', async () => {
  const bug = new TypeError('state is undefined');
  const { problem, fault } = await problemFrom(bug);
  expect(problem.code).toBe('internal_error');
  expect(fault).toMatchObject({ err: bug });
});
