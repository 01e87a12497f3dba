import type { LateFact } from '../operation/reports/late-facts.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import { countsLegsOf, sharesAccount, type Operation } from '../operation/state.ts';

/** The late facts in a report on an attempt. */
export type LateReport = {
  operation: Operation;
  report: Pick<ProviderReport, 'attempt' | 'version' | 'status' | 'legs' | 'returns'>;
  facts: readonly LateFact[];
};

type Known = Readonly<Record<string, { attempt: number }>>;

/**
 * Attempts of one operation may be at two providers, which may give different money one id. What
 * came second is called by its attempt as well, as in `2:id`, so that it is not taken for known.
 * What is of one account is never told apart: there an id is unique in the operation.
 */
export function toldApart(late: { legs: Known; returns: Known }, given: LateReport): LateReport {
  const { operation, report, facts } = given;
  const { attempt } = report;
  if (operation.attempts.length < 2) return given;
  const counts = countsLegsOf(operation, attempt);
  const nameBy =
    (own: ReadonlySet<string>, known: Known) =>
    (id: string): string => {
      const before = Object.hasOwn(known, id) ? known[id] : undefined;
      if (!before && !own.has(id)) return id;
      const isOurs = before && sharesAccount(operation, before.attempt, attempt);
      return isOurs || (counts && own.has(id)) ? id : `${attempt}:${id}`;
    };
  const counted = operation.legs.filter(({ synthetic }) => !synthetic);
  const leg = nameBy(new Set(counted.map(({ leg_id: id }) => id)), late.legs);
  const back = nameBy(new Set(operation.returns.map(({ legId }) => legId)), late.returns);
  const named = <Leg extends { leg_id: string }>(each: Leg): Leg => ({
    ...each,
    leg_id: leg(each.leg_id),
  });
  const backNamed = <Back extends { leg_id: string; of_leg_id: string }>(each: Back): Back => ({
    ...each,
    leg_id: back(each.leg_id),
    of_leg_id: leg(each.of_leg_id),
  });
  return {
    operation,
    report: {
      ...report,
      legs: report.legs.map(named),
      ...(report.returns && { returns: report.returns.map(backNamed) }),
    },
    facts: facts.map((fact) => {
      if (fact.kind === 'late_money') return { ...fact, leg: named(fact.leg) };
      if (fact.kind === 'late_return') return { ...fact, returned: backNamed(fact.returned) };
      return fact;
    }),
  };
}
