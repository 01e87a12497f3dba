import {
  fileReplacedProvider,
  type ImportsMade,
} from '#shared/application/statements/read-imports.ts';
import type { StatementLedgerPosition } from '#projections/views/ledger-position.ts';
import type { StatementDay, StatementFinding } from '#projections/statements/query.ts';
import type { FindingSays } from '#shared/domain/statements/findings.ts';

/** How a statement matches, as operators see it. */
export const viewDay = ({ imported_at: importedAt, ...day }: StatementDay) => ({
  ...day,
  imported_at: importedAt.toISOString(),
});

/** A finding, and a person's note on it. */
export const viewFinding = ({
  completed_at,
  closed_at,
  closed_by,
  earlier_note: note,
  earlier_by: by,
  earlier_at: at,
  ...finding
}: StatementFinding) => ({
  ...finding,
  completed_at: completed_at?.toISOString() ?? null,
  closed_by: closed_by === null ? null : operatorName(closed_by),
  closed_at: closed_at?.toISOString() ?? null,
  earlier:
    note === null || !by || !at ? null : { note, by: operatorName(by), at: at.toISOString() },
});

const operatorName = (actor: string) => actor.replace(/^operator:/, '');

/** The amounts of the finding that a person closes. */
export const findingAmounts = ({
  finding,
  amount,
  counted_amount,
}: StatementFinding): FindingSays => ({
  kind: finding,
  amount: amount ?? undefined,
  counted: counted_amount ?? undefined,
});

/** Null: not computed in time. */
export const viewPosition = (
  position: StatementLedgerPosition | undefined,
): Record<keyof StatementLedgerPosition, string | null> => ({
  ledger_position: position?.ledger_position ?? null,
  difference: position?.difference ?? null,
});

/** A day's imports, newest first: the first is in force. `more`: there may be earlier ones. */
export const viewImports = ({ imports, more }: ImportsMade) => ({
  replaces_provider: fileReplacedProvider(imports),
  imports: imports.map(({ digest: _digest, imported_by: by, imported_at: at, ...made }) => ({
    ...made,
    imported_by: operatorName(by),
    imported_at: at.toISOString(),
  })),
  more_imports: more,
});
