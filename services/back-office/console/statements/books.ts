import type { StatementLedgerPosition } from '#projections/views/ledger-position.ts';
import type { StatementDay } from '#projections/statements/query.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { pairs } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import { bookTexts as texts } from './texts.ts';

const nothing = '0.00';

/**
 * The comparison of the day with the ledger: the differences, and how many of them are expected.
 */
export function books(
  view: ConsoleView,
  day: StatementDay,
  position: StatementLedgerPosition | undefined,
): Html {
  const { t, language } = view;
  const amount = (value: string | null) =>
    value === null ? '—' : formatAmount(language, value, day.currency);
  const { unexplained, unmatched } = day;
  const left =
    unexplained === nothing
      ? badge('success', t(texts.agree))
      : badge('danger', amount(unexplained));
  return html`<section class="card stack" aria-labelledby="books">
    <div>
      <h2 id="books">${t(texts.title)}</h2>
      <p class="muted">${t(texts.about)}</p>
    </div>
    ${pairs(
      [
        [t(texts.statement), amount(day.statement_moved)],
        [t(texts.ledger), amount(day.ledger_moved)],
        [t(texts.explained), amount(day.explained)],
        [
          t(texts.unmatched),
          unmatched === nothing ? amount(unmatched) : badge('warning', amount(unmatched)),
        ],
        [t(texts.unexplained), left],
        [t(texts.position), position ? amount(position.ledger_position) : t(texts.tooMuch)],
        [t(texts.difference), position ? amount(position.difference) : '—'],
      ],
      'pairs across',
    )}
  </section>`;
}
