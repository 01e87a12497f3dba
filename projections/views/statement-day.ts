/** Whether a time is on the day of `s`, a row of gateway.statements. */
export const inDay = (time: string): string =>
  `${time} >= s.day::timestamp at time zone 'UTC' and ${time} < (s.day + 1)::timestamp at time zone 'UTC'`;
