import type { LineFault } from '#shared/domain/statements/lines.ts';

/** Faults of a file, besides those of its lines' fields. */
export type FileFault =
  | LineFault
  /** The first line does not name the columns, each once. */
  | 'header'
  /** The line has more or fewer fields than there are columns. */
  | 'field_count'
  /** It is not that of the statement. */
  | 'currency'
  | 'too_many_lines'
  | 'line_too_long'
  /** A text of it, or those of one entry, are more than are in memory at a time. */
  | 'text_too_long'
  /** The bytes are no text in this encoding. */
  | 'encoding'
  /** It is no file of this format. */
  | 'format'
  /** The format has no such line at this place. */
  | 'syntax'
  /** The file ends before its statement does. */
  | 'cut_off'
  /** A statement begins before the one before it has its closing balance. */
  | 'not_closed'
  /** Several of its accounts have the statement's currency. */
  | 'several_accounts'
  /** It has no account of this number. */
  | 'account'
  /** The closing balance is not the opening balance with the movements. */
  | 'balance'
  /** The parts of a batch are not its sum. */
  | 'batch_total'
  | 'xml'
  | 'xml_doctype'
  | 'csv_quotes'
  | 'csv_too_long';

/** A movement as the file has it, unchecked, with the field names of a stored line. */
export type FileMovement = Readonly<
  Record<'kind' | 'direction' | 'leg_id' | 'amount' | 'completed_at', string> & {
    of_leg_id?: string | undefined;
    operation_id?: string | undefined;
    attempt?: string | undefined;
    currency: string | undefined;
  }
>;

/** An item of a parser, with the number of its first line. */
export type Item =
  | { line: number; movement: FileMovement }
  /** What follows is of this account. */
  | { line: number; account: string; currency?: string | undefined }
  | { line: number; balance: 'opening' | 'closing'; amount: string; currency?: string | undefined }
  /** An entry that the bank has not booked, and may never book. */
  | { line: number; notBooked: true }
  /** `fatal`: the rest of the file can't be read. */
  | { line: number; fault: FileFault; fatal?: true };

/** A file has no more accounts. */
export const mostFileAccounts = 100;

/** Parses one format from a text in pieces. It throws nothing. */
export type Parser = {
  take(text: string): Iterable<Item>;
  end(): Iterable<Item>;
};
