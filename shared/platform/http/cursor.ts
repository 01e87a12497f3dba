import { invalidRequest } from './validate.ts';

/** A cursor that no page has given. */
export function invalidCursor() {
  return invalidRequest([
    {
      pointer: '/cursor',
      code: 'field_invalid',
      detail: 'not a next_cursor of an earlier page',
    },
  ]);
}
