/**
 * Which sum each line that names no operation explains, and the line of each sum, as `explain` of
 * projections/testing/match-statement.ts defines it: equal lines and sums are counted by day, and
 * paired by their numbers. Days are relative to that of `s`.
 *
 * A day's result depends on its neighbours, which depend on theirs: of the sums of the day before,
 * some may be taken by lines of two days before, which first take sums of three days before.
 */
const [firstDay, lastDay] = [-3, 2];
const days = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index);
export const isNear = (day: string): string => `${day} between ${firstDay} and ${lastDay}`;

/** The place of a day in the arrays. */
const at = (day: number): number => day - firstDay + 1;
/** Of the day that is that many days after a row's own. */
const own = (array: string, later: number): string => `${array}[day + ${at(later)}]`;
const counts = (condition: string): string =>
  `array[${days.map((day) => `count(*) filter (where ${condition} and day = ${day})`).join(', ')}]`;
const overDays = (first: number, last: number, of: (day: number) => string): string =>
  `array[${days.map((day) => (day < first || day > last ? '0' : of(day))).join(', ')}]`;

const key = ['money', 'leg_id', 'comes_in', 'amount'];
const columns = key.join(', ');
const isSameKey = (left: string, right: string): string =>
  key.map((name) => `${left}.${name} = ${right}.${name}`).join(' and ');

/**
 * `lines`: all lines with their days. `sums`: all sums that no line names, with their days. The
 * result, `pairs`, has a line's day and number, and the sum's day, operation and fields.
 */
export const explainedLines = ({ lines, sums }: { lines: string; sums: string }): string => `
  numbered as materialized (
    select n.*, row_number() over (partition by ${columns}, day, is_line order by line, sha256(convert_to(operation_id, 'UTF8'))) as number
    from (
      select ${columns}, day, line, null as operation_id, null as of_leg_id, null::int as attempt, true as is_line from ${lines}
      union all
      select ${columns}, day, null, operation_id, of_leg_id, attempt, false from ${sums}) n),
  by_day as (
    select ${columns}, ${counts('is_line')} as l, ${counts('not is_line')} as m from numbered group by ${columns}),
  of_same_day as (
    select *, ${overDays(firstDay, lastDay, (day) => `least(l[${at(day)}], m[${at(day)}])`)} as same from by_day),
  of_day_before as (
    select *, ${overDays(
      firstDay + 1,
      lastDay,
      (day) => `least(l[${at(day)}] - same[${at(day)}], m[${at(day - 1)}] - same[${at(day - 1)}])`,
    )} as before from of_same_day),
  of_day_after as materialized (
    select *, ${overDays(
      firstDay + 1,
      lastDay - 2,
      (day) =>
        `least(l[${at(day)}] - same[${at(day)}] - before[${at(day)}], m[${at(day + 1)}] - same[${at(day + 1)}] - before[${at(day + 2)}])`,
    )} as after from of_day_before),
  placed as materialized (
    select r.*, case
        when number <= ${own('same', 0)} then array[day, number]
        when number <= ${own('same', 0)} + ${own('before', 0)}
          then array[day - 1, ${own('same', -1)} + number - ${own('same', 0)}]
        when number <= ${own('same', 0)} + ${own('before', 0)} + ${own('after', 0)}
          then array[day + 1, ${own('same', 1)} + ${own('before', 2)} + number - ${own('same', 0)} - ${own('before', 0)}]
      end as sum
    from (select * from numbered where is_line) r full join of_day_after d on ${isSameKey('r', 'd')}),
  pairs as materialized (
    select p.money, p.leg_id, p.day as line_day, p.line, n.day as sum_day, n.operation_id, n.of_leg_id, n.comes_in, n.amount,
      n.attempt
    from placed p full join (select * from numbered where not is_line) n
      on ${isSameKey('p', 'n')} and n.day = p.sum[1] and n.number = p.sum[2])`;
