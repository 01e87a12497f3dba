import { findFinding } from '#projections/statements/query.ts';
import { findingDecisions, statementStream } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { formatAmount, html } from '#shared/platform/pages/index.ts';
import { parseStatementPath } from '../../api/statements/parameters.ts';
import { closeFindingBody } from '../../api/statements/routes.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { statementPath } from '../statements/paths.ts';
import {
  findingDecisionNames,
  findingKindTexts,
  providerStatementTexts,
} from '../statements/texts.ts';
import { common } from '#shared/application/pages/translations.ts';
import { trimmedValue, formValue, type Values } from '#shared/platform/sessions/form.ts';
import type { Action } from './action.ts';

const idOrDash = (id: string | null) => (id === null ? '—' : html`<code>${id}</code>`);

/** An empty value means that there was none. */
const shownAmount = (values: Values, name: 'amount' | 'counted_amount') =>
  values[name] === undefined ? {} : { [name]: formValue(values, name) ?? null };

export const closeStatementFindingAction: Action = {
  path: '/statements/:provider/:account/:currency/:day/close-finding/:finding_id',
  route: 'POST /admin/v1/statements/:provider/:account/:currency/:day/close-finding',
  title: { ru: 'Закрыть расхождение', en: 'Close the finding' },
  explain: {
    ru: 'Записывается, что это было. Деньги не двигаются, операция не меняется. Оно остаётся закрытым, пока его суммы те же; если одна изменится, оно откроется снова.',
    en: 'Records the reason for the difference. No money moves, and the operation does not change. The finding stays closed while its amounts stay the same; if one changes, it is open again.',
  },
  button: { ru: 'Закрыть', en: 'Close it' },
  done: { ru: 'Расхождение закрыто.', en: 'The finding is closed.' },
  prepare: async ({ matching }, { params, view: { t, language } }) => {
    const of = parseStatementPath(params);
    const finding = await fromDatabase(findFinding(matching, of, params['finding_id'] ?? ''));
    if (!finding) throw new Problem('not_found');
    const { currency, amount, counted_amount: counted } = finding;
    const shown = (value: string | null) =>
      value === null ? '—' : formatAmount(language, value, currency);
    return {
      about: [
        [t(providerStatementTexts.what), t(findingKindTexts[finding.finding].name)],
        [t(providerStatementTexts.transfer), idOrDash(finding.leg_id)],
        [t(common.operationId), idOrDash(finding.operation_id)],
        [t(providerStatementTexts.stated), shown(amount)],
        [t(providerStatementTexts.counted), shown(counted)],
        [t(providerStatementTexts.notedBefore), finding.earlier_note],
      ],
      fields: [
        {
          name: 'decision',
          label: { ru: 'Что это было', en: 'Reason for the difference' },
          kind: 'choice',
          choices: findingDecisions.map((value) => ({
            value,
            text: t(findingDecisionNames[value]),
          })),
        },
        {
          name: 'finding_id',
          label: providerStatementTexts.what,
          kind: 'hidden',
          value: finding.finding_id,
        },
        // The amounts as first shown: they return with the confirmation.
        {
          name: 'amount',
          label: providerStatementTexts.stated,
          kind: 'hidden',
          value: amount ?? '',
        },
        {
          name: 'counted_amount',
          label: providerStatementTexts.counted,
          kind: 'hidden',
          value: counted ?? '',
        },
        { name: 'note', label: common.note, kind: 'long' },
      ],
      back: statementPath(of),
      trail: [
        { href: '/statements', text: t(providerStatementTexts.title) },
        { href: statementPath(of), text: `${of.provider}, ${of.day}` },
      ],
    };
  },
  body: (values) => ({
    finding_id: formValue(values, 'finding_id'),
    decision: formValue(values, 'decision'),
    note: trimmedValue(values, 'note'),
    ...shownAmount(values, 'amount'),
    ...shownAmount(values, 'counted_amount'),
  }),
  check: (_, body, params) => {
    // The finding in the body must be the one on the page.
    if ((body as { finding_id?: unknown }).finding_id !== params['finding_id'])
      throw new Problem('not_found');
    validate(closeFindingBody, body);
  },
  streams: ({ params }) => [statementStream(parseStatementPath(params))],
  // Events with lines are large.
  shows: { types: ['StatementFindingClosed'], among: 4 },
};
